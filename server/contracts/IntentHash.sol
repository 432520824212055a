// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {MessageHashUtils} from "@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol";
import {EfficientHashLib} from "solady/src/utils/EfficientHashLib.sol";
import {Call} from "./Intent.sol";

/// @title What users sign, by signature type. The SDK's `signing.ts` computes the same off-chain.
library IntentHash {
    /// @dev EIP-712 domain without a chain id or contract: one signature spans chains, and the signer is the account.
    bytes32 internal constant DOMAIN_SEPARATOR = keccak256(
        abi.encode(
            keccak256("EIP712Domain(string name,string version)"), keccak256("CrossChainIntents"), keccak256("1")
        )
    );
    /// @dev EIP-712 type of a call.
    bytes32 internal constant CALL_TYPEHASH = keccak256("Call(address to,uint256 value,bytes data)");
    /// @dev EIP-712 type of a batch.
    bytes32 internal constant CHAIN_BATCH_TYPEHASH = keccak256(
        "ChainBatch(uint256 chainId,TokenTransfer[] tokenTransfers,Call[] calls)Call(address to,uint256 value,bytes data)TokenTransfer(address from,address to,address token,uint256 amount)"
    );
    /// @dev EIP-712 type of an intent.
    bytes32 internal constant INTENT_TYPEHASH = keccak256(
        "Intent(uint256 nbf,uint256 exp,ChainBatch[] chainBatches)Call(address to,uint256 value,bytes data)ChainBatch(uint256 chainId,TokenTransfer[] tokenTransfers,Call[] calls)TokenTransfer(address from,address to,address token,uint256 amount)"
    );

    /// @dev Hash of an `ecdsa` batch: keccak256(abi.encode(chainId, calls)), taken over the calls as they stand in the
    /// calldata, up to the end of the last one. Bytes equal to that encoding decode to the calls it encodes, and to
    /// none else, since every offset in it counts from its own beginning; calls encoded in another way have another
    /// hash.
    function plainBatch(uint256 chainId, Call[] calldata calls) internal pure returns (bytes32 hash) {
        bytes calldata last = calls[calls.length - 1].data;
        assembly ("memory-safe") {
            let size := sub(add(last.offset, and(add(last.length, 31), not(31))), calls.offset)
            let free := mload(0x40)
            mstore(free, chainId)
            mstore(add(free, 32), 64)
            mstore(add(free, 64), calls.length)
            calldatacopy(add(free, 96), calls.offset, size)
            hash := keccak256(free, add(size, 96))
        }
    }

    /// @dev Hash of an `eip712` batch: its struct hash. `transfers` is the EIP-712 encoding of its token transfers.
    function typedBatch(uint256 chainId, bytes32 transfers, Call[] calldata calls) internal pure returns (bytes32) {
        bytes32[] memory hashes = EfficientHashLib.malloc(calls.length);
        for (uint256 i; i < calls.length; ++i) {
            Call calldata call = calls[i];
            bytes32 data = EfficientHashLib.hashCalldata(call.data);
            EfficientHashLib.set(
                hashes,
                i,
                EfficientHashLib.hash(
                    CALL_TYPEHASH, bytes32(uint256(uint160(call.to))), bytes32(call.value), data
                )
            );
        }
        return EfficientHashLib.hash(
            CHAIN_BATCH_TYPEHASH, bytes32(chainId), transfers, EfficientHashLib.hash(hashes)
        );
    }

    /// @dev Digest of an `ecdsa` intent, and what is signed of it: the EIP-191 hash of its 32 bytes.
    function plainIntent(uint256 nbf, uint256 exp, bytes32[] memory batches)
        internal
        pure
        returns (bytes32 digest, bytes32 signed)
    {
        digest = keccak256(abi.encode("ecdsa", nbf, exp, batches));
        signed = MessageHashUtils.toEthSignedMessageHash(digest);
    }

    /// @dev Digest of an `eip712` intent; it is signed as it is.
    function typedIntent(uint256 nbf, uint256 exp, bytes32[] memory batches) internal pure returns (bytes32) {
        bytes32 structHash = EfficientHashLib.hash(
            INTENT_TYPEHASH, bytes32(nbf), bytes32(exp), EfficientHashLib.hash(batches)
        );
        return MessageHashUtils.toTypedDataHash(DOMAIN_SEPARATOR, structHash);
    }
}
