import type { Address, Hex } from 'viem'
import type { Call, SignedAuthorization, TokenTransfer } from './digests.js'
import { askedAt, IntentConnectionError, IntentError } from './errors.js'
import type { SignedIntent } from './sign.js'
import type { Wire } from './wire.js'

/** The bodies whose amounts are `bigint` here and strings of digits in the JSON, and the ways between. */

/** An intent that the user pays with transactions of his own and that the solver fulfils. */
export type OnDemandIntent = {
  mode: 'non-7702:on-demand'
  chainBatches: readonly { chainId: number; tokenTransfers: readonly TokenTransfer[]; call: Call }[]
}

/** Accepted by the service, not executable. */
export type PresignIntent = {
  mode: 'non-7702:presign'
  chainBatches: readonly {
    chainId: number
    tokenTransfers: readonly TokenTransfer[]
    call: Call & { signature: Hex }
  }[]
}

/** An intent, told apart by its `mode`. */
export type IntentRequest = SignedIntent | OnDemandIntent | PresignIntent

/** An EIP-7702 authorization, as `signAuthorization` gives it, viem's too. */
export type ChainAuthorization = SignedAuthorization

/** An action to create. */
export type ActionRequest = { user: Address } & (
  | {
      /** Required with an intent of mode `7702`; `[]` when the account is delegated wherever it needs to be. */
      chainAuthorizations: readonly ChainAuthorization[]
      intents: readonly IntentRequest[]
    }
  | { chainAuthorizations?: undefined; intents: readonly Exclude<IntentRequest, { mode: '7702' }>[] }
)

export type Intent = Omit<Wire.Intent, 'chainBatches'> & {
  /** What each step is to move, in the order of the steps. */
  chainBatches: { chainId: number; tokenTransfers: TokenTransfer[] }[]
}

export type Action = Omit<Wire.Action, 'intents'> & {
  /** In the order of the request. */
  intents: Intent[]
}

export type ActionPage = Omit<Wire.ActionPage, 'actions'> & { actions: Action[] }

export type LegacyTransactionRequest = Omit<Wire.LegacyTransactionRequest, keyof LegacyParts | 'tokenAmount'> &
  LegacyParts & {
    /** Taken for compatibility and not used. */
    tokenAmount?: bigint | undefined
  }

type LegacyParts = {
  address: Address
  authorization: readonly (Omit<ChainAuthorization, 'chainId'> & { chainId: number | string })[]
  intentAuthorization: Omit<Wire.LegacyIntentAuthorization, 'chainBatches'> & {
    chainBatches: readonly { hash: Hex; chainId: number | string; calls: readonly Call[] }[]
  }
}

export type Token = Omit<Wire.Token, 'airdrop'> & {
  /** What `requestAirdrop` gives, at most, once for each wallet and period. Null: nothing. */
  airdrop: {
    /** In the token's smallest unit. */
    amount: bigint
    periodSeconds: number
  } | null
}

export type Chain = Omit<Wire.Chain, 'tokens'> & {
  /** What the solver can pay there, the native currency included. */
  tokens: Token[]
}

export type Lane = Omit<Wire.Lane, 'balance'> & {
  /** Its native currency for gas, in wei; null if the chain does not answer. */
  balance: bigint | null
}

export type ChainHealth = Omit<Wire.ChainHealth, 'solverBalance' | 'lanes'> & {
  /** What the vault holds, by the token's `id`, in its smallest unit; null if the chain does not answer. */
  solverBalance: Record<string, bigint> | null
  lanes: Lane[]
}

export type HealthReport = Omit<Wire.HealthReport, 'chains'> & { chains: ChainHealth[] }

export type DepositRequest = Omit<Wire.DepositRequest, 'amount'> & {
  /** In the token's smallest unit. */
  amount: bigint
}

export type DepositRecord = Omit<Wire.DepositRecord, 'amount'> & {
  /** In the token's smallest unit. */
  amount: bigint
}

