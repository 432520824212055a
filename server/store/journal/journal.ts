import type { Knex } from 'knex'
import type { Address, Hash, Hex } from 'viem'
import { type ChainAuthorization, nameOfStep, type StepAttempt, type StepRef } from '../../domain/action.js'
import type { Airdrop } from '../../domain/airdrop.js'
import type { NotedSend } from '../../domain/sendKind.js'
import type { StepView } from '../../domain/views.js'
import { bindAirdrop, carriersOfAirdrops } from '../airdrops.js'
import type { Database, Transaction } from '../connection/database.js'
import { isDuplicate } from '../connection/databaseErrors.js'
import { type FormRow, attemptOf, byName, refOf, type StepRow, toStepView, type TransactionRow } from '../rows.js'
import {
  type CarriedStep,
  type JournalTransaction,
  type SignedForm,
  toCarried,
  toTransaction,
} from './journalTransactions.js'
import { ownAccount } from '../actions/preparation.js'
import { changeSteps } from '../actions/stepChange.js'
import { someLaneAhead } from './lanes.js'
import { lockedSteps } from '../actions/steps.js'

/**
 * The journal holds every transaction that the service has signed, from before it is sent on, for good.
 * A nonce is taken and its signed bytes are stored in one database transaction; only stored bytes are ever sent.
 * States of a transaction: `open` (signed; sent or not, mined or not) → `final` (settled) or `lost` (something else has used
 * its nonce, as an operator has found). A reorganisation deeper than the confirmations makes a final one open again, and
 * a nonce that the chain still waits for a lost one; what has no step or airdrop left by then is cancelled, unless it is
 * mined before.
 */

export type NewTransaction = {
  chainId: number
  signer: Address
  to: Address
  data: Hex
  authorizations: ChainAuthorization[]
  gasLimit: bigint
  /**
   * With the attempt that each was prepared for; only that one's credit has been seen to be set aside. More than one: a
   * bundle.
   */
  steps: StepAttempt[]
  /** Null: the transaction carries steps only. */
  airdrop: Airdrop | null
  /**
   * Signs the payload with the lane's nonce, outside of any database transaction: it may be slow, and it may throw.
   * Called again with another nonce when that one was taken meanwhile; bytes that are not stored are forgotten.
   */
  sign: (nonce: number) => Promise<SignedForm>
}

export type RecordOutcome =
  | { outcome: 'recorded'; transaction: JournalTransaction; steps: StepView[] }
  /** Other visits have got further with these steps, or with the airdrop. Nothing was stored. */
  | { outcome: 'stale'; steps: StepRef[] }
  | { outcome: 'lanePaused' }
  /** A lane is ahead of the journal, and a step pays out on credit. */
  | { outcome: 'held' }
  /** Others have taken the lane's nonces for as long as was tried. */
  | { outcome: 'laneBusy' }

/** How long a nonce is tried for. Losing one means that someone else has got further, so it ends without this too. */
const tryNoncesMs = 5_000
/** How soon an open transaction is looked at without a block that mentions it. */
const lookAgainMs = 5_000

/**
 * Takes the lane's nonce, stores the signed bytes and ties them to the steps: all or nothing. The bytes are signed
 * before, for the nonce that the lane shows, and stored only if the locked lane still shows it: however long a signer
 * takes, no lock and no connection waits for it. A lane whose last two nonces were taken here is not asked first; if it
 * has moved all the same, or is paused, that costs a signature, which is forgotten.
 */
export function createTransactionRecorder(database: Database) {
  /** What each lane showed after the last transaction that was stored here. */
  const last = new Map<string, { next: number; isOnlyOurs: boolean }>()

  return async (entry: NewTransaction, now: number): Promise<RecordOutcome> => {
    const laneKey = { chain_id: entry.chainId, signer: entry.signer }
    const name = `${entry.chainId} ${entry.signer}`
    const before = last.get(name)
    last.delete(name)
    let guess = before?.isOnlyOurs ? before.next : null
    const started = performance.now()
    while (performance.now() - started < tryNoncesMs) {
      const lane = guess === null ? await database.knex<LaneState>('lanes').where(laneKey).first() : null
      if (guess === null && lane?.status !== 'active') return { outcome: 'lanePaused' }
      const nonce = guess ?? lane!.next_nonce
      guess = null
      const form = await entry.sign(nonce)
      const recorded = await storeSigned(database, entry, nonce, form, now)
      if (recorded.outcome === 'recorded') last.set(name, { next: nonce + 1, isOnlyOurs: before?.next === nonce })
      if (recorded.outcome !== 'nonceTaken') return recorded
    }
    return { outcome: 'laneBusy' }
  }
}

