import { type Abi, type AbiParameter, decodeErrorResult, type Hex, parseAbi } from 'viem'
import { delegateAbi, solverVaultAbi } from './generated/contracts.js'

/** A revert in words. */
export type Failure = {
  /** The error's name. Null: the revert has no data or nobody knows its selector. */
  name: string | null
  /** Its arguments, fit for JSON, without signatures and calldata. */
  args: string[]
  message: string
}

/** A chain of CallReverted may be as deep as a contract likes; nobody reads further than this. */
const maxDepth = 6
const longestText = 300
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

/** Ours first: where two errors share a selector they share their form, and the first is as good as the other. */
const knownErrors: Abi = [...delegateAbi, ...solverVaultAbi, ...tokenErrors].filter((item) => item.type === 'error')

/** Explains revert data. What a call of the user's reverted with is unwrapped, so that he learns the inner reason. */
export function decodeRevert(data: Hex): Failure {
  return decode(data, 0)
}

function decode(data: Hex, depth: number): Failure {
  if (data === '0x') return { name: null, args: [], message: 'reverted without a reason' }
  const known = decodeKnown(data)
  if (!known) return unknownFailure(data)
  const { name, inputs, values } = known
  if (name === 'CallReverted') return callFailure(values, depth)

  const args = values.map((value, index) => show(value, inputs[index]))
  if (name === 'Error') return { name, args, message: args[0] || 'reverted with an empty reason' }
  if (name === 'Panic') {
    const code = args[0] ?? ''
    return { name, args, message: `panic 0x${Number(code).toString(16)}: ${panics[code] ?? 'unknown code'}` }
  }
  const named = args.map((arg, index) => (inputs[index]?.name ? `${inputs[index].name}: ${arg}` : arg))
  return { name, args, message: `${name}(${named.join(', ')})` }
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

/** CallReverted(account, to, value, data, errorMessage): which call, and why by its own words. */
function callFailure(values: readonly unknown[], depth: number): Failure {
  const [account, to, value, data, errorMessage] = values as [Hex, Hex, bigint, Hex, Hex]
  const inner: Failure =
    depth < maxDepth ? decode(errorMessage, depth + 1) : { name: null, args: [], message: 'more calls inside' }
  const target = to.toLowerCase()
  const selector = data.length >= 10 ? ` ${data.slice(0, 10)}` : ''
  const paying = value > 0n ? ` with ${value} wei` : ''
  return {
    name: 'CallReverted',
    args: [account.toLowerCase(), target, value.toString(), data.slice(0, 10), inner.message],
    message: shorten(`call${selector} to ${target}${paying} reverted: ${inner.message}`),
  }
}

function unknownFailure(data: Hex): Failure {
  const bytes = (data.length - 2) / 2
  if (bytes < 4) return { name: null, args: [data], message: `reverted with data ${data}` }
  const shown = bytes > shownBytes ? `${data.slice(0, 2 + 2 * shownBytes)}… (${bytes} bytes)` : data
  const selector = data.slice(0, 10)
  return { name: null, args: [selector, shown], message: `unknown error ${selector}, data ${shown}` }
}

/** Signatures stay secret, and calldata may hold some: of byte strings only the length is told. */
function show(value: unknown, input: AbiParameter | undefined): string {
  if (input?.type === 'bytes') return `[${((value as Hex).length - 2) / 2} bytes]`
  if (typeof value === 'string') return shorten(input?.type === 'address' ? value.toLowerCase() : value)
  if (typeof value === 'bigint' || typeof value === 'number' || typeof value === 'boolean') return String(value)
  const plain = (_key: string, entry: unknown) => (typeof entry === 'bigint' ? String(entry) : entry)
  return shorten(JSON.stringify(value, plain).replace(/0x[0-9a-f]{65,}/gi, '[bytes]'))
}

/** A reason is whatever a contract chose to say. */
function shorten(text: string): string {
  const clean = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  return clean.length > longestText ? `${clean.slice(0, longestText)}…` : clean
}

/** Whether a node refuses a transaction because its signer can't pay for it; see `sendAnswers` for who says what. */
export function saysUnfunded(text: string): boolean {
  return /insufficient ?funds|upfront cost exceeds account balance|overdraws from account/i.test(text)
}
