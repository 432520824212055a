import type { Address } from 'viem'
import { hashesOfPayment } from './samePayment.js'
import type { StepAttempt, StepRef } from '../../domain/action.js'
import { greatest, least, sum } from '../../domain/bigints.js'
import {
  type CreditLack,
  type Draw,
  mostDraws,
  type OpenCredit,
  orderCredits,
  planFunding,
} from '../../domain/funding.js'
import type { SolverNeed } from '../../domain/solverNeeds.js'
import type { Transaction } from '../connection/database.js'
import { returnFor, type StepMove, stepMoveCause } from './causes.js'
import { reduceExposure } from './exposures.js'
import { moveCredits } from './moveCredits.js'
import { lockOpenCredits } from './openCredits.js'
import { hasOpenGrant, returnOpenFunding, spendOpenFunding, takeOpenFunding } from './openFunding.js'
import { writtenTogether } from '../writtenTogether.js'
import {
  areSteps,
  attemptOf,
  type CreditRow,
  refOf,
  type ReservationRow,
  stepKeyColumns,
  type StepKeyRow,
  type StepRow,
} from '../rows.js'

type Spender = StepAttempt & { user: Address; chainId: number; signed: boolean }

/** Who draws on credit when the step pays. */
export function spenderOf(row: StepRow): Spender {
  const signed = row.mode === '7702'
  return { ref: refOf(row), user: row.user, chainId: row.chain_id, signed, attempt: attemptOf(row) }
}

export type ReserveOutcome =
  /**
   * `isLost`: it was set aside before, and some of it belongs to a payment that a reorganisation has taken away since.
   */
  | { outcome: 'reserved'; isLost?: boolean }
  /**
   * Of the first transfer that can't be paid: what it needs, and how much of the user's credit the transfers before it
   * leave; both in the token's smallest unit.
   */
  | ({ outcome: 'insufficient' } & CreditLack)

/**
 * Sets aside credit for all solver transfers of a step, or nothing. Asked again for the same step it changes nothing.
 */
export async function reserveCredit(
  trx: Transaction,
  spender: Spender,
  needs: SolverNeed[],
  now: number,
): Promise<ReserveOutcome> {
  if (needs.length === 0) return { outcome: 'reserved' }
  const reserved = await trx<CreditRow>('credits')
    .whereIn('id', trx<ReservationRow>('reservations').where(stepKeyColumns(spender.ref)).select('credit_id'))
    .select('is_lost')
  if (reserved.length > 0) return { outcome: 'reserved', isLost: reserved.some((credit) => Boolean(credit.is_lost)) }
  if (await hasOpenGrant(trx, spender.ref)) return { outcome: 'reserved' }
  // On a cluster the caller's lock on the step holds on one node only: see the column in the migration.
  trx.later(trx('steps').where(stepKeyColumns(spender.ref)).increment('reservation_rounds', 1))

  const use = { ...spender, actionId: spender.ref.actionId }
  const rows = await lockOpenCredits(trx, use, needs)
  const ordered = orderCredits(rows.map(toOpenCredit), use)
  const available = new Map(ordered.map((credit) => [credit.creditId, credit.available]))
  const draws: Draw[] = []
  const granted: number[] = []
  for (const [transferIndex, need] of needs.entries()) {
    const plan = planFunding(
      need,
      fitting(ordered, available, need),
      mostDraws - new Set(draws.map(({ creditId }) => creditId)).size,
    )
    if (plan.outcome === 'insufficient') {
      const grant = { ref: spender.ref, user: spender.user, transferIndex, need }
      const open = need.openCapPerDay === null ? null : await takeOpenFunding(trx, grant, now)
      if (open?.outcome === 'granted') {
        granted.push(transferIndex)
        continue
      }
      // Nothing is half reserved: what this step took of the day's funding before goes back.
      if (granted.length > 0) await returnOpenFunding(trx, spender.ref)
      const available = open ? greatest(open.left, plan.available) : plan.available
      const { signed } = spender
      return { outcome: 'insufficient', token: need.token, required: plan.required, available, signed }
    }
    for (const draw of plan.draws) available.set(draw.creditId, available.get(draw.creditId)! - draw.amount)
    draws.push(...plan.draws)
  }
  await writeReservations(trx, spender, rows, merge(draws), now)
  return { outcome: 'reserved' }
}

