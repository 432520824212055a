import type { Address, Hash } from 'viem'
import {
  type ChainAuthorization,
  type ChainBatch,
  type Intent,
  nameOfStep,
  type StepAttempt,
  type StepRef,
} from '../../domain/action.js'
import { readAmounts } from '../../domain/amountsJson.js'
import type { StepKind } from '../../domain/stepKind.js'
import type { StepView } from '../../domain/views.js'
import { type Claim, claimDue, putOff } from '../claims.js'
import type { Database, Transaction } from '../connection/database.js'
import type { JournalTransaction } from '../journal/journalTransactions.js'
import {
  type ActionRow,
  areIntents,
  areSteps,
  attemptOf,
  type IntentRow,
  nameOfIntent,
  refOf,
  stepKeyColumns,
  type StepRow,
  stepViewColumns,
  toStepView,
} from '../rows.js'
import { changeStep } from './stepChange.js'

/** A step with all that carrying it out needs. */
export type StepWork = StepState & {
  intent: Intent
  /** Its part of the intent. */
  batch: ChainBatch
  chainAuthorizations: ChainAuthorization[]
  /** How long intent and authorizations are together as they are stored, in characters. */
  contentLength: number
}

/** The part of a step's work that is in its own row. */
type StepState = StepAttempt & {
  user: Address
  kind: StepKind
  view: StepView
  stepKey: Hash | null
  transactionId: number | null
  /** It is the one open step of its user on its chain. */
  hasAccount: boolean
  /** The step must not share its transaction with others. */
  alone: boolean
  /** For how long the chain has said that it does not know the registered transaction, in milliseconds. */
  unseenMs: number
  /** The trace of the request that asked for the step; null where none did. */
  traceparent: string | null
}

/** Reads steps by one statement, each at its reference's place; null where there is no such step. */
export async function readSteps(database: Database, refs: readonly StepRef[]): Promise<(StepView | null)[]> {
  const { sql, bindings } = areSteps(refs)
  const rows = await database.select<StepRow>(`SELECT ${stepViewColumns.join(', ')} FROM steps WHERE ${sql}`, bindings)
  const views = new Map(rows.map((row) => [nameOfStep(refOf(row)), toStepView(row)]))
  return refs.map((ref) => views.get(nameOfStep(ref)) ?? null)
}

/**
 * The steps that a transaction was signed for and that have not succeeded, also those that it doesn't carry any more: a
 * transaction that was given up may yet be mined.
 */
export async function readStepsOf(
  database: Database,
  transaction: Pick<JournalTransaction, 'id' | 'signedFor'>,
): Promise<StepWork[]> {
  const open = (sql: string, bindings: readonly (string | number)[]) =>
    selectWorks(database, `${sql} AND steps.status <> 'success' ORDER BY action_id, intent_index, step_index`, bindings)
  const works = await open('transaction_id = ?', [transaction.id])
  const found = new Set(works.map(({ ref }) => nameOfStep(ref)))
  const others = transaction.signedFor.filter((ref) => !found.has(nameOfStep(ref)))
  if (others.length === 0) return works
  const { sql, bindings } = areSteps(others)
  return [...works, ...(await open(sql, bindings))]
}

/** As `readSteps`, with all that carrying the steps out needs. */
export async function readStepWorks(database: Database, refs: readonly StepRef[]): Promise<(StepWork | null)[]> {
  const { sql, bindings } = areSteps(refs)
  const works = await selectWorks(database, sql, bindings)
  const byName = new Map(works.map((work) => [nameOfStep(work.ref), work]))
  return refs.map((ref) => byName.get(nameOfStep(ref)) ?? null)
}

/** The works of the steps that an SQL condition holds for, by one statement. */
async function selectWorks(
  database: Database,
  condition: string,
  bindings: readonly (string | number)[],
): Promise<StepWork[]> {
  const rows = await database.select<StepRow & ContentColumns>(
    'SELECT steps.*, intent, authorizations FROM steps JOIN intents USING (action_id, intent_index) ' +
      `JOIN actions ON actions.id = action_id WHERE ${condition}`,
    bindings,
  )
  const contents = new Map<string, Content>()
  return rows.map((row) => {
    const name = nameOfIntent({ actionId: row.action_id, intentIndex: row.intent_index })
    if (!contents.has(name)) contents.set(name, readContent(row))
    return workOf(row, contents.get(name)!)
  })
}

type ContentColumns = Pick<IntentRow, 'intent'> & Pick<ActionRow, 'authorizations'>
/** What an action and its intent say of a step. All steps of an intent share one object. */
type Content = Pick<StepWork, 'intent' | 'chainAuthorizations' | 'contentLength'>

function readContent({ intent, authorizations }: ContentColumns): Content {
  return {
    intent: readAmounts(intent) as Intent,
    chainAuthorizations: JSON.parse(authorizations) as ChainAuthorization[],
    contentLength: intent.length + authorizations.length,
  }
}

/**
 * The statement that locks these steps, at least one. A step that is missing from its answer does not
 * exist, or with `skipLocked` may be locked by somebody else. The order is the same everywhere, so that no
 * two lockers wait for each other.
 */
export function lockedSteps(trx: Transaction, refs: readonly StepRef[], options = { skipLocked: false }) {
  const { sql, bindings } = areSteps(refs)
  const query = trx<StepRow>('steps').whereRaw(sql, bindings).orderBy(['action_id', 'intent_index', 'step_index'])
  return trx.lock(query, options)
}

