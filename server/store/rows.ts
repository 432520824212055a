import type { Knex } from 'knex'
import type { Address, Hash, Hex } from 'viem'
import { type Mode, nameOfStep, type Status, type StepRef } from '../domain/action.js'
import type { Airdrop } from '../domain/airdrop.js'
import type { StepErrorCode } from '../domain/errors.js'
import type { NotedSend } from '../domain/sendKind.js'
import type { StepKind } from '../domain/stepKind.js'
import type { StepView } from '../domain/views.js'
import type { Transaction } from './connection/database.js'

/** Rows as the drivers give them; see the migrations for what each column means. */
export type ActionRow = {
  id: string
  user: Address
  body_hash: Hash
  authorizations: string
  status: Status
  event_count: number
  created_at: number
  updated_at: number
}

export type IntentRow = {
  action_id: string
  intent_index: number
  mode: Mode
  intent: string
  batches: string
  signed_key: Hash | null
  signature_hash: Hash | null
  status: Status
  created_at: number
  updated_at: number
}

export type StepRow = {
  action_id: string
  intent_index: number
  step_index: number
  user: Address
  mode: Mode
  kind: StepKind
  chain_id: number
  status: Status
  transaction_hash: Hash | null
  block_number: number | null
  block_hash: Hash | null
  confirmations: number
  required_confirmations: number
  reopenings: number
  attempts: number
  excused: number
  reservation_rounds: number
  error_code: StepErrorCode | null
  error_message: string | null
  /** 0 or 1 */
  error_retryable: number | null
  step_key: Hash | null
  transaction_id: number | null
  /** 0 or 1 */
  alone: number
  open_account: string | null
  /** 0 or 1 */
  follow: number
  traceparent: string | null
  unseen_ms: number
  due_at: number | null
  created_at: number
  updated_at: number
}

/** What names a step, in any table that has rows of steps. */
export type StepKeyRow = Pick<StepRow, 'action_id' | 'intent_index' | 'step_index'>

export type CreditRow = {
  id: number
  chain_id: number
  transaction_hash: Hash
  log_index: number
  user: Address
  token: Address
  amount: string
  available: string
  reserved: string
  action_id: string | null
  /** 0 or 1 */
  is_open: number
  block_number: number
  block_hash: Hash
  /** 0 or 1 */
  is_lost: number
  created_at: number
}

export type ReservationRow = {
  action_id: string
  intent_index: number
  step_index: number
  credit_id: number
  amount: string
  status: 'reserved' | 'spent'
  created_at: number
}

export type BalanceRow = {
  user: Address
  chain_id: number
  token: Address
  available: string
  reserved: string
  wallet: string
}

export type LedgerRow = {
  id: number
  /** As `money/causes.ts` makes and reads it. */
  cause: string
  debit: string
  credit: string
  user: Address | null
  chain_id: number
  token: Address
  amount: string
  created_at: number
}

export type AirdropRow = {
  chain_id: number
  token: Address
  wallet: Address
  round: number
  amount: string
  status: Airdrop['status']
  transaction_hash: Hash | null
  transaction_id: number | null
  block_number: number | null
  block_hash: Hash | null
  error_message: string | null
  due_at: number | null
  asked_at: number
}

export type EventRow = {
  action_id: string
  sequence: number
  step: string
  created_at: number
}

export type TransactionRow = {
  id: number
  chain_id: number
  signer: Address
  nonce: number
  to_address: Address
  data: Hex
  authorizations: string
  gas_limit: number
  signed_for: string
  status: 'open' | 'final' | 'lost'
  mined_hash: Hash | null
  mined_block: number | null
  mined_block_hash: Hash | null
  send_outcome: NotedSend | null
  sent_at: number | null
  signed_at: number
  due_at: number | null
  created_at: number
  updated_at: number
}

/**
 * The table of signed forms, as its first migration named it: each row is one signed form of a transaction. The
 * attempts of a step are counted in `steps.attempts`.
 */
export const formsTable = 'attempts'

export type FormRow = {
  hash: Hash
  transaction_id: number
  raw: Hex
  max_fee_per_gas: string
  max_priority_fee_per_gas: string
  /** 0 or 1 */
  is_cancel: number
  created_at: number
}

