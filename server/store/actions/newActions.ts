import type { Hash } from 'viem'
import type { Action, ChainBatch } from '../../domain/action.js'
import { writeAmounts } from '../../domain/amountsJson.js'
import { grouped } from '../../concurrency/grouped.js'
import { chunkByWeight } from '../../lists/chunkByWeight.js'
import { stepKind } from '../../domain/stepKind.js'
import type { Database, Transaction } from '../connection/database.js'
import { isDuplicate } from '../connection/databaseErrors.js'

export type NewAction = {
  action: Action
  /** SHA-256 of the normalised request. */
  bodyHash: Hash
  /** For each intent its `signed_key` and its `signature_hash`; null for modes without a signature. */
  signedKeys: (Hash | null)[]
  signatureHashes: (Hash | null)[]
  /** keccak256(user, key); null when the client gave none. */
  idempotencyKeyHash: Hash | null
  /** How many blocks the step of a batch waits for. */
  requiredConfirmations: (batch: ChainBatch) => number
  now: number
}

type InsertOutcome =
  | { outcome: 'created' }
  /** The same request was stored before, found by its idempotency key or by a signed intent. */
  | { outcome: 'existing'; actionId: string; by: 'key' | 'intent' }
  | { outcome: 'keyReused' }
  | { outcome: 'duplicateIntent'; intentIndex: number }

/** How long an idempotency key is remembered. */
export const keyLifetimeMs = 24 * 60 * 60 * 1000

/**
 * How many actions share a transaction, and how many steps and characters of intents each of them may have. SQLite
 * takes 500 rows by one statement, and MariaDB a statement of `max_allowed_packet`, which is 4 MiB at the least.
 */
const mostTogether = 32
const mostSteps = 8
const mostCharacters = 32 * 1024
/**
 * How many characters of intents one statement writes, unless one intent has more. SQLite keeps the statement of each
 * number of rows prepared, with all that it has written last.
 */
const mostOfStatement = 128 * 1024

/**
 * Stores actions; those that come at the same time share a transaction, as long as nothing stands in the way of any.
 * Mostly nothing does, and they are written without a look: unique keys refuse actions that are known already. After
 * such a refusal, each group is looked up before it is written, until one holds no known action.
 */
export function createActionIntake(database: Database) {
  let looksFirst = false
  const together = grouped(async (writings: Writing[]) => {
    // An action that is posted twice at once would have the whole group refused.
    const first = firstOfEach(writings)
    if (!looksFirst && (await insertAll(database, first))) return writings.map((writing) => first.includes(writing))
    const stored = await insertNewActions(database, first)
    looksFirst = stored.includes(false)
    return writings.map((writing) => stored[first.indexOf(writing)] ?? false)
  }, mostTogether)
  return async (entry: NewAction): Promise<InsertOutcome> => {
    const writing = writingOf(entry)
    const isStored = isSmall(writing) && (await together(writing))
    return isStored ? { outcome: 'created' } : insertAlone(database, entry, writing)
  }
}

/** An action as it is written. */
type Writing = { entry: NewAction; intents: ReturnType<typeof intentRows>; steps: ReturnType<typeof stepRows> }

export function writingOf(entry: NewAction): Writing {
  return { entry, intents: intentRows(entry), steps: stepRows(entry) }
}

function isSmall({ intents, steps }: Writing): boolean {
  const characters = intents.reduce((sum, row) => sum + lengthOf(row), 0)
  return steps.length <= mostSteps && characters <= mostCharacters
}

function lengthOf({ intent, batches }: Writing['intents'][number]): number {
  return intent.length + batches.length
}

/** The actions that share neither an idempotency key nor a signed intent with one before them. */
function firstOfEach(writings: readonly Writing[]): Writing[] {
  const seen = new Set<Hash>()
  return writings.filter(({ entry }) => {
    const keys = [entry.idempotencyKeyHash, ...entry.signedKeys].filter((key) => key !== null)
    const isFirst = !keys.some((key) => seen.has(key))
    for (const key of keys) seen.add(key)
    return isFirst
  })
}

/**
 * Stores actions in one transaction. False: one of them is stored already, or comes twice here, and none was stored.
 */
export async function insertAll(database: Database, writings: readonly Writing[]): Promise<boolean> {
  try {
    await database.transact(async (trx) => writeActions(trx, writings))
    return true
  } catch (error) {
    if (isDuplicate(error)) return false
    throw error
  }
}

