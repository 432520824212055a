import type { Address, Hash } from 'viem'
import { nameOfStep, type StepAttempt, type StepRef } from '../../domain/action.js'
import type { StepError } from '../../domain/errors.js'
import { isExcused, mayTryAgain } from '../../domain/request.js'
import type { SolverNeed } from '../../domain/solverNeeds.js'
import type { StepView } from '../../domain/views.js'
import { type AirdropResult, settleAirdrop } from '../airdrops.js'
import {
  bookLate,
  bookResult,
  exposePayouts,
  readPayoutsOf,
  type StepOutcome,
  type StepResult,
  tookEffect,
} from './bookResult.js'
import { drawingSteps } from '../money/credits.js'
import { type Database, type Transaction } from '../connection/database.js'
import { isBindingSigned, claimForAction } from '../money/payments.js'
import {
  attemptOf,
  byName,
  countedAttempts,
  refOf,
  stepKeyColumns,
  type StepRow,
  toStepView,
  type TransactionRow,
} from '../rows.js'
import { changeAndRead, changeStep, hurryNext, nextAttempt, type StepChange } from '../actions/stepChange.js'
import { lockedSteps } from '../actions/steps.js'

/**
 * Ends an attempt that no journalled transaction carries: a verified payment, or a failure before anything
 * was sent. `stale`: the attempt has ended, or a transaction carries the step by now, or it was asked for
 * again or opened by a reorganisation.
 */
export async function settleStep(
  database: Database,
  { ref, attempt }: StepAttempt,
  result: StepResult,
  now: number,
): Promise<'settled' | 'stale'> {
  const settle = async (trx: Transaction) => {
    const row = await trx.lock(trx<StepRow>('steps').where(stepKeyColumns(ref))).first()
    if (row?.status !== 'executing' || row.transaction_id !== null || attemptOf(row) !== attempt) return 'stale'
    // The user may have registered another transaction since the result's one was looked at.
    if (row.kind === 'payment' && row.transaction_hash !== result.transactionHash) return 'stale'
    const refused = await refuseUsed(trx, row, result)
    // The step was carried out by somebody else, or by a transaction that the journal has
    // lost: nobody asked for credit then.
    if (tookEffect(refused) && refused.payouts.length > 0) {
      const drawn = await trx.together(...drawingSteps(trx, [ref]))
      if (drawn.flat().length === 0) await exposePayouts(trx, row, refused, now)
    }
    await bookResult(trx, row, refused, now)
    await endSteps(trx, [{ row, result: refused }], now)
    return 'settled'
  }
  return database.transact(settle, { looksAgain: true })
}

/**
 * Turns a payment's success into an error where its transaction has become credit elsewhere,
 * unless the user's signature wins.
 */
async function refuseUsed(trx: Transaction, row: StepRow, result: StepResult): Promise<StepResult> {
  if (row.kind !== 'payment' || result.status !== 'success') return result
  const ref = refOf(row)
  const signed = await isBindingSigned(trx, ref)
  const payment = { chainId: row.chain_id, hash: result.transactionHash, user: row.user, ref, signed }
  if (await claimForAction(trx, payment)) return result
  const message = 'This transaction already backs a step or a recorded deposit.'
  return {
    status: 'error',
    error: { code: 'transaction_already_used', message, retryable: true },
    transactionHash: result.transactionHash,
    blockNumber: result.blockNumber,
  }
}

/** What came of a transaction of the journal, and of the steps and the airdrop that it carries. */
type Settled = {
  transactionId: number
  mined: { hash: Hash; blockNumber: number; blockHash: Hash }
  /** `needs`: the credit that a step's transfers need, in case it has given its own back; null: nobody can tell. */
  results: { ref: StepRef; result: StepOutcome; needs: SolverNeed[] | null }[]
  airdrop: AirdropResult | null
}

/**
 * Ends a transaction and the steps that it carries, with money, successors and events, all at once and once only.
 * Answers with the steps that have ended. `stale`: the transaction has ended already, or carries something that
 * `settled` says nothing of, and is to be looked at anew.
 */
