import type { Hash } from 'viem'
import { isSameStep, type StepRef } from '../../domain/action.js'
import type { StepView } from '../../domain/views.js'
import type { Transaction } from '../connection/database.js'
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
 * whatever its step has ever been carried out by, which after a reorganisation may be another's transaction, or another
 * one of the user. Its action's events tell of each.
 */
export async function hashesOfPayment(trx: Transaction, { transactionHash, actionId, step }: Payment): Promise<Hash[]> {
  const own = await formsOf(trx, [transactionHash])
  if (actionId === null) return own
  const events = await trx<{ action_id: string; step: string }>('events').where({ action_id: actionId }).select('step')
  const seen = events.map((event) => JSON.parse(event.step) as StepView).filter((view) => view.transactionHash !== null)
  const isOwn = (view: StepView) => own.includes(view.transactionHash!)
  const isOfStep = (view: StepView) =>
    step ? isSameStep(view, step) : seen.some((other) => isOwn(other) && isSameStep(other, view))
  return formsOf(trx, [...own, ...seen.filter(isOfStep).map((view) => view.transactionHash!)])
}
