import type { Address, Hash } from 'viem'
import type { ChainAuthorization, Intent, StepRef } from '../domain/action.js'
import { ServiceError } from '../domain/errors.js'
import { decideRequest, type Order } from '../domain/request.js'
import type { SolverNeed } from '../domain/solverNeeds.js'
import type { StepKind } from '../domain/stepKind.js'
import type { StepView } from '../domain/views.js'
import { readIntentColumn } from './actions.js'
import { claimDue } from './claims.js'
import { reserveCredit } from './credits.js'
import type { Database, Transaction } from './database.js'
import type { JournalTransaction } from './journalTransactions.js'
import { bindPayment, isBindingSigned } from './payments.js'
import {
  type ActionRow,
  areSteps,
  attemptOf,
  type IntentRow,
  nameOfStep,
  refOf,
  stepKeyColumns,
  type StepRow,
  stepViewColumns,
  toStepView,
} from './rows.js'
import { changeStep } from './stepChange.js'

/** A step with all that carrying it out needs. */
export type StepWork = {
  ref: StepRef
  user: Address
  kind: StepKind
  intent: Intent
  chainAuthorizations: ChainAuthorization[]
  view: StepView
  stepKey: Hash | null
  transactionId: number | null
  /** It has to have a transaction of its own. */
  alone: boolean
  /** For how long the chain has said that it does not know the registered transaction, in milliseconds. */
  unseenMs: number
  /** The trace of the request that asked for it; null where none did. */
  traceparent: string | null
}

/** The steps by one statement, each at its reference's place; null where there is none. */
export async function readSteps(database: Database, refs: readonly StepRef[]): Promise<(StepView | null)[]> {
  const { sql, bindings } = areSteps(refs)
  const rows = await database.select<StepRow>(`SELECT ${stepViewColumns.join(', ')} FROM steps WHERE ${sql}`, bindings)
  const views = new Map(rows.map((row) => [nameOfStep(refOf(row)), toStepView(row)]))
  return refs.map((ref) => views.get(nameOfStep(ref)) ?? null)
}

/**
 * The steps that a transaction was signed for and that are no success, whether it carries them still or not: one that was
 * given up may yet be mined.
 */
export async function readStepsOf(
  database: Database,
  transaction: Pick<JournalTransaction, 'id' | 'signedFor'>,
): Promise<StepWork[]> {
  const open = () => database.knex<StepRow>('steps').whereNot({ status: 'success' })
  const rows = await open()
    .where({ transaction_id: transaction.id })
    .orderBy(['action_id', 'intent_index', 'step_index'])
  for (const ref of transaction.signedFor) {
    if (rows.some((row) => isSameStep(refOf(row), ref))) continue
    rows.push(...(await open().where(stepKeyColumns(ref))))
  }
  return rows.length === 0 ? [] : withIntents(database, rows)
}

function isSameStep(a: StepRef, b: StepRef): boolean {
  return a.actionId === b.actionId && a.intentIndex === b.intentIndex && a.stepIndex === b.stepIndex
}

export async function readStepWork(database: Database, ref: StepRef): Promise<StepWork | null> {
  const row = await database.knex<StepRow>('steps').where(stepKeyColumns(ref)).first()
  return row ? ((await withIntents(database, [row]))[0] ?? null) : null
}

/** By `nameOfStep`; one that is missing does not exist. In one order everywhere, so that locks of several don't cross. */
export async function lockSteps(
  database: Database,
  trx: Transaction,
  refs: readonly StepRef[],
): Promise<Map<string, StepRow>> {
  if (refs.length === 0) return new Map()
  const { sql, bindings } = areSteps(refs)
  const query = trx<StepRow>('steps').whereRaw(sql, bindings).orderBy(['action_id', 'intent_index', 'step_index'])
  const rows: StepRow[] = await database.lock(query)
  return new Map(rows.map((row) => [nameOfStep(refOf(row)), row]))
}

/** The step before it in its intent; null for the first. */
export async function readPreviousStep(database: Database, ref: StepRef): Promise<StepView | null> {
  if (ref.stepIndex === 0) return null
  const [view] = await readSteps(database, [{ ...ref, stepIndex: ref.stepIndex - 1 }])
  return view!
}

export type StepRequest = {
  ref: StepRef
  order: Order
  needs: SolverNeed[]
  /** Whether the intent is signed, so that the user's other credit may be used. */
  intentSigned: boolean
  /** W3C `traceparent` of the request, for the engine's log. Undefined: none. */
  traceparent?: string
}

/**
 * Stores what was asked of a step: decides, ties the payment, sets credit aside and hands the step to the engine, in one
 * transaction. Throws `ServiceError` when it can't be met, and then stores nothing.
 */