export async function settleTransaction(
  database: Database,
  settled: Settled,
  now: number,
): Promise<{ outcome: 'settled'; steps: StepView[] } | { outcome: 'stale' }> {
  return database.transact(
    async (trx) => {
      const key = { id: settled.transactionId }
      const refs = settled.results.map(({ ref }) => ref)
      const carried = { transaction_id: settled.transactionId, status: 'executing' } as const
      const [[transaction], open, airdrops, steps = [], ...drawn] = await trx.together(
        trx.lock(trx<TransactionRow>('transactions').where(key)),
        trx<StepRow>('steps').where(carried).select('action_id', 'intent_index', 'step_index'),
        trx<{ wallet: Address }>('airdrops').where(carried).select('wallet'),
        ...(refs.length > 0 ? ([lockedSteps(trx, refs), ...drawingSteps(trx, refs)] as const) : []),
      )
      if (transaction?.status !== 'open') return { outcome: 'stale' }
      // The results were made from what was read before: a step may have been settled in
      // another block then, and undone since.
      const told = new Set(refs.map(nameOfStep))
      const isMissing = open.some((row) => !told.has(nameOfStep(refOf(row))))
      if (isMissing || (airdrops.length > 0 && !settled.airdrop)) return { outcome: 'stale' }
      const mined = {
        status: 'final',
        mined_hash: settled.mined.hash,
        mined_block: settled.mined.blockNumber,
        mined_block_hash: settled.mined.blockHash,
        due_at: null,
        updated_at: now,
      }
      trx.later(trx('transactions').where(key).update(mined))
      const ended = await bookResults(trx, settled, { rows: byName(steps), drawing: byName(drawn.flat()) }, now)
      const changed = await endSteps(trx, ended, now)
      const carrier = { id: settled.transactionId, hash: settled.mined.hash }
      if (settled.airdrop) await settleAirdrop(trx, settled.airdrop, carrier, now)
      return { outcome: 'settled', steps: changed.map(toStepView) }
    },
    { patient: false, looksAgain: true },
  )
}

/**
 * Books each step's result, unless that is booked already, and tells which steps ended.
 * `drawing`: those that draw on credit.
 */
async function bookResults(
  trx: Transaction,
  { transactionId, mined, results }: Settled,
  { rows, drawing }: { rows: ReadonlyMap<string, StepRow>; drawing: ReadonlyMap<string, unknown> },
  now: number,
): Promise<Ended[]> {
  const ended: Ended[] = []
  const isAnothers = (result: StepResult) => tookEffect(result) && result.transactionHash !== mined.hash
  const userOf = ({ ref }: { ref: StepRef }) => rows.get(nameOfStep(ref))?.user ?? ''
  // Ordered by user, as in every settlement, so that no two settlements wait for each other's locked balances.
  const byUser = [...results].sort((a, b) => (userOf(a) < userOf(b) ? -1 : Number(userOf(a) > userOf(b))))
  for (const { ref, result, needs } of byUser) {
    const row = rows.get(nameOfStep(ref))
    if (!row || row.status === 'success') continue
    const isCarried = row.transaction_id === transactionId
    if (result.status === 'alone') {
      if (isCarried) await carryOutAlone(trx, row, now)
      continue
    }
    const isOpen = isCarried && row.status === 'executing'
    // A step that was undone before may have paid without credit, and pay so again: `bookLate` sees to that.
    if (isOpen && (row.reopenings === 0 || !tookEffect(result))) {
      await bookResult(trx, row, result, now, { draws: drawing.has(nameOfStep(ref)) })
      ended.push({ row, result, isAnothers: isAnothers(result) })
    } else if (tookEffect(result) && (isCarried || !(await isBookedElsewhere(trx, row)))) {
      trx.later(trx('steps').where(stepKeyColumns(ref)).update({ transaction_id: transactionId }))
      const late = await bookLate(trx, row, { result, needs }, now)
      ended.push({ row: late, result, isAnothers: isAnothers(result) })
    }
  }
  return ended
}

/** `isAnothers`: another transaction has carried the step out, so its success depends on that transaction's block. */
type Ended = { row: StepRow; result: StepResult; isAnothers?: boolean }

/**
 * Writes how steps have ended; steps that ended alike, as those of a bundle mostly do, are written by one statement.
 */
