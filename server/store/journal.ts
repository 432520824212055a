import type { Address, Hash, Hex } from 'viem'
import type { ChainAuthorization, StepRef } from '../domain/action.js'
import type { Airdrop } from '../domain/airdrop.js'
import { bindAirdrop } from './airdrops.js'
import { type Database, isDuplicate } from './database.js'
import { type AttemptRow, stepKeyColumns, type StepRow, type TransactionRow } from './rows.js'
import { changeStep } from './stepChange.js'

/**
 * The journal holds every transaction that the service has signed, from before it is sent until it is final.
 * A nonce is taken and its signed bytes are stored in one database transaction; only stored bytes are ever sent.
 * States of a transaction: `open` (signed; sent or not, mined or not) → `final` (settled, never touched again).
 */
export type JournalTransaction = {
  id: number
  chainId: number
  signer: Address
  nonce: number
  to: Address
  data: Hex
  authorizations: ChainAuthorization[]
  gasLimit: bigint
  mined: { hash: Hash; blockNumber: number; blockHash: Hash } | null
  sentAt: number | null
  sendOutcome: string | null
  /** When its newest form was signed. */
  lastSignedAt: number
  /** Oldest first; never empty. */
  attempts: SignedAttempt[]
}

/** One signed form of a transaction; forms differ in fees only, but for a cancel. */
export type SignedAttempt = {
  hash: Hash
  raw: Hex
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
  isCancel: boolean
}

export type NewTransaction = {
  chainId: number
  signer: Address
  to: Address
  data: Hex
  authorizations: ChainAuthorization[]
  gasLimit: bigint
  steps: StepRef[]
  /** Null: the transaction carries steps only. */
  airdrop: Airdrop | null
  /**
   * Signs the payload with the lane's nonce, outside of any database transaction: it may be slow, and it may throw.
   * Called again with another nonce when that one was taken meanwhile; bytes that are not stored are forgotten.
   */
  sign: (nonce: number) => Promise<SignedAttempt>
}

export type RecordOutcome =
  | { outcome: 'recorded'; transaction: JournalTransaction }
  /** Another visit has got further with one of the steps. */
  | { outcome: 'stale' }
  | { outcome: 'lanePaused' }
  /** Others have taken the lane's nonces for as long as was tried. */
  | { outcome: 'laneBusy' }

/** How long a nonce is tried for. Losing one means that someone else has got further, so it ends without this too. */
const tryNoncesMs = 5_000
/** How soon an open transaction is looked at without a block that mentions it. */
const lookAgainMs = 5_000

/**
 * Takes the lane's nonce, stores the signed bytes and ties them to the steps: all or nothing. The bytes are signed
 * before, for the nonce that the lane shows, and stored only if the locked lane still shows it: however long a signer
 * takes, no lock and no connection waits for it.
 */
export async function recordTransaction(
  database: Database,
  entry: NewTransaction,
  now: number,
): Promise<RecordOutcome> {
  const laneKey = { chain_id: entry.chainId, signer: entry.signer }
  const started = performance.now()
  while (performance.now() - started < tryNoncesMs) {
    const lane = await database.knex<LaneState>('lanes').where(laneKey).first()
    if (lane?.status !== 'active') return { outcome: 'lanePaused' }
    const attempt = await entry.sign(lane.next_nonce)
    const recorded = await storeSigned(database, entry, lane.next_nonce, attempt, now)
    if (recorded.outcome !== 'nonceTaken') return recorded
  }
  return { outcome: 'laneBusy' }
}

type LaneState = { next_nonce: number; status: string }

async function storeSigned(
  database: Database,
  entry: NewTransaction,
  nonce: number,
  attempt: SignedAttempt,
  now: number,
): Promise<RecordOutcome | { outcome: 'nonceTaken' }> {
  return database.transact(async (trx) => {
    const laneKey = { chain_id: entry.chainId, signer: entry.signer }
    const lane = await database.lock(trx<LaneState>('lanes').where(laneKey)).first()
    if (lane?.status !== 'active') return { outcome: 'lanePaused' }
    for (const ref of entry.steps) {
      const step = await database.lock(trx<StepRow>('steps').where(stepKeyColumns(ref))).first()
      if (step?.status !== 'executing' || step.transaction_id !== null) return { outcome: 'stale' }
    }
    if (entry.airdrop && !(await bindAirdrop(database, trx, entry.airdrop, null))) return { outcome: 'stale' }
    // After the steps: one that another visit has got further with needs no other nonce.
    if (lane.next_nonce !== nonce) return { outcome: 'nonceTaken' }
    const [id] = await trx('transactions').insert({
      ...laneKey,
      nonce,
      to_address: entry.to,
      data: entry.data,
      authorizations: JSON.stringify(entry.authorizations),
      gas_limit: Number(entry.gasLimit),
      status: 'open',
      signed_at: now,
      due_at: now + lookAgainMs,
      created_at: now,
      updated_at: now,
    })
    await trx('attempts').insert(attemptColumns(id!, attempt, now))
    await trx('lanes')
      .where(laneKey)
      .update({ next_nonce: nonce + 1, updated_at: now })
    for (const ref of entry.steps) {
      await changeStep(trx, ref, { transaction_id: id!, transaction_hash: attempt.hash, due_at: null }, now)
    }
    if (entry.airdrop) await bindAirdrop(database, trx, entry.airdrop, { id: id!, hash: attempt.hash })
    const row = await trx<TransactionRow>('transactions').where({ id: id! }).first()
    return { outcome: 'recorded', transaction: toTransaction(row!, [attempt]) }
  })
}

