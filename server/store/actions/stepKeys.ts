import type { Hash } from 'viem'
import { isSameStep, type StepRef } from '../../domain/action.js'
import type { Database, Reader, Transaction } from '../connection/database.js'
import { isDuplicate } from '../connection/databaseErrors.js'
import { refOf, stepKeyColumns, type StepKeyRow, type StepRow } from '../rows.js'
import { readStepsSeen } from './events.js'

/**
 * Fixes the key by which the vault remembers the step's payout; a key that is fixed stays. False: another step has the
 * key, and pays under it, has paid or may pay yet. A step that has failed for certain gives the key up: a
 * reorganisation may have taken its payment away, which came again for this step. Throws where this step has a
 * different key already. Only a visit that began before the payment was replaced asks for a key that is out of date,
 * and what it would sign would be looked for under the fixed key and not be found.
 */
export async function fixStepKey(database: Database, ref: StepRef, stepKey: Hash): Promise<boolean> {
  const fix = async (from: Reader) => {
    const step = () => from<StepRow>('steps').where(stepKeyColumns(ref))
    const fixed = await step().whereNull('step_key').update({ step_key: stepKey })
    if (fixed === 0 && (await step().first('step_key'))?.step_key !== stepKey)
      throw new Error('The step has got another key meanwhile')
  }
  try {
    await database.write(fix)
    return true
  } catch (error) {
    if (!isDuplicate(error)) throw error
  }
  return database.transact(async (trx) => {
    const holder = await trx.lock(trx<StepRow>('steps').where({ step_key: stepKey })).first()
    if (holder && (await mayYetPay(trx, holder))) return false
    if (holder)
      await trx('steps')
        .where(stepKeyColumns(refOf(holder)))
        .update({ step_key: null })
    await fix(trx)
    return true
  })
}

/**
 * Whether a step pays under its key, has paid or may pay yet: a failed step pays after all when a reorganisation takes
 * away the block in which a transaction of any of its attempts had come to nothing. So a failed step may, if any of
 * its events names a transaction.
 */
export async function mayYetPay(trx: Transaction, step: StepKeyRow & { status: string }): Promise<boolean> {
  if (step.status === 'executing' || step.status === 'success') return true
  const seen = await readStepsSeen(trx, step.action_id)
  return seen.some((view) => isSameStep(view, refOf(step)))
}
