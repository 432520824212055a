import type { Address, Hash } from 'viem'
import type { StepRef } from '../../domain/action.js'
import { mayTryAgain } from '../../domain/request.js'
import type { Transaction } from '../connection/database.js'
import { isDuplicate } from '../connection/databaseErrors.js'
import { mayYetPay } from '../actions/stepKeys.js'
import { countedAttempts, type CreditRow, stepKeyColumns, type StepRow } from '../rows.js'
import { changeStep, hurryNext } from '../actions/stepChange.js'

type Payment = {
  chainId: number
  hash: Hash
  user: Address
  ref: StepRef
  /** True when the registration carried the user's signature. */
  signed: boolean
}

type PaymentRow = {
  chain_id: number
  hash: Hash
  user: Address
  action_id: string
  intent_index: number
  step_index: number
  signed: number
}

/**
 * Ties a user's transaction to the step that it backs: one step only, ever. Only a signed registration takes a
 * transaction over from an unsigned one, and only while nothing has been drawn on the credit that it brought. The
 * key of the table holds the user too: a transaction has one sender, so a stranger who registers it as his own
 * takes nothing from its sender.
 */
export async function bindPayment(trx: Transaction, payment: Payment, now: number): Promise<'bound' | 'used'> {
  await trx('payments')
    .where({ ...stepKeyColumns(payment.ref) })
    .delete()
  const key = { chain_id: payment.chainId, hash: payment.hash, user: payment.user }
  const holder = await trx.lock(trx<PaymentRow>('payments').where(key)).first()
  if (holder) {
    if (!payment.signed || holder.signed) return 'used'
    if (!(await releasePayouts(trx, holder)) || (await isDrawnOn(trx, payment))) return 'used'
    await takeOver(trx, payment, holder, now)
  }
  if (!(await claimForAction(trx, payment)) || (await backsAnothers(trx, payment))) return 'used'
  try {
    await trx('payments').insert({
      ...key,
      ...stepKeyColumns(payment.ref),
      signed: payment.signed,
      created_at: now,
    })
  } catch (error) {
    // Another request for the same transaction was first, between our look and now.
    if (isDuplicate(error)) return 'used'
    throw error
  }
  return 'bound'
}

/** Whether the transaction has been verified as another user's: who sent a transaction is part of its hash. */
async function backsAnothers(trx: Transaction, { chainId, hash, user }: Payment): Promise<boolean> {
  const verified = await trx('payments')
    .join('steps', (join) =>
      join
        .on('steps.action_id', 'payments.action_id')
        .andOn('steps.intent_index', 'payments.intent_index')
        .andOn('steps.step_index', 'payments.step_index'),
    )
    .where({ 'payments.chain_id': chainId, 'payments.hash': hash, 'steps.status': 'success' })
    .whereNot('payments.user', user)
    .first('payments.user')
  return verified !== undefined
}

/** Whether the registration that a step has carried the user's signature. */
export async function isBindingSigned(trx: Transaction, ref: StepRef): Promise<boolean> {
  const row = await trx<PaymentRow>('payments').where(stepKeyColumns(ref)).first('signed')
  return Boolean(row?.signed)
}

/** Frees the transaction of a step that it turned out not to back. */
export async function unbindPayment(trx: Transaction, ref: StepRef): Promise<void> {
  await trx('payments').where(stepKeyColumns(ref)).delete()
}

/**
 * Claims the credit of a payment's transaction for its action. False: it has become credit by itself or in another
 * action, and stays that. A stranger may have reported it as a deposit: the user's signature then moves the credit to
 * his action, while nothing is drawn on it.
 */
export async function claimForAction(trx: Transaction, payment: Payment): Promise<boolean> {
  if (!(await isRecordedElsewhere(trx, payment))) return true
  if (!payment.signed || (await isDrawnOn(trx, payment))) return false
  await assignCredits(trx, payment)
  return true
}

