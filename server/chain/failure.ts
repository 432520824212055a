import {
  type Abi,
  type AbiParameter,
  type Address,
  decodeErrorResult,
  getAddress,
  type Hex,
  parseAbi,
  toFunctionSelector,
} from 'viem'
import { delegateAbi, solverVaultAbi } from './generated/contracts.js'
import { longHex, onOneLine } from './nodes/redact.js'

/** A revert in words. */
export type Failure = {
  /** The error's name. Null: the revert has no data or nobody knows its selector. */
  name: string | null
  /** With the error's arguments, without signatures and calldata. */
  message: string
}

/** A chain of CallReverted may be as deep as a contract likes; nobody reads further than this. */
const maxDepth = 6
/**
 * How many bytes of revert data are decoded at most: a contract may revert with megabytes, at no cost to whoever asks
 * for it, and nobody's reason is as long.
 */
const longestDecoded = 16_384
/** How much of an unknown error's data is shown, in bytes. */
const shownBytes = 68

const panics: Record<string, string> = {
  '1': 'assertion failed',
  '17': 'arithmetic overflow or underflow',
  '18': 'division by zero',
  '33': 'invalid enum value',
  '34': 'invalid storage byte array',
  '49': 'pop on an empty array',
  '50': 'array index out of bounds',
  '65': 'out of memory',
  '81': 'call of an uninitialized function',
}

/** Errors that tokens throw: ERC-6093 (OpenZeppelin 5), its helpers, and Solady. */
const tokenErrors = parseAbi([
  'error Error(string reason)',
  'error Panic(uint256 code)',
  'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
  'error ERC20InvalidSender(address sender)',
  'error ERC20InvalidReceiver(address receiver)',
  'error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)',
  'error ERC20InvalidApprover(address approver)',
  'error ERC20InvalidSpender(address spender)',
  'error ERC2612ExpiredSignature(uint256 deadline)',
  'error ERC2612InvalidSigner(address signer, address owner)',
  'error SafeERC20FailedOperation(address token)',
  'error AddressEmptyCode(address target)',
  'error FailedCall()',
  'error FailedInnerCall()',
  'error InsufficientBalance(uint256 balance, uint256 needed)',
  'error OwnableUnauthorizedAccount(address account)',
  'error OwnableInvalidOwner(address owner)',
  'error EnforcedPause()',
  'error ExpectedPause()',
  'error ReentrancyGuardReentrantCall()',
  'error InsufficientBalance()',
  'error InsufficientAllowance()',
  'error TransferFailed()',
  'error TransferFromFailed()',
  'error ETHTransferFailed()',
  'error Unauthorized()',
  'error Reentrancy()',
])

/**
 * Our contracts' errors first: where two errors share a selector they share their form, and the first is as good as the
 * other.
 */
const knownErrors: Abi = [...delegateAbi, ...solverVaultAbi, ...tokenErrors].filter((item) => item.type === 'error')

const callReverted = toFunctionSelector('CallReverted(address,address,uint256,bytes,bytes)')

/** Explains revert data. What a call of the user's reverted with is unwrapped, so that he learns the inner reason. */
export function decodeRevert(data: Hex): Failure {
  return decode(data, 0)
}

function decode(data: Hex, depth: number): Failure {
  if (data === '0x') return { name: null, message: 'reverted without a reason' }
  const call = readCall(data)
  if (call) return callFailure(call, depth)
  const known = data.length <= 2 + 2 * longestDecoded ? decodeKnown(data) : null
  if (!known) return unknownFailure(data)
  const { name, inputs, values } = known
  const args = values.map((value, index) => show(value, inputs[index]))
  if (name === 'Error') return { name, message: args[0] || 'reverted with an empty reason' }
  if (name === 'Panic') {
    const code = args[0] ?? ''
    return { name, message: `panic 0x${Number(code).toString(16)}: ${panics[code] ?? 'unknown code'}` }
  }
  const named = args.map((arg, index) => (inputs[index]?.name ? `${inputs[index].name}: ${arg}` : arg))
  return { name, message: `${name}(${named.join(', ')})` }
}

function decodeKnown(data: Hex): { name: string; inputs: readonly AbiParameter[]; values: readonly unknown[] } | null {
  try {
    const { abiItem, errorName, args } = decodeErrorResult({ abi: knownErrors, data })
    const inputs = abiItem.type === 'error' ? abiItem.inputs : []
    return { name: errorName, inputs, values: (args ?? []) as readonly unknown[] }
  } catch {
    return null
  }
}

type RevertedCall = { to: Address; value: bigint; data: Hex; errorMessage: Hex }

/**
 * Reads CallReverted(account, to, value, data, errorMessage), of which nothing is copied, however long. Null: it is
 * another error.
 */
function readCall(data: Hex): RevertedCall | null {
  if (!data.startsWith(callReverted)) return null
  const begin = callReverted.length
  const word = (at: number) => data.slice(begin + 2 * at, begin + 2 * at + 64)
  const number = (at: number) => (word(at).length === 64 ? Number(`0x${word(at)}`) : Infinity)
  const bytes = (place: number): Hex | null => {
    const at = number(place)
    const text = begin + 2 * (at + 32)
    const end = text + 2 * number(at)
    return end <= data.length ? `0x${data.slice(text, end)}` : null
  }
  const [called, errorMessage] = [bytes(96), bytes(128)]
  if (called === null || errorMessage === null) return null
  return { to: `0x${word(32).slice(24)}`, value: BigInt(`0x${word(64)}`), data: called, errorMessage }
}

/** Says which call has failed, and why by its own words. */
function callFailure({ to, value, data, errorMessage }: RevertedCall, depth: number): Failure {
  const inner: Failure =
    depth < maxDepth ? decode(errorMessage, depth + 1) : { name: null, message: 'more calls inside' }
  const target = getAddress(to)
  const selector = data.length >= 10 ? ` ${data.slice(0, 10)}` : ''
  const paying = value > 0n ? ` with ${value} wei` : ''
  return {
    name: 'CallReverted',
    message: onOneLine(`call${selector} to ${target}${paying} reverted: ${inner.message}`),
  }
}

function unknownFailure(data: Hex): Failure {
  const bytes = (data.length - 2) / 2
  if (bytes < 4) return { name: null, message: `reverted with data ${data}` }
  const shown = bytes > shownBytes ? `${data.slice(0, 2 + 2 * shownBytes)}… (${bytes} bytes)` : data
  return { name: null, message: `unknown error ${data.slice(0, 10)}, data ${shown}` }
}

/** Signatures stay secret, and calldata may hold some: of byte strings only the length is told. */
function show(value: unknown, input: AbiParameter | undefined): string {
  if (input?.type === 'bytes') return `[${((value as Hex).length - 2) / 2} bytes]`
  if (typeof value === 'string') return onOneLine(value)
  if (typeof value === 'bigint' || typeof value === 'number' || typeof value === 'boolean') return String(value)
  const plain = (_key: string, entry: unknown) => (typeof entry === 'bigint' ? String(entry) : entry)
  return onOneLine(JSON.stringify(value, plain).replace(longHex, '[bytes]'))
}
