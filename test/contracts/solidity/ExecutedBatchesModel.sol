// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {ExecutedBatches} from "ExecutedBatches.sol";

/// @dev Holds `ExecutedBatches` against a plain list of everything that was ever added.
contract ExecutedBatchesModel {
    using ExecutedBatches for ExecutedBatches.Set;

    /// @dev An id was added a second time before it had expired.
    error Replayed(uint256 step, uint256 index);
    /// @dev An id was refused that had never been added.
    error Refused(uint256 step);
    /// @dev An id that has not expired is not known any more.
    error Forgotten(uint256 step, uint256 index);

    ExecutedBatches.Set private set;
    bytes32[] private ids;
    uint256[] private expiries;

    /// @dev Random additions and repetitions. Each step moves time by less than `pace` seconds; most ids live for less than
    /// `lifetime` seconds, one in sixteen for a year and one in sixteen for good.
    /// @return most How many ids counted at the same time at most.
    /// @return repeated How many repetitions were refused.
    function run(uint256 seed, uint256 steps, uint256 lifetime, uint256 pace)
        external
        returns (uint256 most, uint256 repeated)
    {
        uint256 time = 1_750_000_000;
        for (uint256 step; step < steps; ++step) {
            uint256 random = uint256(keccak256(abi.encode(seed, step)));
            time += (random >> 8) % pace;
            if (random % 2 == 0) {
                uint256 kind = (random >> 72) % 16;
                uint256 life = kind == 0 ? 365 days : (random >> 80) % lifetime;
                uint256 expiry = kind == 1 ? 2 ** 53 - 1 : time + life;
                if (!set.add(bytes32(random), expiry, time)) revert Refused(step);
                ids.push(bytes32(random));
                expiries.push(expiry);
            }
            uint256 counting;
            for (uint256 i = ids.length > 96 ? ids.length - 96 : 0; i < ids.length; ++i) {
                if (expiries[i] < time) continue;
                ++counting;
                if (!set.contains(ids[i])) revert Forgotten(step, i);
                if (uint256(keccak256(abi.encode(random, i))) % 4 != 0) continue;
                if (set.add(ids[i], expiries[i], time)) revert Replayed(step, i);
                ++repeated;
            }
            if (counting > most) most = counting;
        }
    }
}