/** Takes steps that are due; a claimer that dies lets them become due again. */
export async function claimDueSteps(database: Database, claim: Claim): Promise<StepWork[]> {
  const rows = await claimDue<StepRow>(database, 'steps', claim, (trx, due, dueAt) => {
    const { sql, bindings } = areSteps(due.map(refOf))
    return trx('steps').whereRaw(sql, bindings).update({ due_at: dueAt })
  })
  return rows.length === 0 ? [] : withIntents(database, rows)
}

/**
 * When a step is to be looked at next. `unseen`: for how long the chain will have answered by then that it does not
 * know the registered transaction. Undefined: what is stored of that stays.
 */
export type StepWait = { ref: StepRef; delayMs: number; unseen?: { hash: Hash; forMs: number } }

/**
 * Sets when steps that are still executing are to be looked at next, at the latest. A step that somebody else has
 * locked stays due when its lease is over. A power loss may undo this, and the steps are looked at earlier.
 */
export async function postponeSteps(database: Database, waits: readonly StepWait[]): Promise<void[]> {
  const postpone = async (trx: Transaction) => {
    const rows = await lockedSteps(
      trx,
      waits.map(({ ref }) => ref),
      { skipLocked: true },
    )
    const free = new Set(rows.map((row) => nameOfStep(refOf(row))))
    for (const { ref, delayMs, unseen } of waits.filter((wait) => free.has(nameOfStep(wait.ref)))) {
      const waiting = waitingStep(trx, ref)
        // A step that is due already was hurried during its visit, which may have seen
        // what is out of date: it stays due.
        .where('due_at', '>', trx.atOnce())
      // Another transaction may be registered by now, for which nobody has looked yet.
      const unseen_ms =
        unseen &&
        trx.raw('CASE WHEN transaction_hash = ? THEN ? ELSE unseen_ms END', [unseen.hash, Math.ceil(unseen.forMs)])
      trx.later(waiting.update({ due_at: putOff(trx, 'steps', delayMs), ...(unseen && { unseen_ms }) }))
    }
  }
  await database.transact(postpone, { durable: false })
  return waits.map(() => undefined)
}

/**
 * Has steps looked at at once. False, at its index: the step is not executing, or a transaction carries it. A step that
 * somebody else has locked is left to him. What a failure of the machine's power undoes of it is due a little later.
 */
export async function hurrySteps(database: Database, refs: readonly StepRef[]): Promise<boolean[]> {
  const hurry = async (trx: Transaction) => {
    const free = await lockedSteps(trx, refs, { skipLocked: true })
    const isWaiting = (row: StepRow) => row.status === 'executing' && row.transaction_id === null
    const waiting = free.filter(isWaiting).map(refOf)
    if (waiting.length > 0) {
      const { sql, bindings } = areSteps(waiting)
      trx.later(trx('steps').whereRaw(sql, bindings).update({ due_at: trx.atOnce() }))
    }
    return free.filter((row) => !isWaiting(row)).map((row) => nameOfStep(refOf(row)))
  }
  const gone = new Set(await database.transact(hurry, { durable: false }))
  return refs.map((ref) => !gone.has(nameOfStep(ref)))
}

/** The query for the step, as long as it is executing and no transaction carries it. */
function waitingStep(trx: Transaction, ref: StepRef) {
  return trx('steps')
    .where({ ...stepKeyColumns(ref), status: 'executing' })
    .whereNull('transaction_id')
}

/** Notes how deep a registered transaction is by now, or that it is in no block any more. */
export async function noteConfirmations(
  database: Database,
  ref: StepRef,
  seen: { hash: Hash; blockNumber: number | null; confirmations: number },
  now: number,
): Promise<void> {
  await database.transact(async (trx) => {
    const row = await trx.lock(trx<StepRow>('steps').where(stepKeyColumns(ref))).first()
    if (row?.status !== 'executing' || row.transaction_hash !== seen.hash) return
    // Another node may have been ahead of this one: what is known to lie so deep lies there for all.
    if (row.block_number === seen.blockNumber && row.confirmations >= seen.confirmations) return
    await changeStep(trx, ref, { block_number: seen.blockNumber, confirmations: seen.confirmations }, now)
  })
}

async function withIntents(database: Database, rows: StepRow[]): Promise<StepWork[]> {
  const { sql, bindings } = areIntents(rows.map(refOf))
  const intents = await database.select<Pick<IntentRow, 'action_id' | 'intent_index'> & ContentColumns>(
    `SELECT action_id, intent_index, intent, authorizations FROM intents JOIN actions ON actions.id = action_id WHERE ${sql}`,
    bindings,
  )
  const nameOf = (row: Pick<IntentRow, 'action_id' | 'intent_index'>) =>
    nameOfIntent({ actionId: row.action_id, intentIndex: row.intent_index })
  const contents = new Map(intents.map((row) => [nameOf(row), readContent(row)]))
  return rows.map((row) => workOf(row, contents.get(nameOf(row))!))
}

function workOf(row: StepRow, content: Content): StepWork {
  return { ...stateOf(row), ...content, batch: content.intent.chainBatches[row.step_index]! }
}

export function stateOf(row: StepRow): StepState {
  return {
    ref: refOf(row),
    attempt: attemptOf(row),
    user: row.user,
    kind: row.kind,
    view: toStepView(row),
    stepKey: row.step_key,
    transactionId: row.transaction_id,
    hasAccount: row.open_account !== null,
    alone: Boolean(row.alone),
    unseenMs: row.unseen_ms,
    traceparent: row.traceparent,
  }
}