/** Stores a transaction at a nonce that the lane has passed and the journal never had. Null: it has it by now. */
export async function recordFiller(
  database: Database,
  filler: { chainId: number; signer: Address; nonce: number; gasLimit: bigint; attempt: SignedAttempt },
  now: number,
): Promise<JournalTransaction | null> {
  const { chainId, signer, nonce, attempt } = filler
  try {
    return await database.transact(async (trx) => {
      const [id] = await trx('transactions').insert({
        chain_id: chainId,
        signer,
        nonce,
        to_address: signer,
        data: '0x',
        authorizations: '[]',
        gas_limit: Number(filler.gasLimit),
        status: 'open',
        signed_at: now,
        due_at: now + lookAgainMs,
        created_at: now,
        updated_at: now,
      })
      await trx('attempts').insert(attemptColumns(id!, attempt, now))
      const row = await trx<TransactionRow>('transactions').where({ id: id! }).first()
      return toTransaction(row!, [attempt])
    })
  } catch (error) {
    if (isDuplicate(error)) return null
    throw error
  }
}

/** Forgets a filler that the chain has refused, since its nonce had been used before. */
export async function giveUpFiller(database: Database, id: number, now: number): Promise<void> {
  await database.write((knex) =>
    knex('transactions')
      .where({ id, status: 'open', data: '0x' })
      .update({ status: 'lost', due_at: null, updated_at: now }),
  )
}

/** Whether the journal has ever had a transaction at this nonce. */
export async function hasNonce(database: Database, chainId: number, signer: Address, nonce: number): Promise<boolean> {
  const key = { chain_id: chainId, signer, nonce }
  return (await database.knex<TransactionRow>('transactions').where(key).first('id')) !== undefined
}

/** Stores another signed form of an open transaction, unless someone stored one meanwhile. */
export async function recordAttempt(
  database: Database,
  transaction: JournalTransaction,
  attempt: SignedAttempt,
  now: number,
): Promise<'recorded' | 'stale'> {
  return database.transact(async (trx) => {
    const row = await database.lock(trx<TransactionRow>('transactions').where({ id: transaction.id })).first()
    if (row?.status !== 'open') return 'stale'
    const stored = await trx<AttemptRow>('attempts').where({ transaction_id: transaction.id }).select('hash')
    if (stored.length !== transaction.attempts.length) return 'stale'
    await trx('attempts').insert(attemptColumns(transaction.id, attempt, now))
    await trx('transactions').where({ id: transaction.id }).update({ signed_at: now, updated_at: now })
    const steps = await trx<StepRow>('steps').where({ transaction_id: transaction.id })
    for (const step of steps) {
      const ref = { actionId: step.action_id, intentIndex: step.intent_index, stepIndex: step.step_index }
      if (step.status === 'executing') await changeStep(trx, ref, { transaction_hash: attempt.hash }, now)
    }
    return 'recorded'
  })
}

/** Notes what the nodes said to a send and when to look again. */
export async function noteSend(
  database: Database,
  transactionId: number,
  outcome: string,
  dueAt: number,
  now: number,
): Promise<void> {
  await database.write((knex) =>
    knex('transactions')
      .where({ id: transactionId, status: 'open' })
      .update({ send_outcome: outcome, sent_at: now, due_at: dueAt, updated_at: now }),
  )
}

/** Postpones the next look at transactions that no block has mentioned. */
export async function postponeTransactions(database: Database, ids: number[], dueAt: number): Promise<void> {
  if (ids.length === 0) return
  await database.write((knex) =>
    knex('transactions').whereIn('id', ids).where({ status: 'open' }).update({ due_at: dueAt }),
  )
}

/** The open transactions that any of these hashes belongs to. */
export async function findOpenByHash(database: Database, hashes: Hash[]): Promise<JournalTransaction[]> {
  if (hashes.length === 0) return []
  const rows = await database
    .knex<TransactionRow>('transactions')
    .whereIn('id', database.knex('attempts').whereIn('hash', hashes).select('transaction_id'))
    .where({ status: 'open' })
  return withAttempts(database, rows)
}

/** Open transactions that nothing has been heard of for too long, oldest nonce first. */
export async function readDueTransactions(
  database: Database,
  chainId: number,
  limit: number,
  now: number,
): Promise<JournalTransaction[]> {
  const rows = await database
    .knex<TransactionRow>('transactions')
    .where({ chain_id: chainId, status: 'open' })
    .whereNull('mined_block')
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(limit)
  return withAttempts(database, rows)
}

