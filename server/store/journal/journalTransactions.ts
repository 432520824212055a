import type { Knex } from 'knex'
import type { Address, Hash, Hex } from 'viem'
import type { ChainAuthorization, StepRef } from '../../domain/action.js'
import type { NotedSend } from '../../domain/sendKind.js'
import { carriersOfAirdrops } from '../airdrops.js'
import type { Database } from '../connection/database.js'
import { type FormRow, formsTable, refOf, type StepRow, type TransactionRow } from '../rows.js'

/** What the journal knows of a transaction, and how the engine looks for those that it has to see to. */
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
  sendOutcome: NotedSend | null
  /** When its newest form was signed, or the first form was first sent. */
  waitingSince: number
  /** Cheapest first, by the highest fee that each may pay; never empty. */
  forms: SignedForm[]
  /** The steps that the transaction was signed for, even where another transaction carries them now. */
  signedFor: StepRef[]
  /** The steps that the transaction carries; none for an airdrop and for a filler, which only uses up a nonce. */
  carries: CarriedStep[]
  /**
   * No step or airdrop waits for it: the transaction was opened again after its end, and all that it was signed for has
   * ended, or goes on in other transactions. It may pay yet, and no credit is set aside for that.
   */
  isUnwanted: boolean
}

/** A step as the log names it: its place, and the trace of the request that asked for it. */
export type CarriedStep = { ref: StepRef; traceparent: string | null }

/** One signed form of a transaction. Forms differ in fees only, but for a cancel, which only uses the nonce up. */
export type SignedForm = {
  hash: Hash
  raw: Hex
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
  isCancel: boolean
}

/** The open transactions that any of these hashes belongs to. */
export async function findOpenByHash(database: Database, hashes: Hash[]): Promise<JournalTransaction[]> {
  if (hashes.length === 0) return []
  const rows = await database
    .knex<TransactionRow>('transactions')
    .whereIn('id', database.knex(formsTable).whereIn('hash', hashes).select('transaction_id'))
    .where({ status: 'open' })
  return withForms(database, rows)
}

/** A transaction's place in its lane, without what it carries: that may be hundreds of kilobytes. */
type LanePlace = Pick<JournalTransaction, 'id' | 'chainId' | 'signer' | 'nonce'>

/** Open transactions that are due and in no known block, the longest due first. */
export async function readDueTransactions(
  database: Database,
  chainId: number,
  limit: number,
  now: number,
): Promise<LanePlace[]> {
  const due = database
    .knex<TransactionRow>('transactions')
    .where({ chain_id: chainId, status: 'open' })
    .whereNull('mined_block')
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(limit)
    .select('id', 'signer', 'nonce')
  // Locked ones are being worked on by somebody else, and the others are not to wait for that.
  const rows = await database.lock(due, { skipLocked: true })
  return rows.map(({ id, signer, nonce }) => ({ id, chainId, signer, nonce }))
}

/** Those of these transactions that are open and in no known block. */
export async function readUnminedOf(database: Database, ids: readonly number[]): Promise<JournalTransaction[]> {
  if (ids.length === 0) return []
  const unmined = database
    .knex<TransactionRow>('transactions')
    .whereIn('id', [...ids])
    .where({ status: 'open' })
    .whereNull('mined_block')
  return withForms(database, await unmined)
}

/** Open transactions that were seen in one of these blocks, oldest block first, page by page. */
export async function* readMinedTransactions(
  database: Database,
  chainId: number,
  blocks: { from: number; to: number },
  pageSize: number,
): AsyncGenerator<JournalTransaction[]> {
  for await (const rows of minedPages(database, chainId, blocks, pageSize, async (page) => await page)) {
    yield withForms(database, rows)
  }
}

/** Where an open transaction was seen mined, and how many steps it carries. */
export type MinedPlace = { id: number; mined: { hash: Hash; blockNumber: number }; steps: number }

/** As `readMinedTransactions`, without what the transactions carry. */
export async function* readMinedPlaces(
  database: Database,
  chainId: number,
  blocks: { from: number; to: number },
  pageSize: number,
): AsyncGenerator<MinedPlace[]> {
  const places = async (page: TransactionsQuery) => page.select('id', 'mined_hash', 'mined_block')
  for await (const rows of minedPages(database, chainId, blocks, pageSize, places)) {
    const ids = rows.map(({ id }) => id)
    const counted = await database
      .knex('steps')
      .whereIn('transaction_id', ids)
      .groupBy('transaction_id')
      .select<{ transaction_id: number; steps: number }[]>('transaction_id', database.knex.raw('count(*) as steps'))
    const steps = new Map(counted.map((row) => [row.transaction_id, Number(row.steps)]))
    yield rows.map(({ id, mined_hash, mined_block }) => ({
      id,
      mined: { hash: mined_hash!, blockNumber: mined_block! },
      steps: steps.get(id) ?? 0,
    }))
  }
}

type TransactionsQuery = Knex.QueryBuilder<TransactionRow, TransactionRow[]>