/** True for each action that was stored; the others are stored already, or may be, and need `insertAlone`. */
async function insertNewActions(database: Database, writings: readonly Writing[]): Promise<boolean[]> {
  const entries = writings.map(({ entry }) => entry)
  try {
    return await database.transact(async (trx) => {
      const keys = entries.flatMap(({ idempotencyKeyHash }) => idempotencyKeyHash ?? [])
      const signed = entries.flatMap(({ signedKeys }) => signedKeys.filter((key) => key !== null))
      const found = await trx.together(
        ...knownOf(trx, 'idempotency_keys', 'key_hash', keys),
        ...knownOf(trx, 'intents', 'signed_key', signed),
      )
      const known = new Set(found.flat())
      const isNew = entries.map(({ idempotencyKeyHash, signedKeys }) =>
        [idempotencyKeyHash, ...signedKeys].every((key) => key === null || !known.has(key)),
      )
      const fresh = writings.filter((_writing, index) => isNew[index])
      if (fresh.length > 0) writeActions(trx, fresh)
      return isNew
    })
  } catch (error) {
    // One of the actions came twice at once; none is stored.
    if (isDuplicate(error)) return entries.map(() => false)
    throw error
  }
}

/** The statement that finds which of these keys are stored, as a list of one; no statement where there are no keys. */
function knownOf(trx: Transaction, table: string, column: string, keys: readonly Hash[]) {
  return keys.length === 0 ? [] : [trx(table).whereIn(column, keys).pluck<Hash[]>(column)]
}

/** Stores an action with its intents and steps, or tells what stands in its way. All or nothing. */
export async function insertAlone(
  database: Database,
  entry: NewAction,
  writing = writingOf(entry),
): Promise<InsertOutcome> {
  try {
    return await database.transact(async (trx) => {
      const known = await findKnown(trx, entry)
      if (known?.outcome === 'existing' && known.by === 'intent') {
        const key = keyRow(entry, known.actionId)
        if (key.length > 0) await trx('idempotency_keys').insert(key)
      }
      if (known) return known
      forgetExpiredKey(trx, entry)
      writeActions(trx, [writing])
      return { outcome: 'created' }
    })
  } catch (error) {
    // The same request came twice at once, and the other one was stored first: that action answers both.
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

/** Makes room for the action's key where it was used long ago. One that was stored anew meanwhile stays. */
function forgetExpiredKey(trx: Transaction, { idempotencyKeyHash, now }: NewAction): void {
  if (!idempotencyKeyHash) return
  const kept = trx('idempotency_keys').where({ key_hash: idempotencyKeyHash })
  trx.later(kept.where('created_at', '<=', now - keyLifetimeMs).delete())
}

/** Writes actions by one statement per table, however many they are; but for intents that are long. */
function writeActions(trx: Transaction, writings: readonly Writing[]): void {
  trx.later(trx('actions').insert(writings.map(({ entry }) => actionRow(entry))))
  const intents = writings.flatMap((writing) => writing.intents)
  for (const some of chunkByWeight(intents, (row) => BigInt(lengthOf(row)), BigInt(mostOfStatement))) {
    trx.later(trx('intents').insert(some))
  }
  trx.later(trx('steps').insert(writings.flatMap(({ steps }) => steps)))
  const keys = writings.flatMap(({ entry }) => keyRow(entry, entry.action.actionId))
  if (keys.length > 0) trx.later(trx('idempotency_keys').insert(keys))
}

function actionRow({ action, bodyHash, now }: NewAction) {
  return {
    id: action.actionId,
    user: action.user,
    body_hash: bodyHash,
    authorizations: JSON.stringify(action.chainAuthorizations),
    status: 'created',
    created_at: now,
    updated_at: now,
  }
}

function intentRows({ action, signedKeys, signatureHashes, now }: NewAction) {
  return action.intents.map((intent, index) => ({
    action_id: action.actionId,
    intent_index: index,
    mode: intent.mode,
    intent: writeAmounts(intent),
    batches: writeAmounts(intent.chainBatches.map(({ chainId, tokenTransfers }) => ({ chainId, tokenTransfers }))),
    signed_key: signedKeys[index] ?? null,
    signature_hash: signatureHashes[index] ?? null,
    status: 'created',
    created_at: now,
    updated_at: now,
  }))
}

function stepRows({ action, requiredConfirmations, now }: NewAction) {
  return action.intents.flatMap((intent, intentIndex) =>
    intent.chainBatches.map((batch, stepIndex) => ({
      action_id: action.actionId,
      intent_index: intentIndex,
      step_index: stepIndex,
      user: action.user,
      mode: intent.mode,
      kind: stepKind(intent.mode, batch),
      chain_id: batch.chainId,
      status: 'created',
      required_confirmations: requiredConfirmations(batch),
      created_at: now,
      updated_at: now,
    })),
  )
}

/** The row of the client's idempotency key, as a list of one; empty if the client gave none. */
function keyRow({ idempotencyKeyHash, bodyHash, now }: NewAction, actionId: string) {
  return idempotencyKeyHash === null
    ? []
    : [{ key_hash: idempotencyKeyHash, body_hash: bodyHash, action_id: actionId, created_at: now }]
}
