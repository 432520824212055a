// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title A token of the local development chains.
contract DevToken is ERC20, Ownable {
    /// @dev What `decimals` answers.
    uint8 private immutable places;

    /// @dev `owner` is who may mint.
    constructor(string memory name, string memory symbol, uint8 decimals_, address owner)
        ERC20(name, symbol)
        Ownable(owner)
    {
        places = decimals_;
    }

    /// @dev As the constructor was told; OpenZeppelin's answer is always 18.
    function decimals() public view override returns (uint8) {
        return places;
    }

    /// @notice Makes tokens out of nothing.
    function mint(address to, uint256 amount) external onlyOwner {
        _mint(to, amount);
    }
}
