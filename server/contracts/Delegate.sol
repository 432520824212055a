// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EfficientHashLib} from "solady/src/utils/EfficientHashLib.sol";
import {ExecutedBatches} from "./ExecutedBatches.sol";
import {Call, ChainBatch, Intent} from "./Intent.sol";
import {IntentHash} from "./IntentHash.sol";

/// @title The code that a user's account borrows through EIP-7702.
/// @notice Runs what the account's own key has signed, once, whoever brings it. No initializer and no owner: the key is
/// the only authority, so there is nothing to take over.
contract Delegate {
    using ExecutedBatches for ExecutedBatches.Set;

    /// @custom:storage-location erc7201:crosschain-intents.delegate
    struct Storage {
        /// @dev Ids of the batches that have run here. A later version that takes the same signatures has to read them
        /// at this place and in this form, or what ran before could be run again.
        ExecutedBatches.Set executed;
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
    /// @dev The signature is not the account's over this intent. `recovered` is zero where none can be, and where calls
    /// don't have the batch's hash.
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
    /// @dev The signature type of `personal_sign`.
    bytes32 internal constant ECDSA_TYPE = keccak256("ecdsa");
    /// @dev The signature type of typed data.
    bytes32 internal constant EIP712_TYPE = keccak256("eip712");
    /// @dev r, s and v, in bytes.
    uint256 internal constant SIGNATURE_LENGTH = 65;

    /// @dev Takes native currency, as the account does without code.
    receive() external payable {}

    /// @notice Runs the batches of this chain that carry their calls, in order, all or nothing.
    /// @dev Callable by anyone, in any order of batches: the signature is what counts. For `eip712`, `signature` is
    /// followed by one word for each batch with calls: the EIP-712 encoding of its token transfers. Each batch is
    /// marked before its calls run, so that re-entering can't repeat it.
    /// @return executedBatches How many batches ran; the vault takes it as proof.
    function execute(Intent calldata intent) external payable returns (uint256 executedBatches) {
        if (block.timestamp < intent.nbf) revert IntentTooEarly(block.timestamp, intent.nbf);
        if (block.timestamp > intent.exp) revert IntentExpired(block.timestamp, intent.exp);
        bytes32 digest = verifiedDigest(intent);
        ChainBatch[] calldata batches = intent.chainBatches;
        for (uint256 i; i < batches.length; ++i) {
            ChainBatch calldata batch = batches[i];
            Call[] calldata calls = batch.calls;
            if (calls.length == 0) continue;
            if (batch.chainId != block.chainid) revert InvalidChainId(block.chainid, batch.chainId);
            bytes32 id = EfficientHashLib.hash(digest, bytes32(i));
            if (!store().executed.add(id, intent.exp, block.timestamp)) {
                revert DuplicateChainBatch(intent.signature, batch.hash, id);
            }
            run(calls);
            emit ChainBatchExecuted(id);
            ++executedBatches;
        }
    }

    /// @notice Runs calls that the account sends to itself, all or nothing.
    function selfExecute(Call[] calldata calls) external payable {
        if (msg.sender != address(this)) revert OnlySelf(msg.sender);
        run(calls);
    }

    /// @notice Whether a batch has run; its id is keccak256(abi.encode(intentDigest, batchIndex)).
    /// @dev True for every batch that has run, at least until its intent has expired; later its place may have been
    /// given to another id, and the answer is false. The lasting proof is the event.
    function isChainBatchProcessed(bytes32 chainBatchId) external view returns (bool) {
        return store().executed.contains(chainBatchId);
    }

    /// @notice ERC-1271 for the account's own key, as if the account had no code.
    /// @dev The plain hash is enough: a signature recovers to one address, which is this account's, so that no other
    /// account takes it. (Wallet contracts that share an owner have to bind the hash to themselves.)
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
        bool typed = isTyped(intent.signatureType);
        bytes calldata signature = intent.signature;
        ChainBatch[] calldata batches = intent.chainBatches;
        bytes32[] memory hashes = EfficientHashLib.malloc(batches.length);
        uint256 end = SIGNATURE_LENGTH;
        bool intact = true;
        for (uint256 i; i < batches.length; ++i) {
            ChainBatch calldata batch = batches[i];
            Call[] calldata calls = batch.calls;
            bytes32 hash = batch.hash;
            EfficientHashLib.set(hashes, i, hash);
            if (calls.length == 0) continue;
            if (typed) {
                intact = intact && hash == IntentHash.typedBatch(batch.chainId, wordAt(signature, end), calls);
                end += 32;
            } else {
                intact = intact && hash == IntentHash.plainBatch(batch.chainId, calls);
            }
        }
        bytes32 signed;
        if (typed) digest = signed = IntentHash.typedIntent(intent.nbf, intent.exp, hashes);
        else (digest, signed) = IntentHash.plainIntent(intent.nbf, intent.exp, hashes);
        address recovered;
        if (intact && signature.length == end) {
            (recovered,,) = ECDSA.tryRecover(signed, uint8(signature[64]), wordAt(signature, 0), wordAt(signature, 32));
        }
        if (recovered != address(this)) revert InvalidSignature(intent.signatureType, recovered, address(this));
    }

    /// @dev Whether the type is `eip712`; false is `ecdsa`.
    function isTyped(string calldata signatureType) internal pure returns (bool typed) {
        bytes32 hash = EfficientHashLib.hashCalldata(bytes(signatureType));
        typed = hash == EIP712_TYPE;
        if (!typed && hash != ECDSA_TYPE) revert InvalidSignatureType(signatureType);
    }

    /// @dev A word of a byte string, whose length the caller has to check.
    function wordAt(bytes calldata data, uint256 offset) internal pure returns (bytes32 word) {
        assembly {
            word := calldataload(add(data.offset, offset))
        }
    }

    /// @dev All or nothing.
    function run(Call[] calldata calls) internal {
        for (uint256 i; i < calls.length; ++i) {
            Call calldata call = calls[i];
            (bool success, bytes memory result) = call.to.call{value: call.value}(call.data);
            if (!success) revert CallReverted(address(this), call.to, call.value, call.data, result);
        }
    }

    /// @dev The delegate's own part of the account's storage.
    function store() internal pure returns (Storage storage own) {
        bytes32 slot = STORAGE_SLOT;
        assembly {
            own.slot := slot
        }
    }
}
