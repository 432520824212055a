import type { Knex } from 'knex'
import { nameOfStep, type StepRef } from '../../domain/action.js'
import type { StepError } from '../../domain/errors.js'
import { statusOf } from '../../domain/status.js'
import { groupBy } from '../../lists/groupBy.js'
import type { Transaction } from '../connection/database.js'
import {
  type ActionRow,
  areIntents,
  areSteps,
  byName,
  type IntentRow,
  nameOfIntent,
  ownAccount,
  stepKeyColumns,
  type StepRow,
  toStepView,
  type TransactionRow,
} from '../rows.js'
import { storedMessage } from '../storedMessage.js'

/** What is written of a step: plain values, so that changes which write the same are alike, wherever they were made. */
export type StepChange = Partial<
  Omit<
    StepRow,
    'action_id' | 'intent_index' | 'step_index' | 'due_at' | 'open_account' | 'traceparent' | 'transaction_id'
  >
> & {
  /** The id, or what names the transaction, whose id is read where it is written then. */
  transaction_id?: number | Pick<TransactionRow, 'chain_id' | 'signer' | 'nonce'> | null
  /** `own`: the account that the step runs on, see `accountOf`. Null: the account is free again. */
  open_account?: 'own' | null
  /** In so many milliseconds by the database's clock, which is the one that claimers go by. Null: nothing to do. */
  due_at?: { inMs: number } | null
  /** Null clears what an earlier attempt left. */
  error?: StepError | null
}

export type ChangedStep = {
  ref: StepRef
  change: StepChange
  /** The trace of the request that the change is due to; null: that has none. Undefined: the stored one stays. */
  traceparent?: string | null
}

/** What is written of a step that is accepted for its next attempt: nothing of the attempt before is left. */
export function nextAttempt(row: Pick<StepRow, 'attempts'>): StepChange {
  return {
    status: 'executing',
    attempts: row.attempts + 1,
    transaction_hash: null,
    transaction_id: null,
    block_number: null,
    block_hash: null,
    confirmations: 0,
    error: null,
    unseen_ms: 0,
  }
}