type LaneState = { next_nonce: number; status: string }

async function storeSigned(
  database: Database,
  entry: NewTransaction,
  nonce: number,
  form: SignedForm,
  now: number,
): Promise<RecordOutcome | { outcome: 'nonceTaken' }> {
  /** Those whose account another visit, which was told to wait, has given back meanwhile. */
  let withoutAccount: StepRef[] = []
  const store = async (trx: Transaction): Promise<RecordOutcome | { outcome: 'nonceTaken' }> => {
    withoutAccount = []
    const laneKey = { chain_id: entry.chainId, signer: entry.signer }
    const refs = entry.steps.map(({ ref }) => ref)
    const [[lane], ahead, locked = []] = await trx.together(
      database.lock(trx<LaneState>('lanes').where(laneKey)),
      someLaneAhead(trx),
      ...(refs.length > 0 ? [lockedSteps(database, trx, refs)] : []),
    )
    if (lane?.status !== 'active') return { outcome: 'lanePaused' }
    const stale: StepRef[] = []
    const carried: CarriedStep[] = []
    const rows = byName(locked)
    // As `readStepsOf` gives them.
    const steps = [...entry.steps].sort((a, b) => byRef(a.ref, b.ref))
    for (const { ref, attempt } of steps) {
      const step = rows.get(nameOfStep(ref))
      const isOpen = step?.status === 'executing' && step.transaction_id === null && attemptOf(step) === attempt
      if (isOpen) carried.push(toCarried(step))
      else stale.push(ref)
      if (isOpen && step.kind === 'delegated' && step.open_account === null) withoutAccount.push(ref)
    }
    if (stale.length > 0) return { outcome: 'stale', steps: stale }
    const pays = [...rows.values()].some(({ step_key }) => step_key !== null)
    if (pays && ahead.length > 0) return { outcome: 'held' }
    if (entry.airdrop && !(await bindAirdrop(database, trx, entry.airdrop, null)))
      return { outcome: 'stale', steps: [] }
    // After the steps: one that another visit has got further with needs no other nonce.
    if (lane.next_nonce !== nonce) return { outcome: 'nonceTaken' }
    const row = newRow({ ...entry, nonce, signedFor: refs }, now)
    // Not asked for, which would be a trip of its own.
    const inserted = trx<TransactionRow>('transactions').where({ ...laneKey, nonce })
    const insertedId = inserted.clone().select('id')
    trx.later(trx('transactions').insert(row))
    trx.later(trx('attempts').insert(formColumns(insertedId, form, now)))
    trx.later(
      trx('lanes')
        .where(laneKey)
        .update({ next_nonce: nonce + 1, updated_at: now }),
    )
    const change = { transaction_id: insertedId, transaction_hash: form.hash, due_at: null }
    const retaken = { ...change, open_account: ownAccount(database) }
    const changed = await changeSteps(
      trx,
      steps.map(({ ref }) => ({ ref, change: withoutAccount.includes(ref) ? retaken : change })),
      now,
    )
    const id = changed[0]?.transaction_id ?? (await inserted.clone().first('id'))!.id
    if (entry.airdrop) await bindAirdrop(database, trx, entry.airdrop, { id, hash: form.hash })
    const transaction = toTransaction({ ...row, id }, [form], carried)
    return { outcome: 'recorded', transaction, steps: changed.map(toStepView) }
  }
  try {
    return await database.transact(store)
  } catch (error) {
    // Another step has it by now.
    if (withoutAccount.length > 0 && isDuplicate(error)) return { outcome: 'stale', steps: withoutAccount }
    throw error
  }
}

/** Stores another signed form of an open transaction, unless someone stored one meanwhile. */
export async function recordForm(
  database: Database,
  transaction: JournalTransaction,
  form: SignedForm,
  now: number,
): Promise<'recorded' | 'stale'> {
  return database.transact(async (trx) => {
    const row = await database.lock(trx<TransactionRow>('transactions').where({ id: transaction.id })).first()
    if (row?.status !== 'open') return 'stale'
    const stored = await trx<FormRow>('attempts').where({ transaction_id: transaction.id }).select('hash')
    if (stored.length !== transaction.forms.length) return 'stale'
    const steps = await trx<StepRow>('steps').where({ transaction_id: transaction.id, status: 'executing' })
    const isWanted = async () => steps.length > 0 || (await carriersOfAirdrops(trx, [transaction.id])).length > 0
    // Its end was undone once more since it was read.
    if (transaction.isUnwanted && (await isWanted())) return 'stale'
    trx.later(trx('attempts').insert(formColumns(transaction.id, form, now)))
    trx.later(trx('transactions').where({ id: transaction.id }).update({ signed_at: now, updated_at: now }))
    const change = { transaction_hash: form.hash }
    await changeSteps(
      trx,
      steps.map((step) => ({ ref: refOf(step), change })),
      now,
    )
    return 'recorded'
  })
}

