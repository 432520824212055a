// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ownable, Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {IDelegate, Intent} from "./Intent.sol";

/// @title The solver's inventory on one chain.
/// @notice Users pay it; operators pay users out of it, each step once. Operators can do nothing else: no arbitrary call
/// leaves the vault. The owner, a cold key, sets operators and caps, pauses and withdraws.
contract SolverVault is Ownable2Step, ReentrancyGuardTransient {
    /// @dev A payment out of the vault; the zero address is the native currency.
    struct Transfer {
        address to;
        address token;
        uint256 amount;
    }

    /// @dev How much operators may pay and have paid of a token on a day (unix days). A cap of 0 is none.
    struct Outflow {
        uint96 cap;
        uint96 spent;
        uint64 day;
    }

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
    /// @dev The account ran nothing.
    error BatchNotExecuted(address account);
    /// @dev The token's daily cap would be exceeded.
    error OutflowCapExceeded(address token, uint256 cap, uint256 wanted);
    /// @dev The owner has paused payouts.
    error Paused();
    /// @dev The caller may not pay out.
    error NotOperator(address caller);
    /// @dev The token refused the transfer, or the native currency was not taken.
    error TokenTransferFailed(address token, address to, uint256 amount);
    /// @dev The recipient got something else than was sent, as with tokens that take a fee.
    error TransferAmountMismatch(address token, address to, uint256 expected, uint256 actual);
    /// @dev The vault pays nothing to itself or to nobody.
    error InvalidRecipient(address to);

    /// @dev The step has been carried out.
    event Fulfilled(bytes32 indexed stepKey);
    /// @dev Native currency came in; receipts tell it from nothing else.
    event NativeReceived(address indexed from, uint256 amount);
    event OperatorSet(address indexed operator, bool allowed);
    event OutflowCapSet(address indexed token, uint256 cap);
    event PausedSet(bool paused);
    event Withdrawn(address indexed token, address indexed to, uint256 amount);

    /// @dev The owner is given, not taken from the caller, so that the address is the same on every chain.
    constructor(address owner) Ownable(owner) {}

    receive() external payable {
        emit NativeReceived(msg.sender, msg.value);
    }

    /// @notice Pays the transfers, then, unless `account` is zero, has the account run its intent. All or nothing, and
    /// once per key.
    /// @dev What the account returns is proof enough: a call to an account without code "succeeds", so code is required,
    /// and the delegate says how many batches ran.
    function fulfill(bytes32 stepKey, Transfer[] calldata transfers, address account, Intent calldata intent)
        external
        nonReentrant
    {
        if (!isOperator[msg.sender]) revert NotOperator(msg.sender);
        if (paused) revert Paused();
        if (isFulfilled[stepKey]) revert AlreadyFulfilled(stepKey);
        isFulfilled[stepKey] = true;
        for (uint256 i; i < transfers.length; ++i) {
            countOutflow(transfers[i].token, transfers[i].amount);
            pay(transfers[i].token, transfers[i].to, transfers[i].amount);
        }
        if (account != address(0)) executeAt(account, intent);
        emit Fulfilled(stepKey);
    }

    /// @notice Allows or forbids an operator.
    function setOperator(address operator, bool allowed) external onlyOwner {
        isOperator[operator] = allowed;
        emit OperatorSet(operator, allowed);
    }

    /// @notice Limits what operators can pay of a token per day, in its smallest unit. 0: no limit.
    function setOutflowCap(address token, uint96 cap) external onlyOwner {
        outflowOf[token].cap = cap;
        emit OutflowCapSet(token, cap);
    }

    /// @notice Stops or resumes payouts.
    function setPaused(bool value) external onlyOwner {
        paused = value;
        emit PausedSet(value);
    }

    /// @notice Takes inventory out; no cap and no pause applies.
    function withdraw(address token, address to, uint256 amount) external onlyOwner nonReentrant {
        pay(token, to, amount);
        emit Withdrawn(token, to, amount);
    }

    /// @dev Has the account run the intent and proves that it did.
    function executeAt(address account, Intent calldata intent) internal {
        if (account.code.length == 0) revert AccountNotDelegated(account);
        (bool success, bytes memory result) = account.call(abi.encodeCall(IDelegate.execute, (intent)));
        if (!success) bubble(result, BatchNotExecuted.selector, account);
        if (result.length < 32 || abi.decode(result, (uint256)) == 0) revert BatchNotExecuted(account);
    }

    /// @dev Counts against the day's cap, where there is one.
    function countOutflow(address token, uint256 amount) internal {
        Outflow storage outflow = outflowOf[token];
        uint256 cap = outflow.cap;
        if (cap == 0) return;
        uint64 today = uint64(block.timestamp / 1 days);
        uint256 wanted = amount + (outflow.day == today ? outflow.spent : 0);
        if (wanted > cap) revert OutflowCapExceeded(token, cap, wanted);
        (outflow.spent, outflow.day) = (uint96(wanted), today);
    }

    /// @dev Pays exactly `amount`, or reverts: measured at the recipient, whatever the token returns.
    function pay(address token, address to, uint256 amount) internal {
        if (to == address(this) || to == address(0)) revert InvalidRecipient(to);
        if (token == address(0)) {
            (bool sent,) = to.call{value: amount}("");
            if (!sent) revert TokenTransferFailed(token, to, amount);
            return;
        }
        uint256 before = IERC20(token).balanceOf(to);
        (bool success, bytes memory result) = token.call(abi.encodeCall(IERC20.transfer, (to, amount)));
        if (!success && result.length >= 4) bubble(result, 0, address(0));
        bool refused = result.length != 0 && (result.length < 32 || abi.decode(result, (uint256)) != 1);
        if (!success || refused) revert TokenTransferFailed(token, to, amount);
        uint256 received = IERC20(token).balanceOf(to) - before;
        if (received != amount) revert TransferAmountMismatch(token, to, amount, received);
    }

    /// @dev Reverts with what a call returned, or with our own error when it returned nothing.
    function bubble(bytes memory result, bytes4 otherwise, address account) internal pure {
        if (result.length == 0) {
            assembly {
                mstore(0, otherwise)
                mstore(4, account)
                revert(0, 36)
            }
        }
        assembly {
            revert(add(result, 32), mload(result))
        }
    }
}
