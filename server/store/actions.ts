import type { Address, Hash } from 'viem'
import type { Action, ChainBatch, Intent, Status } from '../domain/action.js'
import { stepKind } from '../domain/stepKind.js'
import type { ActionView, BatchView, IntentView } from '../domain/views.js'
import { type Database, isDuplicate, type Transaction } from './database.js'
import { type ActionRow, type IntentRow, type StepRow, toStepView } from './rows.js'

export type NewAction = {
  action: Action
  /** SHA-256 of the normalised request. */
  bodyHash: Hash
  /** Per intent; null for modes without a signature. */
  signedKeys: (Hash | null)[]
  signatureHashes: (Hash | null)[]
  /** keccak256(user, key); null when the client gave none. */
  idempotencyKeyHash: Hash | null
  /** By chain id. */
  requiredConfirmations: (batch: ChainBatch) => number
  now: number
}

export type InsertOutcome =
  | { outcome: 'created' }
  /** The same request was stored before, found by its idempotency key or by a signed intent. */
  | { outcome: 'existing'; actionId: string; by: 'key' | 'intent' }
  | { outcome: 'keyReused' }
  | { outcome: 'duplicateIntent'; intentIndex: number }

/** How long an idempotency key is remembered. */
export const keyLifetimeMs = 24 * 60 * 60 * 1000

/** Stores an action with its intents and steps, or tells what stands in its way. All or nothing. */
export async function insertAction(database: Database, entry: NewAction): Promise<InsertOutcome> {
  try {
    return await database.transact(async (trx) => {
      const known = await findKnown(trx, entry)
      if (known?.outcome === 'existing' && known.by === 'intent') await writeKey(trx, entry, known.actionId)
      if (known) return known
      await writeAction(trx, entry)
      return { outcome: 'created' }
    })
  } catch (error) {
    // The same request came twice at once, and the other one was first: it answers for both.
    if (!isDuplicate(error)) throw error
    const known = await database.transact((trx) => findKnown(trx, entry))
    if (!known) throw error
    return known
  }
}

/** Whether the same request was stored before, or something stands in its way. */
export function findKnownAction(database: Database, entry: NewAction): Promise<InsertOutcome | null> {
  return database.transact((trx) => findKnown(trx, entry))
}

export async function readAction(database: Database, actionId: string): Promise<ActionView | null> {
  const [action, intents, steps] = await Promise.all([
    database.knex<ActionRow>('actions').where({ id: actionId }).first(),
    database
      .knex<IntentRow>('intents')
      .where({ action_id: actionId })
      .orderBy('intent_index')
      .select(...intentColumns),
    database.knex<StepRow>('steps').where({ action_id: actionId }).orderBy(['intent_index', 'step_index']),
  ])
  return action ? toActionView(action, intents, steps) : null
}

/** Which actions to list; null: any. */
export type ActionFilter = { user: Address | null; status: Status | null; transactionHash: Hash | null }

/** Newest first: by id, which sorts by time. `before` is the id of the last action of the page before. */
export async function listActions(
  database: Database,
  filter: ActionFilter & { before: string | null; limit: number },
): Promise<ActionView[]> {
  const query = database.knex<ActionRow>('actions').orderBy('id', 'desc').limit(filter.limit)
  if (filter.user !== null) void query.where({ user: filter.user })
  if (filter.status !== null) void query.where({ status: filter.status })
  if (filter.before !== null) void query.where('id', '<', filter.before)
  if (filter.transactionHash !== null) {
    void query.whereIn(
      'id',
      database.knex<StepRow>('steps').where({ transaction_hash: filter.transactionHash }).select('action_id'),
    )
  }
  const actions = await query.select('id', 'user', 'status', 'created_at', 'updated_at')
  const ids = actions.map((action) => action.id)
  if (ids.length === 0) return []
  const [intents, steps] = await Promise.all([
    database
      .knex<IntentRow>('intents')
      .whereIn('action_id', ids)
      .orderBy('intent_index')
      .select(...intentColumns),
    database.knex<StepRow>('steps').whereIn('action_id', ids).orderBy(['intent_index', 'step_index']),
  ])
  return actions.map((action) =>
    toActionView(
      action,
      intents.filter((intent) => intent.action_id === action.id),
      steps.filter((step) => step.action_id === action.id),
    ),
  )
}

/** The intent that carries this signature, by the signature's keccak256. */
export async function findIntentBySignature(
  database: Database,
  signatureHash: Hash,
): Promise<{ actionId: string; intentIndex: number } | null> {
  const row = await database
    .knex<IntentRow>('intents')
    .where({ signature_hash: signatureHash })
    .first('action_id', 'intent_index')
  return row ? { actionId: row.action_id, intentIndex: row.intent_index } : null
}

export async function readIntent(
  database: Database,
  actionId: string,
  intentIndex: number,
): Promise<IntentView | null> {
  const key = { action_id: actionId, intent_index: intentIndex }
  const [intent, steps] = await Promise.all([
    database
      .knex<IntentRow>('intents')
      .where(key)
      .first(...intentColumns),
    database.knex<StepRow>('steps').where(key).orderBy('step_index'),
  ])
  return intent ? toIntentView(intent, steps) : null
}

