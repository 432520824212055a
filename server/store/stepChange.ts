import type { Knex } from 'knex'
import type { StepRef } from '../domain/action.js'
import type { StepError } from '../domain/errors.js'
import { groupBy } from '../domain/groupBy.js'
import { statusOf } from '../domain/status.js'
import type { Transaction } from './database.js'
import { type ActionRow, areSteps, type IntentRow, nameOfStep, refOf, type StepRow, toStepView } from './rows.js'

export type StepChange = Partial<
  Omit<StepRow, 'action_id' | 'intent_index' | 'step_index' | 'due_at' | 'traceparent'>
> & {
  /** Null: nothing to do. Set by the database's clock, which is the one that claimers go by. */
  due_at?: Knex.Raw | null
  /** Null clears what an earlier attempt left. */
  error?: StepError | null
}

export type ChangedStep = {
  ref: StepRef
  change: StepChange
  /** Of the request that the change is due to; null: it had none. Undefined: it stays. */
  traceparent?: string | null
}

/** As `changeSteps`, for one. */
export async function changeStep(
  trx: Transaction,
  ref: StepRef,
  { traceparent, ...change }: StepChange & Pick<ChangedStep, 'traceparent'>,
  now: number,
): Promise<StepRow> {
  const [step] = await changeSteps(trx, [{ ref, change, traceparent }], now)
  return step!
}

/**
 * Writes changes of steps, one for each, and all that follows from them: the words of their intents and actions, and the
 * actions' next events. Every change of a step's public face goes through here, so that events have no gap. Takes the
 * actions' row locks first through the event counters, which orders concurrent changes of one action. However many the
 * steps, the statements are as many as for one, and one more for each change that is another object than the others.
 * Answers with the steps as they are then, in the order given.
 */
export async function changeSteps(trx: Transaction, changes: readonly ChangedStep[], now: number): Promise<StepRow[]> {
  if (changes.length === 0) return []
  const refs = changes.map(({ ref }) => ref)
  for (const [count, actionIds] of byCount(refs)) {
    await trx('actions')
      .whereIn('id', actionIds)
      .update({ event_count: trx.raw('event_count + ?', [count]), updated_at: now })
  }
  for (const [change, alike] of groupBy(changes, (entry) => entry.change)) {
    const { sql, bindings } = areSteps(alike.map(({ ref }) => ref))
    await trx('steps')
      .whereRaw(sql, bindings)
      .update({ ...columnsOf(change, now), ...traceparentsOf(trx, alike) })
  }

  const intents = areIntents(refs)
  const rows = await trx<StepRow>('steps').whereRaw(intents.sql, intents.bindings).orderBy(stepKey)
  const byName = new Map(rows.map((row) => [nameOfStep(refOf(row)), row]))
  const steps = refs.map((ref) => {
    const step = byName.get(nameOfStep(ref))
    if (!step) throw new Error(`No such step: ${nameOfStep(ref)}`)
    return step
  })
  await refreshIntents(trx, rows, now)
  await addEvents(trx, steps, await refreshActions(trx, [...new Set(refs.map(({ actionId }) => actionId))]), now)
  return steps
}

const stepKey = ['action_id', 'intent_index', 'step_index']

function columnsOf({ error, ...rest }: StepChange, now: number): Record<string, unknown> {
  const columns: Record<string, unknown> = { ...rest, updated_at: now }
  if (error !== undefined) {
    columns.error_code = error?.code ?? null
    columns.error_message = error?.message ?? null
    columns.error_retryable = error ? Number(error.retryable) : null
  }
  return columns
}

/** Each its own, by one statement. */
function traceparentsOf(trx: Transaction, changes: readonly ChangedStep[]): { traceparent?: Knex.Raw } {
  const told = changes.flatMap(({ ref, traceparent }) => (traceparent === undefined ? [] : { ...ref, traceparent }))
  if (told.length === 0) return {}
  const cases = told.map(() => 'WHEN action_id = ? AND intent_index = ? AND step_index = ? THEN ?').join(' ')
  const bindings = told.flatMap(({ actionId, intentIndex, stepIndex, traceparent }) => [
    actionId,
    intentIndex,
    stepIndex,
    traceparent,
  ])
  return { traceparent: trx.raw(`CASE ${cases} ELSE traceparent END`, bindings as Knex.RawBinding[]) }
}

/** The actions of these steps, by how many of the steps are theirs. */
function byCount(refs: readonly StepRef[]): Map<number, string[]> {
  const counts = new Map<string, number>()
  for (const { actionId } of refs) counts.set(actionId, (counts.get(actionId) ?? 0) + 1)
  return groupBy([...counts.keys()], (actionId) => counts.get(actionId)!)
}

type IntentKey = Pick<StepRef, 'actionId' | 'intentIndex'>

function areIntents(intents: readonly IntentKey[]) {
  return {
    sql: `(${intents.map(() => '(action_id = ? AND intent_index = ?)').join(' OR ')})`,
    bindings: intents.flatMap(({ actionId, intentIndex }) => [actionId, intentIndex]),
  }
}

/** Given all steps of the intents, in order. */
async function refreshIntents(trx: Transaction, rows: readonly StepRow[], now: number): Promise<void> {
  const intents = [...groupBy(rows, (row) => `${row.action_id}/${row.intent_index}`).values()]
  for (const [status, same] of groupBy(intents, (steps) => statusOf(steps.map((row) => row.status)))) {
    const { sql, bindings } = areIntents(
      same.map(([row]) => ({ actionId: row!.action_id, intentIndex: row!.intent_index })),
    )
    await trx('intents').whereRaw(sql, bindings).update({ status, updated_at: now })
  }
}

/** Answers with how many events each action has. */
async function refreshActions(trx: Transaction, actionIds: readonly string[]): Promise<Map<string, number>> {
  const intents = await trx<IntentRow>('intents')
    .whereIn('action_id', actionIds)
    .orderBy(['action_id', 'intent_index'])
    .select('action_id', 'status')
  const actions = await trx<ActionRow>('actions').whereIn('id', actionIds).select('id', 'status', 'event_count')
  const intentsOf = groupBy(intents, ({ action_id }) => action_id)
  const statusNow = (id: string) => statusOf(intentsOf.get(id)!.map(({ status }) => status))
  const turned = actions.filter(({ id, status }) => status !== statusNow(id))
  for (const [status, same] of groupBy(turned, ({ id }) => statusNow(id))) {
    await trx('actions')
      .whereIn(
        'id',
        same.map(({ id }) => id),
      )
      .update({ status })
  }
  return new Map(actions.map(({ id, event_count }) => [id, event_count]))
}

/** The last sequence of each action is its count. */
async function addEvents(
  trx: Transaction,
  steps: readonly StepRow[],
  counts: ReadonlyMap<string, number>,
  now: number,
): Promise<void> {
  const events = [...groupBy(steps, ({ action_id }) => action_id)].flatMap(([actionId, ours]) =>
    ours.map((step, index) => ({
      action_id: actionId,
      sequence: counts.get(actionId)! - ours.length + 1 + index,
      step: JSON.stringify({ ...toStepView(step), traceparent: step.traceparent }),
      created_at: now,
    })),
  )
  await trx('events').insert(events)
}