/**
 * Notes what the nodes said to a send and when to look again. How long its first form has waited for a block counts from
 * the first send: it may have been held back for as long as other transactions of its lane were with the nodes.
 * `waitsAnew`: it counts from now.
 */
export async function noteSend(
  database: Database,
  transactionId: number,
  { outcome, dueAt, waitsAnew = false }: { outcome: NotedSend; dueAt: number; waitsAnew?: boolean },
  now: number,
): Promise<void> {
  // First what reads `sent_at`: MySQL assigns from left to right.
  const fromFirst = database.knex.raw('case when sent_at is null then ? else signed_at end', [now])
  const noted = {
    signed_at: waitsAnew ? now : fromFirst,
    send_outcome: outcome,
    sent_at: now,
    due_at: dueAt,
    updated_at: now,
  }
  await database.transact(
    async (trx) => trx.later(trx('transactions').where({ id: transactionId, status: 'open' }).update(noted)),
    // Forgotten, it is sent again.
    { durable: false, patient: false },
  )
}

/** Postpones the next look at transactions that no block has mentioned. */
export async function postponeTransactions(database: Database, ids: number[], dueAt: number): Promise<void> {
  if (ids.length === 0) return
  await database.transact(
    async (trx) =>
      trx.later(trx('transactions').whereIn('id', ids).where({ status: 'open' }).update({ due_at: dueAt })),
    { patient: false },
  )
}

/** Notes where a transaction was seen mined, or with null that it is not there any more; its steps show it. */
export async function noteMined(
  database: Database,
  transactionId: number,
  mined: { hash: Hash; blockNumber: number; blockHash: Hash; confirmations: number } | null,
  now: number,
): Promise<void> {
  await database.transact(
    async (trx) => {
      const row = await database.lock(trx<TransactionRow>('transactions').where({ id: transactionId })).first()
      if (row?.status !== 'open') return
      const place = {
        mined_hash: mined?.hash ?? null,
        mined_block: mined?.blockNumber ?? null,
        mined_block_hash: mined?.blockHash ?? null,
        updated_at: now,
      }
      trx.later(trx('transactions').where({ id: transactionId }).update(place))
      const seen = {
        ...(mined && { transaction_hash: mined.hash }),
        block_number: mined?.blockNumber ?? null,
        confirmations: mined?.confirmations ?? 0,
      }
      const steps = await trx<StepRow>('steps').where({ transaction_id: transactionId, status: 'executing' })
      const news = steps.filter((step) =>
        Object.entries(seen).some(([name, value]) => step[name as keyof typeof seen] !== value),
      )
      await changeSteps(
        trx,
        news.map((step) => ({ ref: refOf(step), change: seen })),
        now,
      )
    },
    { patient: false },
  )
}

function byRef(a: StepRef, b: StepRef): number {
  if (a.actionId !== b.actionId) return a.actionId < b.actionId ? -1 : 1
  return a.intentIndex - b.intentIndex || a.stepIndex - b.stepIndex
}

/** A transaction that nobody has been sent yet, as its row; without the id, which it is given there. */
export function newRow(
  entry: Pick<NewTransaction, 'chainId' | 'signer' | 'to' | 'data' | 'authorizations' | 'gasLimit'> & {
    nonce: number
    signedFor: StepRef[]
  },
  now: number,
): Omit<TransactionRow, 'id'> {
  return {
    chain_id: entry.chainId,
    signer: entry.signer,
    nonce: entry.nonce,
    to_address: entry.to,
    data: entry.data,
    authorizations: JSON.stringify(entry.authorizations),
    gas_limit: Number(entry.gasLimit),
    signed_for: JSON.stringify(entry.signedFor),
    status: 'open',
    mined_hash: null,
    mined_block: null,
    mined_block_hash: null,
    send_outcome: null,
    sent_at: null,
    signed_at: now,
    due_at: now + lookAgainMs,
    created_at: now,
    updated_at: now,
  }
}

export function formColumns(transactionId: number | Knex.QueryBuilder, form: SignedForm, now: number) {
  return {
    hash: form.hash,
    transaction_id: transactionId,
    raw: form.raw,
    max_fee_per_gas: form.maxFeePerGas.toString(),
    max_priority_fee_per_gas: form.maxPriorityFeePerGas.toString(),
    is_cancel: form.isCancel,
    created_at: now,
  }
}