const intentColumns = ['action_id', 'intent_index', 'mode', 'status', 'batches', 'created_at', 'updated_at'] as const

type IntentColumns = Pick<IntentRow, (typeof intentColumns)[number]>

function toActionView(
  action: Pick<ActionRow, 'id' | 'user' | 'status' | 'created_at' | 'updated_at'>,
  intents: IntentColumns[],
  steps: StepRow[],
): ActionView {
  return {
    actionId: action.id,
    user: action.user,
    status: action.status,
    intents: intents.map((intent) =>
      toIntentView(
        intent,
        steps.filter((step) => step.intent_index === intent.intent_index),
      ),
    ),
    createdAt: action.created_at,
    updatedAt: action.updated_at,
  }
}

function toIntentView(row: IntentColumns, steps: StepRow[]): IntentView {
  return {
    actionId: row.action_id,
    intentIndex: row.intent_index,
    mode: row.mode,
    status: row.status,
    chainBatches: readBatches(row.batches),
    steps: steps.map(toStepView),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

async function findKnown(trx: Transaction, entry: NewAction): Promise<InsertOutcome | null> {
  if (entry.idempotencyKeyHash) {
    const key = { key_hash: entry.idempotencyKeyHash }
    const used = await trx<{ body_hash: Hash; action_id: string; created_at: number }>('idempotency_keys')
      .where(key)
      .first()
    if (used && used.created_at > entry.now - keyLifetimeMs) {
      return used.body_hash === entry.bodyHash
        ? { outcome: 'existing', actionId: used.action_id, by: 'key' }
        : { outcome: 'keyReused' }
    }
    if (used) await trx('idempotency_keys').where(key).delete()
  }
  for (const [intentIndex, signedKey] of entry.signedKeys.entries()) {
    if (!signedKey) continue
    const known = await trx('intents')
      .join('actions', 'actions.id', 'intents.action_id')
      .where({ 'intents.signed_key': signedKey })
      .first<{ id: string; body_hash: Hash } | undefined>('actions.id', 'actions.body_hash')
    if (!known) continue
    return known.body_hash === entry.bodyHash
      ? { outcome: 'existing', actionId: known.id, by: 'intent' }
      : { outcome: 'duplicateIntent', intentIndex }
  }
  return null
}

async function writeAction(trx: Transaction, entry: NewAction): Promise<void> {
  const { action, now } = entry
  const times = { created_at: now, updated_at: now }
  await trx('actions').insert({
    id: action.actionId,
    user: action.user,
    body_hash: entry.bodyHash,
    authorizations: JSON.stringify(action.chainAuthorizations),
    status: 'created',
    ...times,
  })
  await trx('intents').insert(
    action.intents.map((intent, index) => ({
      action_id: action.actionId,
      intent_index: index,
      mode: intent.mode,
      intent: writeJson(intent),
      batches: writeJson(intent.chainBatches.map(({ chainId, tokenTransfers }) => ({ chainId, tokenTransfers }))),
      signed_key: entry.signedKeys[index] ?? null,
      signature_hash: entry.signatureHashes[index] ?? null,
      status: 'created',
      ...times,
    })),
  )
  const steps = action.intents.flatMap((intent, intentIndex) => stepRows(action.user, intent, intentIndex, entry))
  await trx('steps').insert(steps.map((step) => ({ action_id: action.actionId, ...step, ...times })))
  await writeKey(trx, entry, action.actionId)
}

async function writeKey(trx: Transaction, entry: NewAction, actionId: string): Promise<void> {
  if (!entry.idempotencyKeyHash) return
  await trx('idempotency_keys').insert({
    key_hash: entry.idempotencyKeyHash,
    body_hash: entry.bodyHash,
    action_id: actionId,
    created_at: entry.now,
  })
}

function stepRows(user: Address, intent: Intent, intentIndex: number, entry: NewAction) {
  return intent.chainBatches.map((batch, stepIndex) => ({
    intent_index: intentIndex,
    step_index: stepIndex,
    user,
    mode: intent.mode,
    kind: stepKind(intent.mode, batch),
    chain_id: batch.chainId,
    status: 'created',
    required_confirmations: entry.requiredConfirmations(batch),
  }))
}

/** JSON has no bigint: amounts and values are written as decimal strings and read back by `readJson`. */
function writeJson(content: Intent | BatchView[]): string {
  return JSON.stringify(content, (_key, value: unknown) => (typeof value === 'bigint' ? value.toString() : value))
}

/** The reverse of what `insertAction` writes. */
export function readIntentColumn(text: string): Intent {
  return readJson(text) as Intent
}

function readBatches(text: string): BatchView[] {
  return readJson(text) as BatchView[]
}

function readJson(text: string): unknown {
  return JSON.parse(text, (key, value: unknown) =>
    (key === 'amount' || key === 'value') && typeof value === 'string' ? BigInt(value) : value,
  )
}
