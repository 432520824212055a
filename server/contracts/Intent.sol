// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @dev A call of the account; `value` in wei.
struct Call {
    address to;
    uint256 value;
    bytes data;
}

/// @dev One chain's part of an intent. Stripped to its hash (no calls) where it is not to run.
struct ChainBatch {
    bytes32 hash;
    uint256 chainId;
    Call[] calls;
}

/// @dev What a user signs once for all its chains. `nbf` and `exp` in unix seconds, both inclusive.
struct Intent {
    string signatureType;
    bytes signature;
    uint256 nbf;
    uint256 exp;
    ChainBatch[] chainBatches;
}

/// @dev What the vault asks of an account.
interface IDelegate {
    function execute(Intent calldata intent) external payable returns (uint256 executedBatches);
}
