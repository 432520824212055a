import type { Hash } from 'viem'
import { isSameStep, type StepRef } from '../../domain/action.js'
import { readStepsSeen, type StepSeen } from '../actions/events.js'
import type { Transaction } from '../connection/database.js'
import { formsOf } from './forms.js'
import type { CreditRow } from '../rows.js'

type Payment = {
  transactionHash: Hash
  /** The action that it pays in; null: none. */
  actionId: string | null
  /** The step that it pays. Null: whichever steps of the action have had its transaction, if any. */
  step: StepRef | null
}

/**
 * All hashes under which a payment has been on the chain, or may come again: of all forms that were signed for its
 * nonce; and of other transactions by which the same step has brought credit to its action, since after a
 * reorganisation somebody else's transaction, or another one of the user, may carry the step out. The action's events
 * name these transactions. The relation is symmetric: where payment B has made good what A had left open, whoever looks
 * at A finds B, and can give that back from it.
 */
export async function hashesOfPayment(trx: Transaction, { transactionHash, actionId, step }: Payment): Promise<Hash[]> {
  const own = await formsOf(trx, [transactionHash])
  if (actionId === null) return own
  const seen = await readStepsSeen(trx, actionId)
  const isOwn = (view: StepSeen) => own.includes(view.transactionHash)
  const isOfStep = (view: StepSeen) =>
    step ? isSameStep(view, step) : seen.some((other) => isOwn(other) && isSameStep(other, view))
  const named = await formsOf(trx, [...new Set(seen.filter(isOfStep).map((view) => view.transactionHash))])
  // Only those that became credit of the action: a step may name a transaction that never was its own, as in an action
  // that somebody else has made in the user's name.
  const credits = trx<CreditRow>('credits').where({ action_id: actionId }).whereIn('transaction_hash', named)
  const earned = await credits.select('transaction_hash')
  return formsOf(trx, [...own, ...earned.map((credit) => credit.transaction_hash)])
}