async function endSteps(trx: Transaction, ended: readonly Ended[], now: number): Promise<StepRow[]> {
  const changes = ended.map(({ row, result, isAnothers }) => ({
    ref: refOf(row),
    change: { ...endOf(row, result), ...(isAnothers && { transaction_id: null }) },
  }))
  const { changed, all } = await changeAndRead(trx, changes, now)
  await goOnToSuccessors(trx, ended, byName(all), now)
  return changed
}

function endOf(row: StepRow, result: StepResult): StepChange {
  return {
    status: result.status,
    transaction_hash: result.transactionHash ?? row.transaction_hash,
    block_number: result.blockNumber,
    block_hash: result.blockHash ?? null,
    confirmations: result.confirmations ?? row.confirmations,
    error: result.status === 'success' ? null : finalError(result, row),
    ...(isExcusedResult(result) && { excused: row.excused + 1 }),
    open_account: null,
    due_at: null,
  }
}

/**
 * Whether this result is booked already, or will be. A step that has ended: it is booked if the ledger has a payout of
 * its newest attempt. An executing step: the open transaction that carries it now will book it, since it meets what
 * this one has done. (An open transaction of a step that has ended is not bound to book anything more of it.)
 */
async function isBookedElsewhere(trx: Transaction, row: StepRow): Promise<boolean> {
  if (row.status !== 'executing') return (await readPayoutsOf(trx, row)).length > 0
  if (row.transaction_id === null) return false
  const open = await trx<TransactionRow>('transactions').where({ id: row.transaction_id, status: 'open' }).first('id')
  return open !== undefined
}

/**
 * Has a step go on in a transaction of its own, as the same attempt: its credit stays set aside, and its account taken.
 * A step that has ended meanwhile stays as it is.
 */
async function carryOutAlone(trx: Transaction, row: StepRow, now: number): Promise<void> {
  if (row.status !== 'executing') return
  const unsent = { transaction_id: null, transaction_hash: null, block_number: null, confirmations: 0 }
  await changeStep(trx, refOf(row), { ...unsent, alone: 1, due_at: { inMs: 0 } }, now)
}

/** The error to store: after the last attempt that is allowed, it is not retryable. */
function finalError(result: Exclude<StepResult, { status: 'success' }>, row: StepRow): StepError {
  const { error } = result
  const attempts = countedAttempts(row) - (isExcusedResult(result) ? 1 : 0)
  return { ...error, retryable: mayTryAgain({ error, attempts }) }
}

/** Whether the attempt doesn't count. One that was mined has cost gas, so it counts whatever its error is. */
function isExcusedResult(result: StepResult): boolean {
  return result.status !== 'success' && result.blockNumber === null && isExcused(result.error)
}

/**
 * Makes the step after each ended one due at once if it is executing, or asks for it if it follows a payment by itself.
 * `steps`: all steps of the same intents, by `nameOfStep`.
 */
async function goOnToSuccessors(
  trx: Transaction,
  ended: readonly Ended[],
  steps: ReadonlyMap<string, StepRow>,
  now: number,
): Promise<void> {
  for (const { row, result } of ended) {
    const next = steps.get(nameOfStep({ ...refOf(row), stepIndex: row.step_index + 1 }))
    if (next) await goOn(trx, { next, before: row, succeeded: result.status === 'success' }, now)
  }
}

async function goOn(
  trx: Transaction,
  { next, before, succeeded }: { next: StepRow; before: StepRow; succeeded: boolean },
  now: number,
): Promise<void> {
  const goesOn = succeeded && Boolean(before.follow) && next.kind === 'fulfilment'
  if (next.status === 'executing') {
    hurryNext(trx, refOf(before))
    const nextKey = stepKeyColumns(refOf(next))
    if (goesOn) trx.later(trx('steps').where(nextKey).update({ follow: 1 }))
    return
  }
  const askable =
    next.status === 'created' || mayTryAgain({ error: toStepView(next).error, attempts: countedAttempts(next) })
  if (!goesOn || next.status === 'success' || !askable) return
  const { traceparent } = before
  const change = { ...nextAttempt(next), follow: 1, traceparent, due_at: { inMs: 0 } }
  await changeStep(trx, refOf(next), change, now)
}