/** Makes the step after one that has ended due at once, if it is executing; else it would be due in a minute or two. */
export function hurryNext(trx: Transaction, ref: StepRef): void {
  const next = { ...stepKeyColumns({ ...ref, stepIndex: ref.stepIndex + 1 }), status: 'executing' as const }
  trx.later(trx('steps').where(next).whereNull('transaction_id').update({ due_at: trx.atOnce() }))
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
 * Writes one change for each of these steps, and all that follows from them: the statuses of their intents and actions,
 * and the actions' next events. Every change of what clients see of a step goes through here, so that events have no
 * gap. The event counters are written first, which locks the actions' rows and so orders concurrent changes of one
 * action. However many steps there are, there is one UPDATE of steps for all whose changes are alike, and the other
 * statements are as many as for one step. Answers with the steps as they are then, in the order given.
 */
export async function changeSteps(trx: Transaction, changes: readonly ChangedStep[], now: number): Promise<StepRow[]> {
  return (await changeAndRead(trx, changes, now)).changed
}

/** As `changeSteps`; answers with all steps of the same intents too, as they are then. */
export async function changeAndRead(
  trx: Transaction,
  changes: readonly ChangedStep[],
  now: number,
): Promise<{ changed: StepRow[]; all: StepRow[] }> {
  if (changes.length === 0) return { changed: [], all: [] }
  const refs = changes.map(({ ref }) => ref)
  for (const [count, actionIds] of byCount(refs)) {
    const event_count = trx.raw('event_count + ?', [count])
    trx.later(
      trx('actions')
        .whereIn('id', actionIds)
        .update({ event_count, updated_at: noEarlier(trx, now) }),
    )
  }
  for (const alike of groupBy(changes, ({ change }) => JSON.stringify(change)).values()) {
    const { sql, bindings } = areSteps(alike.map(({ ref }) => ref))
    const columns = {
      ...columnsOf(trx, alike[0]!.change),
      updated_at: noEarlier(trx, now),
      ...traceparentsOf(trx, alike),
    }
    trx.later(trx('steps').whereRaw(sql, bindings).update(columns))
  }

  const { rows, intents, actions } = await readChanged(trx, refs)
  const found = byName(rows)
  const steps = refs.map((ref) => {
    const step = found.get(nameOfStep(ref))
    if (!step) throw new Error(`No such step: ${nameOfStep(ref)}`)
    return step
  })
  refreshIntents(trx, rows, intents, now)
  refreshActions(trx, intents, actions)
  addEvents(trx, steps, new Map(actions.map(({ id, event_count }) => [id, event_count])), now)
  return { changed: steps, all: rows }
}

/** All steps of the intents that these steps belong to, and what their actions' statuses and events are made of. */
async function readChanged(trx: Transaction, refs: readonly StepRef[]) {
  const { sql, bindings } = areIntents(refs)
  const actionIds = [...new Set(refs.map(({ actionId }) => actionId))]
  const [rows, intents, actions] = await trx.together(
    trx<StepRow>('steps').whereRaw(sql, bindings).orderBy(['action_id', 'intent_index', 'step_index']),
    trx<IntentRow>('intents')
      .whereIn('action_id', actionIds)
      .orderBy(['action_id', 'intent_index'])
      .select('action_id', 'intent_index', 'status'),
    trx<ActionRow>('actions').whereIn('id', actionIds).select('id', 'status', 'event_count'),
  )
  return { rows, intents, actions }
}

type IntentState = Pick<IntentRow, 'action_id' | 'intent_index' | 'status'>
type ActionState = Pick<ActionRow, 'id' | 'status' | 'event_count'>

/**
 * Sets a time that never goes back: a later one may be stored and shown already, by a clock
 * that is ahead or was read later.
 */
function noEarlier(trx: Transaction, now: number): Knex.Raw {
  return trx.raw('CASE WHEN updated_at > ? THEN updated_at ELSE ? END', [now, now])
}

function columnsOf(
  trx: Transaction,
  { error, transaction_id, open_account, due_at, ...rest }: StepChange,
): Record<string, unknown> {
  const columns: Record<string, unknown> = { ...rest }
  if (transaction_id !== undefined) {
    const isNamed = typeof transaction_id === 'object' && transaction_id !== null
    columns.transaction_id = isNamed
      ? trx<TransactionRow>('transactions').where(transaction_id).select('id')
      : transaction_id
  }
  if (open_account !== undefined) columns.open_account = open_account && ownAccount(trx)
  if (due_at !== undefined) columns.due_at = due_at && (due_at.inMs === 0 ? trx.atOnce() : trx.after(due_at.inMs))
  if (error !== undefined) {
    columns.error_code = error?.code ?? null
    columns.error_message = error ? storedMessage(error.message) : null
    columns.error_retryable = error ? Number(error.retryable) : null
  }
  return columns
}

/** Sets each step's own traceparent within the one statement that changes the steps. */
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

/** The ids of the steps' actions, grouped by how many of the steps an action has. */
function byCount(refs: readonly StepRef[]): Map<number, string[]> {
  const counts = new Map<string, number>()
  for (const { actionId } of refs) counts.set(actionId, (counts.get(actionId) ?? 0) + 1)
  return groupBy([...counts.keys()], (actionId) => counts.get(actionId)!)
}

/**
 * Writes the statuses of the changed intents, and sets them in `intents`, which are all intents of the actions. `rows`:
 * all steps of the changed intents, in order.
 */
function refreshIntents(trx: Transaction, rows: readonly StepRow[], intents: IntentState[], now: number): void {
  const nameOf = (row: Pick<IntentState, 'action_id' | 'intent_index'>) =>
    nameOfIntent({ actionId: row.action_id, intentIndex: row.intent_index })
  const stepsOf = groupBy(rows, nameOf)
  const changed = intents.filter((intent) => stepsOf.has(nameOf(intent)))
  for (const intent of changed) intent.status = statusOf(stepsOf.get(nameOf(intent))!.map(({ status }) => status))
  for (const [status, same] of groupBy(changed, (intent) => intent.status)) {
    const { sql, bindings } = areIntents(
      same.map(({ action_id, intent_index }) => ({ actionId: action_id, intentIndex: intent_index })),
    )
    trx.later(
      trx('intents')
        .whereRaw(sql, bindings)
        .update({ status, updated_at: noEarlier(trx, now) }),
    )
  }
}

/** Writes the statuses of the actions. `intents`: all their intents, brought up to date, in order. */
function refreshActions(trx: Transaction, intents: readonly IntentState[], actions: readonly ActionState[]): void {
  const intentsOf = groupBy(intents, ({ action_id }) => action_id)
  const statusNow = (id: string) => statusOf(intentsOf.get(id)!.map(({ status }) => status))
  const turned = actions.filter(({ id, status }) => status !== statusNow(id))
  for (const [status, same] of groupBy(turned, ({ id }) => statusNow(id))) {
    const ids = same.map(({ id }) => id)
    trx.later(trx('actions').whereIn('id', ids).update({ status }))
  }
}

/**
 * Appends an event per step. `counts`: each action's `event_count`, which is the sequence number of its last event now.
 */
function addEvents(
  trx: Transaction,
  steps: readonly StepRow[],
  counts: ReadonlyMap<string, number>,
  now: number,
): void {
  const events = [...groupBy(steps, ({ action_id }) => action_id)].flatMap(([actionId, ours]) =>
    ours.map((step, index) => ({
      action_id: actionId,
      sequence: counts.get(actionId)! - ours.length + 1 + index,
      step: JSON.stringify({ ...toStepView(step), traceparent: step.traceparent }),
      created_at: now,
    })),
  )
  trx.later(trx('events').insert(events))
}
