// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {ChainBatch, Call, Intent} from "./Intent.sol";

/// @dev The digests that users sign. The same ones are computed off-chain by the SDK's `signing.ts`.
library IntentHash {
    /// @dev EIP-712 without a chain id or contract: one signature spans chains, and the signer is the account itself.
    bytes32 internal constant DOMAIN_SEPARATOR = keccak256(
        abi.encode(
            keccak256("EIP712Domain(string name,string version)"), keccak256("CrossChainIntents"), keccak256("1")
        )
    );
    bytes32 internal constant CALL_TYPEHASH = keccak256("Call(address to,uint256 value,bytes data)");
    bytes32 internal constant CHAIN_BATCH_TYPEHASH = keccak256(
        "ChainBatch(uint256 chainId,TokenTransfer[] tokenTransfers,Call[] calls)Call(address to,uint256 value,bytes data)TokenTransfer(address from,address to,address token,uint256 amount)"
    );
    bytes32 internal constant INTENT_TYPEHASH = keccak256(
        "Intent(uint256 nbf,uint256 exp,ChainBatch[] chainBatches)Call(address to,uint256 value,bytes data)ChainBatch(uint256 chainId,TokenTransfer[] tokenTransfers,Call[] calls)TokenTransfer(address from,address to,address token,uint256 amount)"
    );

    /// @dev keccak256(abi.encode(signatureType, nbf, exp, batchHashes)), before EIP-191 is applied.
    function ecdsaDigest(Intent calldata intent) internal pure returns (bytes32) {
        bytes32[] memory hashes = new bytes32[](intent.chainBatches.length);
        for (uint256 i; i < hashes.length; ++i) {
            ChainBatch calldata batch = intent.chainBatches[i];
            hashes[i] = batch.calls.length == 0 ? batch.hash : keccak256(abi.encode(batch.chainId, batch.calls));
        }
        return keccak256(abi.encode(intent.signatureType, intent.nbf, intent.exp, hashes));
    }

    /// @dev The EIP-712 digest. `transferHashes` holds, for each batch with calls and in order, the encoding of its
    /// token transfers (32 bytes), which the calldata does not carry otherwise.
    function eip712Digest(Intent calldata intent, bytes calldata transferHashes) internal pure returns (bytes32) {
        bytes32[] memory hashes = new bytes32[](intent.chainBatches.length);
        uint256 offset;
        for (uint256 i; i < hashes.length; ++i) {
            ChainBatch calldata batch = intent.chainBatches[i];
            if (batch.calls.length == 0) {
                hashes[i] = batch.hash;
            } else {
                bytes32 transfers = bytes32(transferHashes[offset:offset + 32]);
                offset += 32;
                hashes[i] = keccak256(abi.encode(CHAIN_BATCH_TYPEHASH, batch.chainId, transfers, callsHash(batch.calls)));
            }
        }
        bytes32 structHash =
            keccak256(abi.encode(INTENT_TYPEHASH, intent.nbf, intent.exp, keccak256(abi.encodePacked(hashes))));
        return keccak256(abi.encodePacked(hex"1901", DOMAIN_SEPARATOR, structHash));
    }

    /// @dev The EIP-712 encoding of an array of calls.
    function callsHash(Call[] calldata calls) internal pure returns (bytes32) {
        bytes32[] memory hashes = new bytes32[](calls.length);
        for (uint256 i; i < hashes.length; ++i) {
            hashes[i] = keccak256(abi.encode(CALL_TYPEHASH, calls[i].to, calls[i].value, keccak256(calls[i].data)));
        }
        return keccak256(abi.encodePacked(hashes));
    }
}
