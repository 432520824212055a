// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @dev Keeps a tenth of each transfer, while its log tells the whole amount. Balances lie where OpenZeppelin has them.
contract GrossFeeToken {
    mapping(address => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 value);

    function transfer(address to, uint256 amount) external returns (bool) {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount - amount / 10;
        emit Transfer(msg.sender, to, amount);
        return true;
    }
}

/// @dev A delegate that runs nothing and says that it ran one batch.
contract Pretender {
    fallback() external payable {
        assembly {
            mstore(0, 1)
            return(0, 32)
        }
    }

    receive() external payable {}
}

/// @dev Passes native currency on.
contract Forwarder {
    function pay(address to) external payable {
        (bool success,) = to.call{value: msg.value}("");
        require(success);
    }
}
