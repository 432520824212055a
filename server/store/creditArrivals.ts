import type { Address, Hash } from 'viem'
import { groupBy } from '../domain/groupBy.js'
import { moveBalance } from './balances.js'
import type { Database, Transaction } from './database.js'
import { coverExposures, hasOpenExposure } from './exposures.js'
import { post } from './ledger.js'
import { writtenTogether } from './writtenTogether.js'
import type { CreditRow } from './rows.js'

/** A log that brought money into the vault for a user. */
export type Arrival = {
  chainId: number
  transactionHash: Hash
  logIndex: number
  blockNumber: number
  blockHash: Hash
  user: Address
  token: Address
  /** In the token's smallest unit. */
  amount: bigint
}

/**
 * Books each arrival as the user's credit, once ever per log; one known by itself becomes the action's. However many a
 * transaction brings, the statements are few: one call may move a thousand small amounts, and whoever is settled with it waits.
 */
export async function creditArrivals(
  database: Database,
  trx: Transaction,
  arrivals: Arrival[],
  actionId: string | null,
  now: number,
): Promise<void> {
  const some = arrivals.filter(({ amount }) => amount > 0n)
  for (const brought of groupBy(some, ({ chainId, transactionHash }) => `${chainId}:${transactionHash}`).values()) {
    await creditTransaction(database, trx, { brought, actionId }, now)
  }
}

/** Of what one transaction has brought, at least one arrival. */
async function creditTransaction(
  database: Database,
  trx: Transaction,
  { brought, actionId }: { brought: readonly Arrival[]; actionId: string | null },
  now: number,
): Promise<void> {
  const { chainId, transactionHash } = brought[0]!
  const transaction = { chain_id: chainId, transaction_hash: transactionHash }
  const rows = await trx<CreditRow>('credits')
    .where(transaction)
    .select('id', 'log_index', 'action_id', 'block_hash', 'is_lost')
  requireUndone(rows, brought)
  const known = new Map(rows.map((row) => [row.log_index, row]))
  // Reported as deposits before their step was settled: they were earned in the action all the same.
  const unclaimed = brought.flatMap(({ logIndex }) => known.get(logIndex) ?? []).filter((row) => row.action_id === null)
  for (const part of writtenTogether(unclaimed)) {
    const ids = part.map(({ id }) => id)
    await trx('credits').whereIn('id', ids).update({ action_id: actionId })
  }
  const credited = brought.filter(({ logIndex }) => !known.has(logIndex))
  if (credited.length === 0) return

  const lostBefore = rows.filter((row) => row.is_lost).length
  // What a reorganisation took away and the solver has paid out on is made good first.
  const isExposed = await hasOpenExposure(trx, 'credit', { chainId, transactionHash })
  const entries: (Arrival & { covered: bigint; available: bigint })[] = []
  for (const arrival of credited) {
    const covered = isExposed ? await coverExposures(database, trx, 'credit', arrival, now) : 0n
    entries.push({ ...arrival, covered, available: arrival.amount - covered })
  }
  for (const part of writtenTogether(entries)) {
    await trx('credits').insert(part.map((entry) => creditRow(entry, actionId, now)))
    const postings = part.flatMap(({ logIndex, user, token, amount, covered }) => {
      const place = { user, chainId, token }
      const cause = arrivalCause({ ...transaction, log_index: logIndex }, lostBefore)
      return [
        { cause, debit: 'vault', credit: 'available', ...place, amount } as const,
        { cause: `cover:${cause}`, debit: 'available', credit: 'solver', ...place, amount: covered } as const,
      ]
    })
    post(trx, postings, now)
  }
  for (const same of groupBy(entries, ({ user, token }) => `${user}:${token}`).values()) {
    const available = same.reduce((sum, entry) => sum + entry.available, 0n)
    await moveBalance(database, trx, same[0]!, { available })
  }
}

function creditRow(arrival: Arrival & { available: bigint }, actionId: string | null, now: number) {
  return {
    chain_id: arrival.chainId,
    transaction_hash: arrival.transactionHash,
    log_index: arrival.logIndex,
    user: arrival.user,
    token: arrival.token,
    amount: arrival.amount.toString(),
    available: arrival.available.toString(),
    reserved: '0',
    action_id: actionId,
    is_open: arrival.available > 0n,
    block_number: arrival.blockNumber,
    block_hash: arrival.blockHash,
    created_at: now,
  }
}

/** What a transaction brought in another block has to be undone first; whoever settles it now tries again until it is. */
function requireUndone(rows: readonly Pick<CreditRow, 'block_hash' | 'is_lost'>[], brought: readonly Arrival[]): void {
  const { transactionHash, blockHash } = brought[0]!
  if (brought.some((arrival) => arrival.blockHash !== blockHash)) throw new Error(`${transactionHash} is in two blocks`)
  if (rows.some((row) => !row.is_lost && row.block_hash !== blockHash))
    throw new Error(`What ${transactionHash} brought in another block has not been undone yet`)
}

/** Names an arrival in the ledger: by its log and, after a reorganisation, by how often it had been lost before. */
export function arrivalCause(
  log: Pick<CreditRow, 'chain_id' | 'transaction_hash' | 'log_index'>,
  lostBefore: number,
): string {
  const cause = `arrival:${log.chain_id}:${log.transaction_hash}:${log.log_index}`
  return lostBefore === 0 ? cause : `${cause}:${lostBefore}`
}

export async function countLost(
  trx: Transaction,
  { chain_id, transaction_hash }: Pick<CreditRow, 'chain_id' | 'transaction_hash'>,
): Promise<number> {
  const lost = await trx<CreditRow>('credits').where({ chain_id, transaction_hash, is_lost: 1 }).select('id')
  return lost.length
}