/** Gives back the credit that a failed step had set aside. */
export async function releaseCredit(trx: Transaction, step: StepAttempt, now: number): Promise<void> {
  const { ref, attempt } = step
  const reserved = await reservedBy(trx, ref)
  const moves = reserved.map(({ credit, amount }) => {
    // The payment of a lost credit is gone, so nothing goes back to the user, and the solver has lost that much less.
    if (credit.is_lost) return { credit, by: { reserved: -amount }, posting: entry('recoup', step, credit, amount) }
    return {
      credit,
      by: { available: amount, reserved: -amount },
      posting: entry('release', step, credit, amount),
    }
  })
  await moveCredits(trx, moves, now)
  for (const { credit, amount } of reserved.filter(({ credit }) => credit.is_lost)) {
    const open = await reduceExposure(trx, credit.id, amount, now)
    const causeOf = (later: CreditRow) => stepMoveCause('return', ref, attempt, later.id)
    await giveBackCovered(trx, { lost: credit, amount: amount - open, causeOf }, now)
  }
  await trx('reservations')
    .where({ ...stepKeyColumns(ref), status: 'reserved' })
    .delete()
  await returnOpenFunding(trx, ref)
}

/**
 * Gives the user back what was drawn on a lost credit and not paid out after all, where the credit's
 * payment has come again and made its exposure good. It goes to the credit that the payment has become
 * then, unless that is lost as well.
 */
export async function giveBackCovered(
  trx: Transaction,
  covered: { lost: CreditRow; amount: bigint; causeOf: (later: CreditRow) => string },
  now: number,
): Promise<void> {
  const { lost, causeOf } = covered
  const { chain_id, transaction_hash: transactionHash, user, token, action_id: actionId } = lost
  const hashes = await hashesOfPayment(trx, { transactionHash, actionId, step: null })
  const later = await trx.lock(
    trx<CreditRow>('credits')
      .where({ chain_id, user, token })
      .whereIn('transaction_hash', hashes)
      .where('id', '>', lost.id)
      .orderBy('id'),
  )
  let left = covered.amount
  for (const credit of later) {
    if (left === 0n) return
    if (credit.is_lost) {
      left -= await reduceExposure(trx, credit.id, left, now)
      continue
    }
    const reservations = await trx<ReservationRow>('reservations').where({ credit_id: credit.id }).select('amount')
    const drawn = sum(reservations.map(({ amount }) => BigInt(amount)))
    const room = BigInt(credit.amount) - BigInt(credit.available) - drawn
    const back = least(room, left)
    if (back <= 0n) continue
    left -= back
    const cause = returnFor(causeOf(credit), lost.id)
    const posting = { cause, debit: 'solver', credit: 'available', amount: back } as const
    await moveCredits(trx, [{ credit, by: { available: back }, posting }], now)
  }
}

/** Makes the credit that a successful step had set aside the solver's own. */
export async function spendCredit(trx: Transaction, step: StepAttempt, now: number): Promise<void> {
  const moves = (await reservedBy(trx, step.ref)).map(({ credit, amount }) => ({
    credit,
    by: { reserved: -amount },
    posting: entry('spend', step, credit, amount),
  }))
  await moveCredits(trx, moves, now)
  trx.later(trx('reservations').where(stepKeyColumns(step.ref)).update({ status: 'spent' }))
  await spendOpenFunding(trx, step.ref)
}

/**
 * The statements that read which of these steps, at least one, draw on credit and on open funding; the others
 * have nothing to spend or release.
 */
export function drawingSteps(trx: Transaction, refs: readonly StepRef[]) {
  const { sql, bindings } = areSteps(refs)
  return ['reservations', 'open_grants'].map((table) =>
    trx<StepKeyRow>(table).whereRaw(sql, bindings).select('action_id', 'intent_index', 'step_index'),
  )
}

