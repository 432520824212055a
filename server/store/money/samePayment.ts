import type { Hash } from 'viem'
import { isSameStep, type StepRef } from '../../domain/action.js'
import type { StepView } from '../../domain/views.js'
import type { Transaction } from '../connection/database.js'
import type { CreditRow } from '../rows.js'
import { formsOf } from './exposures.js'

type Payment = {
  transactionHash: Hash
  /** Null: it is no action's. */
  actionId: string | null
  /** The step that it is of. Null: of those of the action whose transaction it has been, or none. */
  step: StepRef | null
}

/**
 * All hashes under which a payment has been on the chain, or may come again: of whatever was signed for its nonce, and of
 * what else has been credit of its action by the same step, which after a reorganisation may be carried out by somebody
 * else's transaction, or by another one of the user. Its action's events tell of each. Two payments have the same answer
 * whichever of them is asked for: what one makes good of the other is given back by it too.
 */
export async function hashesOfPayment(trx: Transaction, { transactionHash, actionId, step }: Payment): Promise<Hash[]> {
  const own = await formsOf(trx, [transactionHash])
  if (actionId === null) return own
  const events = await trx<{ action_id: string; step: string }>('events').where({ action_id: actionId }).select('step')
  const seen = events.map((event) => JSON.parse(event.step) as StepView).filter((view) => view.transactionHash !== null)
  const isOwn = (view: StepView) => own.includes(view.transactionHash!)
  const isOfStep = (view: StepView) =>
    step ? isSameStep(view, step) : seen.some((other) => isOwn(other) && isSameStep(other, view))
  const named = await formsOf(trx, [...new Set(seen.filter(isOfStep).map((view) => view.transactionHash!))])
  // A step may have named what was never its own, as in an action that somebody else has made in the user's name.
  const credits = trx<CreditRow>('credits').where({ action_id: actionId }).whereIn('transaction_hash', named)
  const earned = await credits.select('transaction_hash')
  return formsOf(trx, [...own, ...earned.map((credit) => credit.transaction_hash)])
}
