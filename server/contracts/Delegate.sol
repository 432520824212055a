// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {MessageHashUtils} from "@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol";
import {Call, ChainBatch, Intent} from "./Intent.sol";
import {IntentHash} from "./IntentHash.sol";

/// @title The code that a user's account borrows through EIP-7702.
/// @notice Runs what the account's own key has signed, once, whoever brings it. No initializer and no owner: the key is
/// the only authority, so there is nothing to take over.
contract Delegate {
    /// @custom:storage-location erc7201:crosschain-intents.delegate
    struct Storage {
        /// @dev Ids of batches that have run here.
        mapping(bytes32 chainBatchId => bool) processed;
    }

    /// @dev A call of the batch failed; `errorMessage` is what it returned.
    error CallReverted(address account, address to, uint256 value, bytes data, bytes errorMessage);
    /// @dev The batch has run before.
    error DuplicateChainBatch(bytes intentSignature, bytes32 chainBatchHash, bytes32 chainBatchId);
    /// @dev `exp` has passed.
    error IntentExpired(uint256 currentTime, uint256 exp);
    /// @dev `nbf` has not come yet.
    error IntentTooEarly(uint256 currentTime, uint256 nbf);
    /// @dev A batch that carries its calls is for another chain.
    error InvalidChainId(uint256 actual, uint256 expected);
    /// @dev The signature is not the account's over this intent.
    error InvalidSignature(string signatureType, address recovered, address expected);
    /// @dev Neither `ecdsa` nor `eip712`.
    error InvalidSignatureType(string signatureType);
    /// @dev Only the account itself may call this.
    error OnlySelf(address caller);

    /// @dev The batch has run with all its calls.
    event ChainBatchExecuted(bytes32 indexed chainBatchId);

    /// @dev ERC-7201 slot of "crosschain-intents.delegate"; another delegate's storage does not reach it.
    bytes32 internal constant STORAGE_SLOT =
        keccak256(abi.encode(uint256(keccak256("crosschain-intents.delegate")) - 1)) & ~bytes32(uint256(0xff));
    bytes32 internal constant ECDSA_TYPE = keccak256("ecdsa");
    bytes32 internal constant EIP712_TYPE = keccak256("eip712");
    uint256 internal constant SIGNATURE_LENGTH = 65;

    /// @dev Takes native currency, as the account does without code.
    receive() external payable {}

    /// @notice Runs the batches of this chain that carry their calls, in order, all or nothing.
    /// @dev Callable by anyone. For `eip712`, `signature` is followed by one word for each batch with calls: the EIP-712
    /// encoding of its token transfers. Each batch is marked before its calls run, so re-entering can't repeat it.
    /// @return executedBatches How many batches ran; the vault takes it as proof.
    function execute(Intent calldata intent) external payable returns (uint256 executedBatches) {
        if (block.timestamp < intent.nbf) revert IntentTooEarly(block.timestamp, intent.nbf);
        if (block.timestamp > intent.exp) revert IntentExpired(block.timestamp, intent.exp);
        bytes32 digest = verifiedDigest(intent);
        for (uint256 i; i < intent.chainBatches.length; ++i) {
            ChainBatch calldata batch = intent.chainBatches[i];
            if (batch.calls.length == 0) continue;
            if (batch.chainId != block.chainid) revert InvalidChainId(block.chainid, batch.chainId);
            bytes32 id = keccak256(abi.encode(digest, i));
            Storage storage store = storageAt();
            if (store.processed[id]) revert DuplicateChainBatch(intent.signature, batch.hash, id);
            store.processed[id] = true;
            run(batch.calls);
            emit ChainBatchExecuted(id);
            ++executedBatches;
        }
    }

    /// @notice Runs calls that the account sends to itself.
    function selfExecute(Call[] calldata calls) external payable {
        if (msg.sender != address(this)) revert OnlySelf(msg.sender);
        run(calls);
    }

    /// @notice Whether a batch has run; its id is keccak256(abi.encode(intentDigest, batchIndex)).
    function isChainBatchProcessed(bytes32 chainBatchId) external view returns (bool) {
        return storageAt().processed[chainBatchId];
    }

    /// @notice ERC-1271 for the account's own key, as if it had no code. A signature recovers to one account only, so it
    /// can't be used at another one.
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        (address signer, ECDSA.RecoverError fault,) = ECDSA.tryRecover(hash, signature);
        bool valid = fault == ECDSA.RecoverError.NoError && signer == address(this);
        return valid ? this.isValidSignature.selector : bytes4(0xffffffff);
    }

    /// @dev ERC-721 receiver.
    function onERC721Received(address, address, uint256, bytes calldata) external pure returns (bytes4) {
        return this.onERC721Received.selector;
    }

    /// @dev ERC-1155 receiver.
    function onERC1155Received(address, address, uint256, uint256, bytes calldata) external pure returns (bytes4) {
        return this.onERC1155Received.selector;
    }

    /// @dev ERC-1155 receiver of batches.
    function onERC1155BatchReceived(address, address, uint256[] calldata, uint256[] calldata, bytes calldata)
        external
        pure
        returns (bytes4)
    {
        return this.onERC1155BatchReceived.selector;
    }

    /// @dev ERC-165: itself, ERC-721 and ERC-1155 receivers, ERC-1271.
    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0x150b7a02 || id == 0x4e2312e0 || id == 0x1626ba7e;
    }

    /// @dev The digest that the account's key has signed; anything else reverts.
    function verifiedDigest(Intent calldata intent) internal view returns (bytes32 digest) {
        bytes32 signatureType = keccak256(bytes(intent.signatureType));
        bytes calldata signature = intent.signature;
        bytes32 signed;
        if (signatureType == ECDSA_TYPE) {
            digest = IntentHash.ecdsaDigest(intent);
            signed = MessageHashUtils.toEthSignedMessageHash(digest);
        } else if (signatureType == EIP712_TYPE) {
            if (signature.length < SIGNATURE_LENGTH) {
                revert InvalidSignature(intent.signatureType, address(0), address(this));
            }
            digest = signed = IntentHash.eip712Digest(intent, signature[SIGNATURE_LENGTH:]);
            signature = signature[:SIGNATURE_LENGTH];
        } else {
            revert InvalidSignatureType(intent.signatureType);
        }
        (address recovered,,) = ECDSA.tryRecover(signed, signature);
        if (recovered != address(this)) revert InvalidSignature(intent.signatureType, recovered, address(this));
    }

    /// @dev All or nothing.
    function run(Call[] calldata calls) internal {
        for (uint256 i; i < calls.length; ++i) {
            Call calldata call = calls[i];
            (bool success, bytes memory result) = call.to.call{value: call.value}(call.data);
            if (!success) revert CallReverted(address(this), call.to, call.value, call.data, result);
        }
    }

    function storageAt() internal pure returns (Storage storage store) {
        bytes32 slot = STORAGE_SLOT;
        assembly {
            store.slot := slot
        }
    }
}
