// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @dev An earlier delegate that wrote into the account's first slots.
contract OtherDelegate {
    uint256 public a;
    uint256 public b;

    function write() external {
        (a, b) = (type(uint256).max, type(uint256).max);
    }
}

/// @dev A delegate that takes any call and says nothing.
contract EmptyDelegate {
    fallback() external payable {}
}

/// @dev A delegate that answers any call with one byte less than a number.
contract ShortDelegate {
    fallback() external payable {
        assembly {
            mstore(0, not(0))
            return(0, 31)
        }
    }
}

/// @dev A delegate that reverts without a word.
contract MuteDelegate {
    fallback() external payable {
        revert();
    }
}

/// @dev A delegate that reverts with what looks like a number of batches.
contract LyingDelegate {
    fallback() external payable {
        assembly {
            mstore(0, 1)
            revert(0, 32)
        }
    }
}

/// @dev Takes native currency, and uses the occasion to call whatever it was told to.
contract ReentrantRecipient {
    address public target;
    bytes public payload;
    bool public succeeded;

    function arm(address target_, bytes calldata payload_) external {
        (target, payload) = (target_, payload_);
    }

    receive() external payable {
        (succeeded,) = target.call(payload);
    }
}

/// @dev Takes no native currency.
contract ProudRecipient {}

/// @dev Takes native currency, and uses the occasion to ask a question with one number for an answer.
contract AskingRecipient {
    address public target;
    bytes public payload;
    uint256 public answer;

    function arm(address target_, bytes calldata payload_) external {
        (target, payload) = (target_, payload_);
    }

    receive() external payable {
        (, bytes memory result) = target.call(payload);
        answer = abi.decode(result, (uint256));
    }
}
