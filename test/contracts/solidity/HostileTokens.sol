// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @dev A token with balances and nothing else; what a transfer does is up to its heirs.
abstract contract BareToken {
    mapping(address => uint256) public balanceOf;

    function mint(address to, uint256 amount) external {
        balanceOf[to] += amount;
    }

    function move(address to, uint256 amount) internal {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
    }
}

/// @dev Like USDT: returns nothing.
contract SilentToken is BareToken {
    function transfer(address to, uint256 amount) external {
        move(to, amount);
    }
}

/// @dev Returns false and moves nothing.
contract RefusingToken is BareToken {
    function transfer(address, uint256) external pure returns (bool) {
        return false;
    }
}

/// @dev Keeps a hundredth of each transfer.
contract FeeToken is BareToken {
    function transfer(address to, uint256 amount) external returns (bool) {
        move(to, amount);
        balanceOf[to] -= amount / 100;
        return true;
    }
}

/// @dev Calls back whatever it is told to while it transfers.
contract ReentrantToken is BareToken {
    address public target;
    bytes public payload;
    bool public succeeded;

    function arm(address target_, bytes calldata payload_) external {
        (target, payload) = (target_, payload_);
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        move(to, amount);
        (succeeded,) = target.call(payload);
        return true;
    }
}

/// @dev Returns one word more than it should, and the first one says yes.
contract TalkativeToken is BareToken {
    function transfer(address to, uint256 amount) external returns (bool, uint256) {
        move(to, amount);
        return (true, 1);
    }
}

/// @dev Says yes in another way than `true` is encoded.
contract OddToken is BareToken {
    function transfer(address to, uint256 amount) external returns (uint256) {
        move(to, amount);
        return 2;
    }
}

/// @dev Reverts without a word.
contract MuteToken is BareToken {
    function transfer(address, uint256) external pure returns (bool) {
        assembly {
            revert(0, 0)
        }
    }
}

/// @dev Takes from the recipient instead of giving.
contract TakingToken is BareToken {
    function transfer(address to, uint256) external returns (bool) {
        balanceOf[to] = 0;
        return true;
    }
}

/// @dev Keeps a hundredth of each transfer and logs the whole of it.
contract LyingFeeToken is BareToken {
    event Transfer(address indexed from, address indexed to, uint256 amount);

    uint8 public constant decimals = 6;

    function transfer(address to, uint256 amount) external returns (bool) {
        move(to, amount);
        balanceOf[to] -= amount / 100;
        emit Transfer(msg.sender, to, amount);
        return true;
    }
}

/// @dev Takes a hundredth of each transfer from the recipient, and logs that as a transfer of his.
contract SpokenFeeToken is BareToken {
    event Transfer(address indexed from, address indexed to, uint256 amount);

    uint8 public constant decimals = 6;

    function transfer(address to, uint256 amount) external returns (bool) {
        move(to, amount);
        emit Transfer(msg.sender, to, amount);
        balanceOf[to] -= amount / 100;
        balanceOf[address(this)] += amount / 100;
        emit Transfer(to, address(this), amount / 100);
        return true;
    }
}
