// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {BareToken} from "./HostileTokens.sol";

/// @dev Logs what accounts do to it, so that effects can be held against what was signed.
contract InvariantProbe {
    event Noted(address indexed by, uint256 indexed tag);

    /// @dev An effect with a number of its own.
    function note(uint256 tag) external payable {
        emit Noted(msg.sender, tag);
    }

    /// @dev A call that does not succeed.
    function fail() external pure {
        revert();
    }

    /// @dev Calls something else from inside of a call, and does not mind a failure.
    function poke(address target, bytes calldata data) external {
        (bool success,) = target.call(data);
        success;
    }
}

/// @dev A delegate that says that it has run a batch, and has not.
contract BoastingDelegate {
    fallback() external payable {
        assembly {
            mstore(0, 1)
            return(0, 32)
        }
    }
}

/// @dev Gives the recipient all of it and takes a hundredth more from the sender.
contract SurchargeToken is BareToken {
    function transfer(address to, uint256 amount) external returns (bool) {
        move(to, amount);
        balanceOf[msg.sender] -= amount / 100;
        return true;
    }
}

/// @dev Does work of some gas and does not insist on it, as routers and batchers do that "allow failure".
contract ForgivingRouter {
    mapping(uint256 => uint256) public done;

    function attempt() external {
        try this.work() {} catch {}
    }

    function work() external {
        for (uint256 i; i < 12; ++i) {
            done[i] = 1;
        }
    }
}