/** Undoes `spendCredit`: what was spent is set aside again, since the payout that spent it is gone. */
export async function unspendCredit(trx: Transaction, step: StepAttempt, now: number): Promise<void> {
  const moves = (await reservedBy(trx, step.ref, 'spent')).map(({ credit, amount }) => ({
    credit,
    by: { reserved: amount },
    posting: entry('unspend', step, credit, amount),
  }))
  await moveCredits(trx, moves, now)
  await trx('reservations').where(stepKeyColumns(step.ref)).update({ status: 'reserved' })
  await trx('open_grants').where(stepKeyColumns(step.ref)).update({ status: 'reserved' })
}

function toOpenCredit(row: CreditRow) {
  return {
    creditId: row.id,
    chainId: row.chain_id,
    token: row.token,
    available: BigInt(row.available),
    actionId: row.action_id,
  }
}

/** The credits that may pay for a need, with what is left of each. */
function fitting(
  credits: ReturnType<typeof toOpenCredit>[],
  available: Map<number, bigint>,
  need: SolverNeed,
): OpenCredit[] {
  return credits.flatMap((credit) => {
    const member = need.members.find((m) => m.chainId === credit.chainId && m.token === credit.token)
    return member ? [{ ...credit, decimals: member.decimals, available: available.get(credit.creditId)! }] : []
  })
}

function merge(draws: Draw[]): Draw[] {
  const byCredit = new Map<number, bigint>()
  for (const draw of draws) byCredit.set(draw.creditId, (byCredit.get(draw.creditId) ?? 0n) + draw.amount)
  return [...byCredit].map(([creditId, amount]) => ({ creditId, amount }))
}

async function writeReservations(
  trx: Transaction,
  step: StepAttempt,
  rows: CreditRow[],
  draws: Draw[],
  now: number,
): Promise<void> {
  for (const part of writtenTogether(draws)) {
    const reservations = part.map(({ creditId, amount }) => ({
      ...stepKeyColumns(step.ref),
      credit_id: creditId,
      amount: amount.toString(),
      status: 'reserved',
      created_at: now,
    }))
    trx.later(trx('reservations').insert(reservations))
  }
  const byId = new Map(rows.map((row) => [row.id, row]))
  const moves = draws.map(({ creditId, amount }) => {
    const credit = byId.get(creditId)!
    const by = { available: -amount, reserved: amount }
    return { credit, by, posting: entry('reserve', step, credit, amount) }
  })
  await moveCredits(trx, moves, now)
}

/** Which credits a step has reserved or spent, and how much of each. The credits are locked. */
async function reservedBy(
  trx: Transaction,
  ref: StepRef,
  status: ReservationRow['status'] = 'reserved',
): Promise<{ credit: CreditRow; amount: bigint }[]> {
  const reservations = await trx<ReservationRow>('reservations')
    .where({ ...stepKeyColumns(ref), status })
    .orderBy('credit_id')
  const reserved = []
  for (const part of writtenTogether(reservations)) {
    const ids = part.map(({ credit_id }) => credit_id)
    const credits = await trx.lock(trx<CreditRow>('credits').whereIn('id', ids).orderBy('id'))
    const byId = new Map(credits.map((credit) => [credit.id, credit]))
    for (const { credit_id, amount } of part) reserved.push({ credit: byId.get(credit_id)!, amount: BigInt(amount) })
  }
  return reserved
}

/** The ledger's entry for what a step does to a credit. */
function entry(kind: StepMove, { ref, attempt }: StepAttempt, credit: CreditRow, amount: bigint) {
  const accounts = {
    reserve: { debit: 'available', credit: 'reserved' },
    release: { debit: 'reserved', credit: 'available' },
    spend: { debit: 'reserved', credit: 'solver' },
    unspend: { debit: 'solver', credit: 'reserved' },
    recoup: { debit: 'reserved', credit: 'solver' },
    return: { debit: 'solver', credit: 'available' },
  } as const
  return { cause: stepMoveCause(kind, ref, attempt, credit.id), ...accounts[kind], amount }
}