/**
 * Names an attempt of a step in the ledger: by its number and, after reorganisations, by
 * how often the step was reopened.
 */
export function attemptOf(row: Pick<StepRow, 'attempts' | 'reopenings'>): string {
  return row.reopenings === 0 ? String(row.attempts) : `${row.attempts}.${row.reopenings}`
}

/** How many attempts of a step count against the limit. */
export function countedAttempts({ attempts, excused }: Pick<StepRow, 'attempts' | 'excused'>): number {
  return attempts - excused
}

/** The columns of a step that clients see, as `toStepView` shows them. */
export const stepViewColumns = [
  'action_id',
  'intent_index',
  'step_index',
  'mode',
  'chain_id',
  'status',
  'transaction_hash',
  'block_number',
  'confirmations',
  'required_confirmations',
  'attempts',
  'error_code',
  'error_message',
  'error_retryable',
  'created_at',
  'updated_at',
] as const satisfies (keyof StepRow)[]

/** The key columns of a step. */
export function stepKeyColumns(ref: StepRef) {
  return { action_id: ref.actionId, intent_index: ref.intentIndex, step_index: ref.stepIndex }
}

export function refOf(row: StepKeyRow): StepRef {
  return { actionId: row.action_id, intentIndex: row.intent_index, stepIndex: row.step_index }
}

/** Whether the step is known to be in this transaction and block. */
export function isPlacedAs(step: StepRow, mined: { hash: Hash; blockNumber: number }): boolean {
  return step.transaction_hash === mined.hash && step.block_number === mined.blockNumber
}

/** What `accountOf` gives for a step, as an SQL expression on a row of `steps`. `from` makes the expression. */
export function ownAccount(from: Pick<Transaction, 'raw'>): Knex.Raw {
  return from.raw("concat(??, ':', ??)", ['steps.chain_id', 'steps.user'])
}

/** What `whereBetween` takes for the values of a column that begin with `prefix`; they have no character above `~`. */
export function beginningWith<Column extends string>(column: Column, prefix: string): [Column, [string, string]] {
  return [column, [prefix, `${prefix}~`]]
}

/**
 * An SQL condition that holds for just these steps, at least one. For a list of row values MariaDB would use no index.
 */
export function areSteps(refs: readonly StepRef[]): { sql: string; bindings: (string | number)[] } {
  return {
    sql: `(${refs.map(() => '(action_id = ? AND intent_index = ? AND step_index = ?)').join(' OR ')})`,
    bindings: refs.flatMap(({ actionId, intentIndex, stepIndex }) => [actionId, intentIndex, stepIndex]),
  }
}

/** An SQL condition that holds for just these intents, at least one; each is named once, however often it is given. */
export function areIntents(intents: readonly Pick<StepRef, 'actionId' | 'intentIndex'>[]) {
  const named = new Map(intents.map((intent) => [nameOfIntent(intent), intent]))
  return {
    sql: `(${[...named].map(() => '(action_id = ? AND intent_index = ?)').join(' OR ')})`,
    bindings: [...named.values()].flatMap(({ actionId, intentIndex }) => [actionId, intentIndex]),
  }
}

/** An intent as a key of a map. */
export function nameOfIntent({ actionId, intentIndex }: Pick<StepRef, 'actionId' | 'intentIndex'>): string {
  return `${actionId}/${intentIndex}`
}

/** Rows of steps as a map, by `nameOfStep`. */
export function byName<Row extends StepKeyRow>(rows: readonly Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [nameOfStep(refOf(row)), row]))
}

export function toStepView(row: Pick<StepRow, (typeof stepViewColumns)[number]>): StepView {
  return {
    actionId: row.action_id,
    intentIndex: row.intent_index,
    stepIndex: row.step_index,
    mode: row.mode,
    chainId: row.chain_id,
    status: row.status,
    transactionHash: row.transaction_hash,
    blockNumber: row.block_number,
    confirmations: row.confirmations,
    requiredConfirmations: row.required_confirmations,
    attempts: row.attempts,
    error:
      row.error_code === null
        ? null
        : { code: row.error_code, message: row.error_message ?? '', retryable: Boolean(row.error_retryable) },
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
