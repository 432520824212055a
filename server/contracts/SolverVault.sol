// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ownable, Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {SafeTransferLib} from "solady/src/utils/SafeTransferLib.sol";
import {IDelegate, Intent} from "./Intent.sol";

/// @title The solver's inventory on one chain.
/// @notice Users pay it; operators pay users out of it, each step once. Operators can do nothing else: no arbitrary
/// call leaves the vault. The owner, a cold key, sets operators and caps, pauses and withdraws.
contract SolverVault is Ownable2Step, ReentrancyGuardTransient {
    /// @dev A payment out of the vault; the zero address is the native currency.
    struct Transfer {
        address to;
        address token;
        uint256 amount;
    }

    /// @dev How much of a token operators may pay on one day (UTC), and what they have paid on `day` (unix days), both
    /// in its smallest unit. A cap of 0 is none, and then nothing is counted.
    struct Outflow {
        uint112 cap;
        uint112 spent;
        uint32 day;
    }

    /// @dev A step of a bundle: what a transaction of its own would call. `to` is an account, and `arguments` are those of
    /// its `execute`; or it is this vault, and they are those of `fulfill`. `gasLimit` is all that the step may use.
    struct Step {
        address to;
        uint64 gasLimit;
        bytes arguments;
    }

    /// @dev What calling an account may cost beside what is handed on (EIP-2929, EIP-7702): two cold addresses.
    uint256 internal constant CALL_GAS = 6_000;
    /// @dev As much of a failed step's error is logged.
    uint256 internal constant ERROR_BYTES = 1_024;

    /// @dev Keys under which has been paid.
    mapping(bytes32 stepKey => bool) public isFulfilled;
    /// @dev Who may pay out.
    mapping(address => bool) public isOperator;
    /// @dev By token.
    mapping(address => Outflow) public outflowOf;
    /// @dev Operators can pay nothing while it is true.
    bool public paused;

    /// @dev The key has been paid under before.
    error AlreadyFulfilled(bytes32 stepKey);
    /// @dev The account has no code: its authorization was skipped by the protocol, or there was none.
    error AccountNotDelegated(address account);
    /// @dev The account ran no batch, or did not say that it did.
    error BatchNotExecuted(address account);
    /// @dev `wanted`, the day's total with this payment, is above the token's cap.
    error OutflowCapExceeded(address token, uint256 cap, uint256 wanted);
    /// @dev The owner has paused payouts.
    error Paused();
    /// @dev The caller may not pay out.
    error NotOperator(address caller);
    /// @dev Only the vault itself may call this.
    error OnlySelf(address caller);
    /// @dev The token refused the transfer, or the native currency was not taken.
    error TokenTransferFailed(address token, address to, uint256 amount);
    /// @dev The recipient's balance grew by something else than was sent, as with tokens that take a fee.
    error TransferAmountMismatch(address token, address to, uint256 expected, uint256 actual);
    /// @dev The vault pays nothing to itself or to nobody.
    error InvalidRecipient(address to);
    /// @dev Without an owner the inventory could never be taken out again.
    error OwnerRequired();

    /// @dev The step has been carried out.
    event Fulfilled(bytes32 indexed stepKey);
    /// @dev The bundle's step at this place, counted from 0, had no effect; the others went on. `reason` is what it reverted
    /// with, or the beginning of it.
    event StepFailed(uint256 indexed index, bytes reason);
    /// @dev The bundle's step at this place was left out: the transaction had less gas left than it may use.
    event StepSkipped(uint256 indexed index);
    /// @dev Native currency came in; receipts show it nowhere else.
    event NativeReceived(address indexed from, uint256 amount);
    /// @dev The owner has allowed or forbidden an operator.
    event OperatorSet(address indexed operator, bool allowed);
    /// @dev The owner has set a token's daily cap; 0 is none.
    event OutflowCapSet(address indexed token, uint256 cap);
    /// @dev The owner has stopped or resumed payouts.
    event PausedSet(bool paused);
    /// @dev The owner has taken inventory out.
    event Withdrawn(address indexed token, address indexed to, uint256 amount);

    /// @dev The owner is given, not taken from the caller, so that the address is the same on every chain.
    constructor(address owner) Ownable(owner) {}

    /// @dev Takes native currency, also while a fulfilment is under way: the account's calls may pay the vault.
    receive() external payable {
        emit NativeReceived(msg.sender, msg.value);
    }

    /// @notice Pays the transfers, then, unless `account` is zero, has the account run its intent. All or nothing, and
    /// once per key.
    /// @dev The key is taken before anything is called. Calls of the account reach the vault only through `receive`.
    function fulfill(bytes32 stepKey, Transfer[] calldata transfers, address account, Intent calldata intent)
        external
        nonReentrant
    {
        if (!isOperator[msg.sender]) revert NotOperator(msg.sender);
        carryOut(stepKey, transfers, account, intent);
    }

    /// @notice Carries out steps of many users in one transaction, each as if it had one of its own: in a frame and with
    /// gas of its own, so that one that fails changes nothing and touches no other.
    /// @dev What a step may call is not in its arguments: `execute` at an account, or `fulfillStep` here. One whose gas
    /// can't be handed on in full is left out, so that none fails for want of gas that it was promised.
    function fulfillMany(Step[] calldata steps) external nonReentrant {
        if (!isOperator[msg.sender]) revert NotOperator(msg.sender);
        for (uint256 i; i < steps.length; ++i) {
            Step calldata step = steps[i];
            (bool isHandedOn, bool success, bytes memory reason) = run(step.to, step.gasLimit, step.arguments);
            if (!isHandedOn) emit StepSkipped(i);
            else if (!success) emit StepFailed(i, reason);
        }
    }

    /// @notice `fulfill` as a step of a bundle, whose caller has been checked and which holds the guard.
    function fulfillStep(bytes32 stepKey, Transfer[] calldata transfers, address account, Intent calldata intent)
        external
    {
        if (msg.sender != address(this)) revert OnlySelf(msg.sender);
        carryOut(stepKey, transfers, account, intent);
    }

    /// @notice Allows or forbids an operator.
    function setOperator(address operator, bool allowed) external onlyOwner {
        isOperator[operator] = allowed;
        emit OperatorSet(operator, allowed);
    }

    /// @notice Limits what operators can pay of a token per day, in its smallest unit. 0: no limit.
    /// @dev Counted from the cap's setting on, and anew each day: around midnight two caps can go out.
    function setOutflowCap(address token, uint112 cap) external onlyOwner {
        outflowOf[token].cap = cap;
        emit OutflowCapSet(token, cap);
    }

    /// @notice Stops or resumes payouts.
    function setPaused(bool value) external onlyOwner {
        paused = value;
        emit PausedSet(value);
    }

    /// @notice Takes inventory out; no cap and no pause applies.
    /// @dev Not measured, so that tokens which take a fee can be taken out too.
    function withdraw(address token, address to, uint256 amount) external onlyOwner nonReentrant {
        if (to == address(this) || to == address(0)) revert InvalidRecipient(to);
        if (token == address(0)) payNative(to, amount);
        else payToken(token, to, amount);
        emit Withdrawn(token, to, amount);
    }

    /// @notice Refused: the vault always has an owner.
    function renounceOwnership() public view override onlyOwner {
        revert OwnerRequired();
    }

    /// @dev The one body of a step that pays, alone or in a bundle.
    function carryOut(bytes32 stepKey, Transfer[] calldata transfers, address account, Intent calldata intent) internal {
        if (paused) revert Paused();
        if (isFulfilled[stepKey]) revert AlreadyFulfilled(stepKey);
        isFulfilled[stepKey] = true;
        for (uint256 i; i < transfers.length; ++i) {
            Transfer calldata transfer = transfers[i];
            countOutflow(transfer.token, transfer.amount);
            payExactly(transfer.token, transfer.to, transfer.amount);
        }
        if (account != address(0)) executeAt(account, intent);
        emit Fulfilled(stepKey);
    }

    /// @dev Calls a step of a bundle. Not `isHandedOn`: it was not called, since its gas was not there in full; EIP-150
    /// hands on all but a 64th of what is left, and less than was asked for without a word. An account has to prove that
    /// it ran something, as in `executeAt`. `reason` is cut, so that no answer is too long to be logged.
    function run(address to, uint64 gasLimit, bytes calldata arguments)
        internal
        returns (bool isHandedOn, bool success, bytes memory reason)
    {
        bytes4 selector = to == address(this) ? this.fulfillStep.selector : IDelegate.execute.selector;
        uint256 executed;
        assembly ("memory-safe") {
            let free := mload(0x40)
            mstore(free, selector)
            calldatacopy(add(free, 4), arguments.offset, arguments.length)
            let left := gas()
            isHandedOn := iszero(lt(sub(left, div(left, 64)), add(gasLimit, CALL_GAS)))
            if isHandedOn {
                success := call(gasLimit, to, 0, free, add(arguments.length, 4), 0, 32)
                if gt(returndatasize(), 31) { executed := mload(0) }
                if iszero(success) {
                    let size := returndatasize()
                    if gt(size, ERROR_BYTES) { size := ERROR_BYTES }
                    reason := mload(0x40)
                    mstore(reason, size)
                    returndatacopy(add(reason, 32), 0, size)
                    mstore(0x40, and(add(add(reason, size), 63), not(31)))
                }
            }
        }
        if (success && to != address(this) && executed == 0) {
            success = false;
            reason = to.code.length == 0
                ? abi.encodeWithSelector(AccountNotDelegated.selector, to)
                : abi.encodeWithSelector(BatchNotExecuted.selector, to);
        }
    }

    /// @dev Has the account run the intent and proves that it did: a call to an account without code "succeeds", so
    /// code is required, and the delegate returns how many batches ran.
    function executeAt(address account, Intent calldata intent) internal {
        if (account.code.length == 0) revert AccountNotDelegated(account);
        bytes4 selector = IDelegate.execute.selector;
        bool success;
        uint256 executed;
        // The intent goes on as it came: its encoding counts all offsets from its own beginning, so that it may be cut
        // out of the calldata and whatever stands behind it is not read.
        assembly ("memory-safe") {
            let free := mload(0x40)
            let size := sub(calldatasize(), intent)
            mstore(free, selector)
            mstore(add(free, 4), 32)
            calldatacopy(add(free, 36), intent, size)
            success := call(gas(), account, 0, free, add(size, 36), 0, 32)
            if gt(returndatasize(), 31) { executed := mload(0) }
        }
        if (!success) bubble();
        if (executed == 0) revert BatchNotExecuted(account);
    }

    /// @dev Counts against the day's cap, where there is one.
    function countOutflow(address token, uint256 amount) internal {
        Outflow storage outflow = outflowOf[token];
        uint256 cap = outflow.cap;
        if (cap == 0) return;
        uint32 today = uint32(block.timestamp / 1 days);
        uint256 wanted = amount + (outflow.day == today ? outflow.spent : 0);
        if (wanted > cap) revert OutflowCapExceeded(token, cap, wanted);
        (outflow.spent, outflow.day) = (uint112(wanted), today);
    }

    /// @dev Pays exactly `amount`, or reverts: tokens are measured at the recipient, whatever they return.
    function payExactly(address token, address to, uint256 amount) internal {
        if (to == address(this) || to == address(0)) revert InvalidRecipient(to);
        if (token == address(0)) return payNative(to, amount);
        (bool isToken, uint256 before) = SafeTransferLib.checkBalanceOf(token, to);
        if (!isToken) revert TokenTransferFailed(token, to, amount);
        payToken(token, to, amount);
        uint256 balance = SafeTransferLib.balanceOf(token, to);
        uint256 received = balance > before ? balance - before : 0;
        if (received != amount) revert TransferAmountMismatch(token, to, amount, received);
    }

    /// @dev Native currency; what the recipient returns is not read.
    function payNative(address to, uint256 amount) internal {
        if (!SafeTransferLib.trySafeTransferETH(to, amount, gasleft())) {
            revert TokenTransferFailed(address(0), to, amount);
        }
    }

    /// @dev Tokens that return nothing will do, those that return anything but true will not. Their own errors go up.
    function payToken(address token, address to, uint256 amount) internal {
        (bool success, bytes memory result) = token.call(abi.encodeCall(IERC20.transfer, (to, amount)));
        if (!success) bubble();
        bool isTrue = result.length > 31 && uint256(bytes32(result)) == 1;
        bool isSilent = result.length == 0 && token.code.length != 0;
        if (!success || !(isTrue || isSilent)) revert TokenTransferFailed(token, to, amount);
    }

    /// @dev Reverts with what the last call reverted with, if that is an error at all.
    function bubble() internal pure {
        assembly ("memory-safe") {
            if gt(returndatasize(), 3) {
                let free := mload(0x40)
                returndatacopy(free, 0, returndatasize())
                revert(free, returndatasize())
            }
        }
    }
}