/** Open transactions that were seen in one of these blocks. */
export async function readMinedTransactions(
  database: Database,
  chainId: number,
  blocks: { from: number; to: number },
  limit: number,
): Promise<JournalTransaction[]> {
  const rows = await database
    .knex<TransactionRow>('transactions')
    .where({ chain_id: chainId, status: 'open' })
    .whereBetween('mined_block', [blocks.from, blocks.to])
    .orderBy('mined_block')
    .limit(limit)
  return withAttempts(database, rows)
}

export async function hasOpenTransactions(database: Database, chainId: number): Promise<boolean> {
  const row = await database
    .knex<TransactionRow>('transactions')
    .where({ chain_id: chainId, status: 'open' })
    .first('id')
  return row !== undefined
}

/** The lowest nonce of the signer that is not known to be mined; null when all are. */
export async function lowestUnminedNonce(database: Database, chainId: number, signer: Address): Promise<number | null> {
  const row = await database
    .knex<TransactionRow>('transactions')
    .where({ chain_id: chainId, signer, status: 'open' })
    .whereNull('mined_block')
    .orderBy('nonce')
    .first('nonce')
  return row?.nonce ?? null
}

/** Notes where a transaction was seen mined, or with null that it is not there any more; its steps show it. */
export async function noteMined(
  database: Database,
  transactionId: number,
  mined: { hash: Hash; blockNumber: number; blockHash: Hash; confirmations: number } | null,
  now: number,
): Promise<void> {
  await database.transact(async (trx) => {
    const row = await database.lock(trx<TransactionRow>('transactions').where({ id: transactionId })).first()
    if (row?.status !== 'open') return
    await trx('transactions')
      .where({ id: transactionId })
      .update({
        mined_hash: mined?.hash ?? null,
        mined_block: mined?.blockNumber ?? null,
        mined_block_hash: mined?.blockHash ?? null,
        updated_at: now,
      })
    const steps = await trx<StepRow>('steps').where({ transaction_id: transactionId })
    for (const step of steps) {
      if (step.status !== 'executing') continue
      const ref = { actionId: step.action_id, intentIndex: step.intent_index, stepIndex: step.step_index }
      const hash = mined?.hash ?? step.transaction_hash
      const confirmations = mined?.confirmations ?? 0
      const blockNumber = mined?.blockNumber ?? null
      const isKnown = confirmations === step.confirmations && blockNumber === step.block_number
      if (hash === step.transaction_hash && isKnown) continue
      await changeStep(trx, ref, { transaction_hash: hash, block_number: blockNumber, confirmations }, now)
    }
  })
}

async function withAttempts(database: Database, rows: TransactionRow[]): Promise<JournalTransaction[]> {
  if (rows.length === 0) return []
  const attempts = await database.knex<AttemptRow>('attempts').whereIn(
    'transaction_id',
    rows.map((row) => row.id),
  )
  return rows.map((row) => {
    const own = attempts.filter((attempt) => attempt.transaction_id === row.id).map(toAttempt)
    return toTransaction(row, own.sort(byFee))
  })
}

/** Every form offers more than the one before it; the clocks of two replicas may say otherwise. */
function byFee(a: SignedAttempt, b: SignedAttempt): number {
  return a.maxFeePerGas < b.maxFeePerGas ? -1 : Number(a.maxFeePerGas > b.maxFeePerGas)
}

function toTransaction(row: TransactionRow, attempts: SignedAttempt[]): JournalTransaction {
  return {
    id: row.id,
    chainId: row.chain_id,
    signer: row.signer,
    nonce: row.nonce,
    to: row.to_address,
    data: row.data,
    authorizations: JSON.parse(row.authorizations) as ChainAuthorization[],
    gasLimit: BigInt(row.gas_limit),
    mined:
      row.mined_hash === null
        ? null
        : { hash: row.mined_hash, blockNumber: row.mined_block!, blockHash: row.mined_block_hash! },
    sentAt: row.sent_at,
    sendOutcome: row.send_outcome,
    lastSignedAt: row.signed_at,
    attempts,
  }
}

function toAttempt(row: AttemptRow): SignedAttempt {
  return {
    hash: row.hash,
    raw: row.raw,
    maxFeePerGas: BigInt(row.max_fee_per_gas),
    maxPriorityFeePerGas: BigInt(row.max_priority_fee_per_gas),
    isCancel: Boolean(row.is_cancel),
  }
}

function attemptColumns(transactionId: number, attempt: SignedAttempt, now: number) {
  return {
    hash: attempt.hash,
    transaction_id: transactionId,
    raw: attempt.raw,
    max_fee_per_gas: attempt.maxFeePerGas.toString(),
    max_priority_fee_per_gas: attempt.maxPriorityFeePerGas.toString(),
    is_cancel: attempt.isCancel,
    created_at: now,
  }
}
