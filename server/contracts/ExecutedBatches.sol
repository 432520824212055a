// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title Which batches an account has run, in few storage slots that are used again.
/// @dev A fresh slot costs 22,100 gas and a used one 5,000, and an intent that has expired is refused anyway. So an id
/// takes a place in one of a few words and loses it to another id once its intent has expired.
///
/// A word is a horizon (24 bits) and three places of 77 bits: 53 bits of the id below 24 bits of its expiry, in units
/// of 256 seconds. An id takes the first place whose expiry has passed. The horizon says until when an id that still
/// counts may lie further on, in a later word or in `rest`; a search ends at the first word whose horizon has passed.
/// Ids that find no place go to `rest`, as do those whose expiry does not fit (from the year 2106 on): the latter can
/// lie nowhere else, so they need no horizon.
///
/// Why nothing runs twice: until it expires, an id's place is not given away, and all horizons before it are at least
/// its expiry, since adding it raised them and none is ever lowered. So a second `add` in time finds it. The other way
/// round, an id is refused in error only where another one agrees with it in 53 bits and in the expiry's unit; both
/// were signed by the account, which can sign anew.
library ExecutedBatches {
    uint256 private constant WORDS = 4;
    uint256 private constant FIRST = 24;
    uint256 private constant SECOND = 101;
    uint256 private constant THIRD = 178;
    uint256 private constant PLACE = (1 << 77) - 1;
    uint256 private constant ID_BITS = 53;
    uint256 private constant TIME = (1 << 24) - 1;
    /// @dev log2 of the unit of time, in seconds.
    uint256 private constant UNIT = 8;

    /// @dev `words` as above, searched in order; `rest` by the whole id.
    struct Set {
        uint256[WORDS] words;
        mapping(bytes32 id => bool) rest;
    }

    /// @dev Adds an id whose intent expires after the second `expiry`, not before `time`, which is now and never runs
    /// backwards. False: it is there already.
    function add(Set storage set, bytes32 id, uint256 expiry, uint256 time) internal returns (bool added) {
        uint256 until = expiry >> UNIT;
        if (until > TIME) {
            added = !set.rest[id];
            set.rest[id] = true;
            return added;
        }
        uint256 present = time >> UNIT;
        uint256 place = (until << ID_BITS) | (uint256(id) >> (256 - ID_BITS));
        // The first word with a free place, and what it becomes.
        uint256 index = WORDS;
        uint256 filled;
        bool further;
        for (uint256 i; i < WORDS; ++i) {
            uint256 word = set.words[i];
            uint256 first = (word >> FIRST) & PLACE;
            uint256 second = (word >> SECOND) & PLACE;
            uint256 third = (word >> THIRD) & PLACE;
            if (first == place || second == place || third == place) return false;
            if (index == WORDS) {
                uint256 shift;
                if (first >> ID_BITS < present) shift = FIRST;
                else if (second >> ID_BITS < present) shift = SECOND;
                else if (third >> ID_BITS < present) shift = THIRD;
                if (shift != 0) (index, filled) = (i, (word & ~(PLACE << shift)) | (place << shift));
            }
            further = word & TIME >= present;
            if (!further && index < WORDS) break;
        }
        if (further && set.rest[id]) return false;
        for (uint256 i; i < index; ++i) {
            uint256 word = set.words[i];
            if (word & TIME < until) set.words[i] = (word & ~TIME) | until;
        }
        if (index < WORDS) set.words[index] = filled;
        else set.rest[id] = true;
        return true;
    }

    /// @dev Whether an id is there: until its intent has expired certainly, then until its place is taken.
    function contains(Set storage set, bytes32 id) internal view returns (bool) {
        if (set.rest[id]) return true;
        for (uint256 i; i < WORDS; ++i) {
            uint256 word = set.words[i];
            if (isIn(word >> FIRST, id) || isIn(word >> SECOND, id) || isIn(word >> THIRD, id)) return true;
        }
        return false;
    }

    /// @dev Whether the lowest place holds the id, whatever its expiry. An empty one holds none.
    function isIn(uint256 word, bytes32 id) private pure returns (bool) {
        return word & PLACE != 0 && (word ^ (uint256(id) >> (256 - ID_BITS))) & ((1 << ID_BITS) - 1) == 0;
    }
}