/** Whether the transaction has brought credit outside of the payment's action. Credit that is lost does not count. */
async function isRecordedElsewhere(trx: Transaction, payment: Payment): Promise<boolean> {
  const credits = await trx<CreditRow>('credits')
    .where({ chain_id: payment.chainId, transaction_hash: payment.hash, user: payment.user, is_lost: 0 })
    .select('action_id')
  return credits.some((credit) => credit.action_id !== payment.ref.actionId)
}

/**
 * Gives up the step keys of the payouts that follow a payment in its intent; false: one of the payouts is under way
 * or done. The vault knows these payouts by the payment, so when it goes over to another step, their keys are that
 * step's payouts'. A payout that draws on another payment of its action has a key of this payment too, or may be
 * about to get one. All these steps are locked, so that none is asked for meanwhile, and one that is being asked for
 * at this moment is seen. The payment's own step is locked too, so that if it is being settled at this moment, its
 * credit is there when it is handed over.
 */
async function releasePayouts(trx: Transaction, holder: PaymentRow): Promise<boolean> {
  const { action_id, intent_index, step_index } = holder
  const ofIntent = (table: 'steps' | 'reservations' | 'open_grants' = 'steps') =>
    trx<Omit<StepRow, 'status'> & { status: string }>(table).where({ action_id, intent_index })
  const following: typeof ofIntent = (table) => ofIntent(table).where('step_index', '>', step_index)
  const columns = ['action_id', 'intent_index', 'step_index', 'status', 'step_key'] as const
  const steps = await trx.lock(
    ofIntent()
      .where('step_index', '>=', step_index)
      .orderBy('step_index')
      .select(...columns),
  )
  const keyed = steps.filter(({ step_key }) => step_key !== null)
  for (const step of keyed) if (await mayYetPay(trx, step)) return false
  for (const table of ['reservations', 'open_grants'] as const) {
    if (await following(table).where({ status: 'reserved' }).first('step_index')) return false
  }
  if (keyed.length > 0) await following().whereNotNull('step_key').update({ step_key: null })
  return true
}

/**
 * Whether anything is drawn on the credit that the payment has brought. Locks it, so that
 * the answer holds until the end.
 */
async function isDrawnOn(trx: Transaction, payment: Payment): Promise<boolean> {
  const { chainId: chain_id, hash: transaction_hash, user } = payment
  await trx.lock(trx<CreditRow>('credits').where({ chain_id, transaction_hash, user }).orderBy('id').select('id'))
  const drawn = await trx('reservations')
    .join('credits', 'credits.id', 'reservations.credit_id')
    .where({ 'credits.chain_id': chain_id, 'credits.transaction_hash': transaction_hash, 'credits.user': user })
    .first('credits.id')
  return drawn !== undefined
}

async function assignCredits(trx: Transaction, payment: Payment): Promise<void> {
  await trx<CreditRow>('credits')
    .where({ chain_id: payment.chainId, transaction_hash: payment.hash, user: payment.user })
    .update({ action_id: payment.ref.actionId })
}

const takenOver = {
  code: 'transaction_taken_over',
  message: 'The user registered this transaction for another step with his signature.',
  retryable: true,
} as const

async function takeOver(trx: Transaction, payment: Payment, holder: PaymentRow, now: number): Promise<void> {
  const loser = { actionId: holder.action_id, intentIndex: holder.intent_index, stepIndex: holder.step_index }
  await trx('payments').where(stepKeyColumns(loser)).delete()
  await assignCredits(trx, payment)
  const step = await trx<StepRow>('steps').where(stepKeyColumns(loser)).first()
  if (step?.transaction_hash !== payment.hash) return
  const error = { ...takenOver, retryable: mayTryAgain({ error: takenOver, attempts: countedAttempts(step) }) }
  // The step does not rest on the transaction's block any more: a reorganisation of that block must not open it again.
  const unmined = { block_number: null, block_hash: null, confirmations: 0 }
  await changeStep(trx, loser, { status: 'error', error, ...unmined, due_at: null }, now)
  hurryNext(trx, loser)
}
