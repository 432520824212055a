import type { Address, Hash } from 'viem'
import type { Mode, Status, StepRef, TokenTransfer } from './action.js'
import type { StepError } from './errors.js'

/** What the service tells of a step. Times are unix milliseconds. */
export type StepView = StepRef & {
  mode: Mode
  chainId: number
  status: Status
  /** Null until a transaction exists. */
  transactionHash: Hash | null
  /** Null until it is mined. */
  blockNumber: number | null
  confirmations: number
  requiredConfirmations: number
  attempts: number
  error: StepError | null
  createdAt: number
  updatedAt: number
}

/** What may be told of a chain batch: where it runs and what it is to move. */
export type BatchView = { chainId: number; tokenTransfers: TokenTransfer[] }

export type IntentView = {
  actionId: string
  intentIndex: number
  mode: Mode
  status: Status
  /** In the order of the steps. */
  chainBatches: BatchView[]
  steps: StepView[]
  createdAt: number
  updatedAt: number
}

export type ActionView = {
  actionId: string
  user: Address
  status: Status
  intents: IntentView[]
  createdAt: number
  updatedAt: number
}

/**
 * A change of a step; `sequence` counts 1, 2, 3 … per action, without a gap. `traceparent`: the trace of the request
 * that asked for the step last; null until one has.
 */
export type StepEvent = { sequence: number; step: StepView; traceparent: string | null }
