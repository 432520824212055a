import type { Knex } from 'knex'
import type { Status, StepRef } from '../domain/action.js'
import type { StepError } from '../domain/errors.js'
import { statusOf } from '../domain/status.js'
import type { Transaction } from './database.js'
import { type ActionRow, type IntentRow, stepKeyColumns, type StepRow, toStepView } from './rows.js'

export type StepChange = Partial<Omit<StepRow, 'action_id' | 'intent_index' | 'step_index' | 'due_at'>> & {
  /** Null: nothing to do. Set by the database's clock, which is the one that claimers go by. */
  due_at?: Knex.Raw | null
  /** Null clears what an earlier attempt left. */
  error?: StepError | null
}

/**
 * Writes a change of a step and all that follows from it: the words of its intent and action, and the action's next
 * event. Every change of a step's public face goes through here, so that events have no gap. Takes the action's row
 * lock first through the event counter, which orders concurrent changes of one action.
 */
export async function changeStep(trx: Transaction, ref: StepRef, change: StepChange, now: number): Promise<StepRow> {
  await trx('actions')
    .where({ id: ref.actionId })
    .update({ event_count: trx.raw('event_count + 1'), updated_at: now })

  const { error, ...rest } = change
  const columns: Record<string, unknown> = { ...rest, updated_at: now }
  if (error !== undefined) {
    columns.error_code = error?.code ?? null
    columns.error_message = error?.message ?? null
    columns.error_retryable = error ? Number(error.retryable) : null
  }
  await trx('steps').where(stepKeyColumns(ref)).update(columns)

  const steps = await trx<StepRow>('steps').where({ action_id: ref.actionId, intent_index: ref.intentIndex })
  const step = steps.find((row) => row.step_index === ref.stepIndex)
  if (!step) throw new Error(`No such step: ${ref.actionId}/${ref.intentIndex}/${ref.stepIndex}`)
  await refreshStatuses(trx, ref, steps, now)

  const action = await trx<ActionRow>('actions').where({ id: ref.actionId }).first('event_count')
  await trx('events').insert({
    action_id: ref.actionId,
    sequence: action!.event_count,
    step: JSON.stringify({ ...toStepView(step), traceparent: step.traceparent }),
    created_at: now,
  })
  return step
}

async function refreshStatuses(trx: Transaction, ref: StepRef, steps: StepRow[], now: number): Promise<void> {
  const ordered = [...steps].sort((a, b) => a.step_index - b.step_index)
  const intentStatus = statusOf(ordered.map((row) => row.status))
  await trx('intents')
    .where({ action_id: ref.actionId, intent_index: ref.intentIndex })
    .update({ status: intentStatus, updated_at: now })
  const intents = await trx<IntentRow>('intents')
    .where({ action_id: ref.actionId })
    .orderBy('intent_index')
    .select('status')
  const status: Status = statusOf(intents.map((row) => row.status))
  await trx('actions').where({ id: ref.actionId }).update({ status })
}