export type TokenBalance = Omit<Wire.TokenBalance, 'amount' | 'available' | 'reserved'> & {
  /** What is recorded and neither withdrawn nor spent, in the token's smallest unit. */
  amount: bigint
  /** The part that can fund solver transfers now, in the token's smallest unit. */
  available: bigint
  /** The part that is set aside for steps under way, in the token's smallest unit. */
  reserved: bigint
}

/** For `JSON.stringify`: a `bigint` in digits, whatever `toJSON` it may have been given. */
export function inDigits(this: Record<string, unknown>, name: string, value: unknown): unknown {
  const own = this[name]
  return typeof own === 'bigint' ? String(own) : value
}

/** A request for `createAction` as text, to be kept; `JSON.stringify` takes no `bigint`. */
export function serializeRequest(request: ActionRequest): string {
  return JSON.stringify(request, inDigits)
}

/** What `serializeRequest` has made, as `createAction` takes it. */
export function parseRequest(text: string): ActionRequest {
  const amounts = new Set(['amount', 'value'])
  return JSON.parse(text, (name, value: unknown) =>
    amounts.has(name) && typeof value === 'string' ? BigInt(value) : value,
  ) as ActionRequest
}

/** A part of an answer with its amounts as `bigint`; rejects for what the spec does not have. */
const reading =
  <From, To>(what: string, convert: (value: From) => To) =>
  (value: From): To => {
    try {
      return convert(value)
    } catch (cause) {
      throw cause instanceof IntentError
        ? cause
        : new IntentConnectionError(`The answer has a broken ${what}; ${askedAt}`, cause)
    }
  }

export const intentFrom = reading('intent', (intent: Wire.Intent): Intent => {
  // What follows the steps takes each for one.
  for (const step of intent.steps) text(step.status)
  return {
    ...intent,
    chainBatches: intent.chainBatches.map((batch) => ({
      ...batch,
      tokenTransfers: batch.tokenTransfers.map((transfer) => withBigints(transfer, 'amount')),
    })),
  }
})

export const actionFrom = reading('action', (action: Wire.Action): Action => ({
  ...action,
  intents: action.intents.map(intentFrom),
}))

export const chainFrom = reading('chain', ({ tokens, ...chain }: Wire.Chain): Chain => {
  // A contract that is not there could not be told from one that has not changed.
  text(chain.delegate)
  text(chain.solver)
  return {
    ...chain,
    tokens: tokens.map(({ airdrop, ...token }) => ({
      ...token,
      airdrop: airdrop && withBigints(airdrop, 'amount'),
    })),
  }
})

export const healthFrom = reading('report', ({ chains, ...report }: Wire.HealthReport): HealthReport => ({
  ...report,
  chains: chains.map(({ solverBalance, lanes, ...chain }) => ({
    ...chain,
    solverBalance: solverBalance && withBigints(solverBalance, ...Object.keys(solverBalance)),
    lanes: lanes.map((lane) => ({ ...lane, balance: lane.balance === null ? null : amountFrom(lane.balance) })),
  })),
}))

export const depositFrom = reading('record', (record: Wire.DepositRecord): DepositRecord =>
  withBigints(record, 'amount'),
)

export const balanceFrom = reading('balance', (balance: Wire.TokenBalance): TokenBalance =>
  withBigints(balance, 'amount', 'available', 'reserved'),
)

export const airdropFrom = reading('amount', amountFrom)

function withBigints<T extends Record<K, string>, K extends string>(
  value: T,
  ...keys: K[]
): Omit<T, K> & Record<K, bigint> {
  return { ...value, ...(Object.fromEntries(keys.map((key) => [key, amountFrom(value[key])])) as Record<K, bigint>) }
}

/** `BigInt` alone would take nothing, and blanks, for 0. */
function amountFrom(digits: string): bigint {
  if (/^[0-9]+$/.test(text(digits))) return BigInt(digits)
  throw new TypeError('No number.')
}

function text(value: string): string {
  if (typeof value === 'string') return value
  throw new TypeError('No text.')
}