export async function requestStep(database: Database, request: StepRequest, now: number): Promise<StepView> {
  const { ref, order } = request
  return database.transact(async (trx) => {
    const row = await database.lock(trx<StepRow>('steps').where(stepKeyColumns(ref))).first()
    if (!row) throw new ServiceError('not_found', 'Step not found')
    const previous =
      ref.stepIndex === 0
        ? null
        : await trx<StepRow>('steps')
            .where(stepKeyColumns({ ...ref, stepIndex: ref.stepIndex - 1 }))
            .first('status')
    const view = toStepView(row)
    const decision = decideRequest(
      {
        kind: row.kind,
        status: row.status,
        error: view.error,
        attempts: row.attempts - row.excused,
        transactionHash: view.transactionHash,
        isRegistrationSigned: row.kind === 'payment' && (await isBindingSigned(trx, ref)),
      },
      previous?.status ?? null,
      order,
    )
    if (decision.outcome === 'answer') return view
    const hash = row.kind === 'payment' ? (order.hash ?? row.transaction_hash) : null
    if (hash) await bind(database, trx, row, hash, request, now)
    if (decision.ready) await reserveOrRefuse(database, trx, row, request, now)
    return toStepView(
      await changeStep(
        trx,
        ref,
        {
          status: 'executing',
          attempts: row.attempts + 1,
          transaction_hash: hash,
          transaction_id: null,
          block_number: null,
          confirmations: 0,
          error: null,
          follow: Number(decision.follow),
          traceparent: request.traceparent ?? null,
          registered_at: hash ? now : null,
          unseen_ms: 0,
          due_at: database.atOnce(),
        },
        now,
      ),
    )
  })
}

/** Takes up to `limit` steps that are due, for `leaseMs`; a claimer that dies lets them become due again. */
export async function claimDueSteps(database: Database, limit: number, leaseMs: number): Promise<StepWork[]> {
  const rows = await claimDue<StepRow>(database, 'steps', limit, leaseMs, (trx, due, dueAt) => {
    const { sql, bindings } = areSteps(due.map(refOf))
    return trx('steps').whereRaw(sql, bindings).update({ due_at: dueAt })
  })
  return rows.length === 0 ? [] : withIntents(database, rows)
}

/** Sets when a step that is still executing is to be looked at next, at the latest. */
export async function postponeStep(database: Database, ref: StepRef, delayMs: number): Promise<void> {
  const now = await database.clock(database.knex)
  await database.write((knex) =>
    knex('steps')
      .where({ ...stepKeyColumns(ref), status: 'executing' })
      .whereNull('transaction_id')
      .update({ due_at: now + delayMs }),
  )
}

/** Counts the time for which the chain has answered that it does not know a registered transaction. */
export async function noteUnseen(database: Database, ref: StepRef, byMs: number): Promise<void> {
  await database.write((knex) =>
    knex('steps')
      .where({ ...stepKeyColumns(ref), status: 'executing' })
      .increment('unseen_ms', Math.ceil(byMs)),
  )
}

/** Shows how deep a registered transaction is by now, or that it is in no block any more. */
export async function noteConfirmations(
  database: Database,
  ref: StepRef,
  seen: { hash: Hash; blockNumber: number | null; confirmations: number },
  now: number,
): Promise<void> {
  await database.transact(async (trx) => {
    const row = await database.lock(trx<StepRow>('steps').where(stepKeyColumns(ref))).first()
    if (row?.status !== 'executing' || row.transaction_hash !== seen.hash) return
    if (row.confirmations === seen.confirmations && row.block_number === seen.blockNumber) return
    await changeStep(trx, ref, { block_number: seen.blockNumber, confirmations: seen.confirmations }, now)
  })
}

async function bind(
  database: Database,
  trx: Transaction,
  row: StepRow,
  hash: Hash,
  request: StepRequest,
  now: number,
): Promise<void> {
  const bound = await bindPayment(
    database,
    trx,
    { chainId: row.chain_id, hash, user: row.user, ref: request.ref, signed: request.order.signed },
    now,
  )
  if (bound === 'used') {
    throw new ServiceError('transaction_already_used', `hash: the transaction ${hash} already backs another step.`)
  }
}

async function reserveOrRefuse(
  database: Database,
  trx: Transaction,
  row: StepRow,
  request: StepRequest,
  now: number,
): Promise<void> {
  const spender = {
    ref: request.ref,
    user: row.user,
    chainId: row.chain_id,
    signed: request.intentSigned,
    attempt: attemptOf({ ...row, attempts: row.attempts + 1 }),
  }
  const reserved = await reserveCredit(database, trx, spender, request.needs, now)
  if (reserved.outcome === 'reserved') return
  throw new ServiceError('insufficient_credit', 'The user has not enough credit for what the solver is to pay.', {
    token: reserved.token,
    required: reserved.required.toString(),
    available: reserved.available.toString(),
  })
}

async function withIntents(database: Database, rows: StepRow[]): Promise<StepWork[]> {
  const actionIds = [...new Set(rows.map((row) => row.action_id))]
  const [actions, intents] = await Promise.all([
    database.knex<ActionRow>('actions').whereIn('id', actionIds).select('id', 'authorizations'),
    database.knex<IntentRow>('intents').whereIn('action_id', actionIds).select('action_id', 'intent_index', 'intent'),
  ])
  return rows.map((row) => {
    const action = actions.find((entry) => entry.id === row.action_id)!
    const intent = intents.find(
      (entry) => entry.action_id === row.action_id && entry.intent_index === row.intent_index,
    )!
    return {
      ref: refOf(row),
      user: row.user,
      kind: row.kind,
      intent: readIntentColumn(intent.intent),
      chainAuthorizations: JSON.parse(action.authorizations) as ChainAuthorization[],
      view: toStepView(row),
      stepKey: row.step_key,
      transactionId: row.transaction_id,
      alone: Boolean(row.alone),
      unseenMs: row.unseen_ms,
      traceparent: row.traceparent,
    }
  })
}
