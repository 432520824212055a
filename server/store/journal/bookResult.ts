import type { Address, Hash } from 'viem'
import type { StepError } from '../../domain/errors.js'
import type { SolverNeed } from '../../domain/solverNeeds.js'
import { payoutCause, payoutsOfAttempt } from '../money/causes.js'
import { type Arrival, creditArrivals } from '../money/creditArrivals.js'
import { drawingSteps, releaseCredit, reserveCredit, spendCredit, spenderOf } from '../money/credits.js'
import type { Transaction } from '../connection/database.js'
import { takeAllSettled, recordExposure } from '../money/exposures.js'
import { post } from '../money/ledger.js'
import { unbindPayment } from '../money/payments.js'
import { attemptOf, beginningWith, type LedgerRow, refOf, stepKeyColumns, type StepRow } from '../rows.js'

/** An amount that left the vault, in the token's smallest unit. */
export type Payout = { chainId: number; token: Address; amount: bigint }

/** How a step ended. */
export type StepResult =
  | {
      status: 'success'
      transactionHash: Hash
      blockNumber: number
      blockHash: Hash
      confirmations: number
      /** What reached the vault for the user in that transaction. */
      arrivals: Arrival[]
      /** What left the vault in that transaction. */
      payouts: Payout[]
    }
  | {
      status: 'reverted' | 'error'
      error: StepError
      /** Null when nothing was sent. */
      transactionHash: Hash | null
      blockNumber: number | null
      /** The block of `payouts`, where no transaction of the journal has made them. */
      blockHash?: Hash
      /** How deep that block was when it was looked at; undefined: the step's stored number stays. */
      confirmations?: number
      /** What left the vault though the step failed; the credit that was set aside is spent then. */
      payouts?: Payout[]
    }

/**
 * What came of a step of a transaction. `alone`: nothing, since others of its bundle made it fail, or the operator's
 * key had lost its right; the step goes on in a transaction of its own, as the same attempt.
 */
export type StepOutcome = StepResult | { status: 'alone' }

/** Books the money that a result has moved. `draws`: false when the step is known to draw on no credit. */
export async function bookResult(
  trx: Transaction,
  row: StepRow,
  result: StepResult,
  now: number,
  { draws = true }: { draws?: boolean } = {},
): Promise<void> {
  const step = { ref: refOf(row), attempt: attemptOf(row) }
  const payouts = result.payouts ?? []
  if (result.status === 'success' || payouts.length > 0) {
    if (draws) await spendCredit(trx, step, now)
    postPayouts(trx, row, payouts, now)
    if (result.status === 'success') await creditArrivals(trx, result.arrivals, step.ref, now)
  } else {
    if (draws) await releaseCredit(trx, step, now)
    if (row.kind === 'payment') await unbindPayment(trx, step.ref)
  }
}

/** A result that the chain has seen: the step was carried out, or paid. */
type Effect = StepResult & { transactionHash: Hash; payouts: Payout[] }

export function tookEffect(result: StepResult): result is Effect {
  if (result.status === 'success') return true
  return result.transactionHash !== null && result.payouts !== undefined && result.payouts.length > 0
}

/**
 * Books the result of a transaction that had failed, was given up or was undone, and was carried out after all.
 * Its step may have given its credit back: the credit is taken again, and where it is gone by now, what was
 * paid out is an exposure. `needs`: how much credit the step takes; null: nobody can tell, and only what is
 * still set aside for it counts.
 */
export async function bookLate(
  trx: Transaction,
  row: StepRow,
  { result, needs }: { result: Effect; needs: SolverNeed[] | null },
  now: number,
): Promise<StepRow> {
  const stepKey = stepKeyColumns(refOf(row))
  trx.later(
    trx('steps')
      .where(stepKey)
      .update({ reopenings: row.reopenings + 1 }),
  )
  const late = { ...row, reopenings: row.reopenings + 1 }
  const spender = spenderOf(late)
  const isDrawn = async () => (await trx.together(...drawingSteps(trx, [spender.ref]))).flat().length > 0
  const isSettled = () => takeAllSettled(trx, payoutsOf(row, result))
  const isReserved = async () =>
    needs !== null && (await reserveCredit(trx, spender, needs, now)).outcome === 'reserved'
  // What is set aside for the step comes first: the payout that was settled with the user may be another step's.
  const isCovered = (await isDrawn()) || (await isSettled()) || (await isReserved())
  if (!isCovered) await exposePayouts(trx, row, result, now)
  await bookResult(trx, late, result, now)
  return late
}

/** Notes what a step paid out without credit, as exposures. */
export async function exposePayouts(trx: Transaction, row: StepRow, result: Effect, now: number): Promise<void> {
  for (const payout of payoutsOf(row, result)) {
    await recordExposure(trx, { kind: 'payout', ...payout, creditId: null }, now)
  }
}

function payoutsOf({ user }: StepRow, { transactionHash, payouts }: Effect) {
  return payouts.map((payout) => ({ ...payout, user, transactionHash }))
}

/** What the ledger says was paid out in the step's newest attempt. */
export async function readPayoutsOf(trx: Transaction, row: StepRow) {
  const start = payoutsOfAttempt(refOf(row), attemptOf(row))
  return trx<LedgerRow & { user: Address }>('ledger').whereBetween(...beginningWith('cause', start))
}

function postPayouts(trx: Transaction, row: StepRow, payouts: readonly Payout[], now: number): void {
  post(
    trx,
    payouts.map((payout, index) => ({
      cause: payoutCause(refOf(row), attemptOf(row), index),
      debit: 'solver' as const,
      credit: 'vault' as const,
      user: row.user,
      ...payout,
    })),
    now,
  )
}
