import type { Address, Hash } from 'viem'
import type { ServiceErrorCode } from './errors.js'

/** A deposit or withdrawal as a client reports it. */
export type DepositReport = {
  user: Address
  chainId: number
  transactionHash: Hash
  /** Who the tokens came from. */
  sender: Address
  token: Address
  /** In the token's smallest unit. */
  amount: bigint
  /** False: a withdrawal. */
  isDeposit: boolean
}

/** Where the tokens went to or came from: the solver's vault, or the user's own account. */
export type Custody = 'vault' | 'wallet'

/** What is known of a report. Times are unix milliseconds. */
export type DepositView = DepositReport & {
  status: 'pending' | 'recorded' | 'refused'
  /** Null until it is recorded. */
  custody: Custody | null
  confirmations: number
  requiredConfirmations: number
  /** Why it is refused; null unless it is. */
  error: { code: ServiceErrorCode; message: string } | null
  recordedAt: number | null
}

/** A movement of a report's token between its parties, as the transaction's receipt tells of it. */
export type Movement = {
  /** -1 for the transaction's own value. */
  logIndex: number
  /** In the token's smallest unit. */
  amount: bigint
}

/**
 * Which of the movements that are not recorded yet a report of this amount stands for: the first one of just that
 * amount, else all of them if that is their sum. Null: neither.
 */
export function chooseMovements<T extends Movement>(open: readonly T[], amount: bigint): T[] | null {
  const one = open.find((movement) => movement.amount === amount)
  if (one) return [one]
  const sum = open.reduce((total, movement) => total + movement.amount, 0n)
  return open.length > 0 && sum === amount ? [...open] : null
}