/** The pages of `readMinedTransactions`, of which `read` says what is read. */
async function* minedPages<Row extends Pick<TransactionRow, 'id' | 'mined_block'>>(
  database: Database,
  chainId: number,
  blocks: { from: number; to: number },
  pageSize: number,
  read: (page: TransactionsQuery) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  for (let last = { block: blocks.from, id: -1 }; ;) {
    const { block, id } = last
    const page = database
      .knex<TransactionRow>('transactions')
      .where({ chain_id: chainId, status: 'open' })
      .whereBetween('mined_block', [block, blocks.to])
      .where((later) => later.where('mined_block', '>', block).orWhere('id', '>', id))
      .orderBy(['mined_block', 'id'])
      .limit(pageSize)
    const rows = await read(page)
    if (rows.length > 0) yield rows
    if (rows.length < pageSize) return
    last = { block: rows.at(-1)!.mined_block!, id: rows.at(-1)!.id }
  }
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
    // A sum, which no index is ordered by: so the database finds the few open ones by their status, and does not walk
    // through all transactions that the lane has ever sent.
    .orderByRaw('nonce + 0')
    .first('nonce')
  return row?.nonce ?? null
}

/** The signer's nonces that are not known to be mined, the lowest first and at most so many. */
export async function unminedNonces(
  database: Database,
  chainId: number,
  signer: Address,
  most: number,
): Promise<number[]> {
  const rows = await database
    .knex<TransactionRow>('transactions')
    .where({ chain_id: chainId, signer, status: 'open' })
    .whereNull('mined_block')
    // A sum for the reason given in `lowestUnminedNonce`.
    .orderByRaw('nonce + 0')
    .limit(most)
    .select('nonce')
  return rows.map(({ nonce }) => nonce)
}

/** The open transaction at this nonce that no block is known to have; null when there is none. */
export async function readUnmined(
  database: Database,
  lane: { chainId: number; signer: Address; nonce: number },
): Promise<JournalTransaction | null> {
  const rows = await database
    .knex<TransactionRow>('transactions')
    .where({ chain_id: lane.chainId, signer: lane.signer, nonce: lane.nonce, status: 'open' })
    .whereNull('mined_block')
  return (await withForms(database, rows))[0] ?? null
}

/** Whether the journal has a transaction at this nonce that is not `lost`. */
export async function standsForNonce(
  database: Database,
  chainId: number,
  signer: Address,
  nonce: number,
): Promise<boolean> {
  const key = { chain_id: chainId, signer, nonce }
  const row = await database.knex<TransactionRow>('transactions').where(key).whereNot({ status: 'lost' }).first('id')
  return row !== undefined
}

async function withForms(database: Database, rows: TransactionRow[]): Promise<JournalTransaction[]> {
  if (rows.length === 0) return []
  const ids = rows.map((row) => row.id)
  // Only these can carry airdrops: a transaction that was signed for steps carries nothing else.
  const others = rows.filter((row) => row.signed_for === '[]').map((row) => row.id)
  const [forms, steps, carriers] = await Promise.all([
    database.knex<FormRow>(formsTable).whereIn('transaction_id', ids),
    database
      .knex<StepRow>('steps')
      .whereIn('transaction_id', ids)
      .select('transaction_id', 'action_id', 'intent_index', 'step_index', 'traceparent', 'status'),
    carriersOfAirdrops(database.knex, others),
  ])
  const open = steps.filter((step) => step.status === 'executing')
  const wanted = new Set([...open.map((step) => step.transaction_id), ...carriers])
  return rows.map((row) => {
    const own = forms.filter((form) => form.transaction_id === row.id).map(toForm)
    const carried = steps.filter((step) => step.transaction_id === row.id).map(toCarried)
    return { ...toTransaction(row, own.sort(byFee), carried), isUnwanted: !wanted.has(row.id) }
  })
}

/** Cheapest first. That is not always the order of their signing: one may be signed to be cheaper than those before. */
function byFee(a: SignedForm, b: SignedForm): number {
  return a.maxFeePerGas < b.maxFeePerGas ? -1 : Number(a.maxFeePerGas > b.maxFeePerGas)
}

export function toCarried(
  row: Pick<StepRow, 'action_id' | 'intent_index' | 'step_index' | 'traceparent'>,
): CarriedStep {
  return { ref: refOf(row), traceparent: row.traceparent }
}

export function toTransaction(row: TransactionRow, forms: SignedForm[], carries: CarriedStep[]): JournalTransaction {
  return {
    id: row.id,
    chainId: row.chain_id,
    signer: row.signer,
    nonce: row.nonce,
    to: row.to_address,
    data: row.data,
    authorizations: JSON.parse(row.authorizations) as ChainAuthorization[],
    gasLimit: BigInt(row.gas_limit),
    signedFor: JSON.parse(row.signed_for) as StepRef[],
    mined:
      row.mined_hash === null
        ? null
        : { hash: row.mined_hash, blockNumber: row.mined_block!, blockHash: row.mined_block_hash! },
    sentAt: row.sent_at,
    sendOutcome: row.send_outcome,
    waitingSince: row.signed_at,
    forms,
    carries,
    isUnwanted: false,
  }
}

function toForm(row: FormRow): SignedForm {
  return {
    hash: row.hash,
    raw: row.raw,
    maxFeePerGas: BigInt(row.max_fee_per_gas),
    maxPriorityFeePerGas: BigInt(row.max_priority_fee_per_gas),
    isCancel: Boolean(row.is_cancel),
  }
}
