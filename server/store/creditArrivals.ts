import type { Address, Hash } from 'viem'
import { moveBalance } from './balances.js'
import type { Database, Transaction } from './database.js'
import { coverExposures } from './exposures.js'
import { post } from './ledger.js'
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

/** Books each arrival as the user's credit, once ever per log; one known by itself becomes the action's. */
export async function creditArrivals(
  database: Database,
  trx: Transaction,
  arrivals: Arrival[],
  actionId: string | null,
  now: number,
): Promise<void> {
  for (const arrival of arrivals) {
    if (arrival.amount === 0n) continue
    await requireUndone(trx, arrival)
    const transaction = { chain_id: arrival.chainId, transaction_hash: arrival.transactionHash }
    const log = { ...transaction, log_index: arrival.logIndex }
    const known = await trx<CreditRow>('credits').where(log).first('id', 'action_id')
    if (known) {
      // Reported as a deposit before its step was settled: it was earned in the action all the same.
      if (known.action_id === null) await trx('credits').where({ id: known.id }).update({ action_id: actionId })
      continue
    }
    // What a reorganisation took away and the solver has paid out on is made good first.
    const covered = await coverExposures(database, trx, 'credit', arrival, now)
    const available = arrival.amount - covered
    await trx('credits').insert({
      ...log,
      user: arrival.user,
      token: arrival.token,
      amount: arrival.amount.toString(),
      available: available.toString(),
      reserved: '0',
      action_id: actionId,
      is_open: available > 0n,
      block_number: arrival.blockNumber,
      block_hash: arrival.blockHash,
      created_at: now,
    })
    const place = { user: arrival.user, chainId: arrival.chainId, token: arrival.token }
    const cause = arrivalCause(log, await countLost(trx, transaction))
    post(
      trx,
      [
        { cause, debit: 'vault', credit: 'available', ...place, amount: arrival.amount },
        { cause: `cover:${cause}`, debit: 'available', credit: 'solver', ...place, amount: covered },
      ],
      now,
    )
    await moveBalance(database, trx, arrival, { available })
  }
}

/** What a transaction brought in another block has to be undone first; whoever settles it now tries again until it is. */
async function requireUndone(trx: Transaction, { chainId, transactionHash, blockHash }: Arrival): Promise<void> {
  const elsewhere = await trx<CreditRow>('credits')
    .where({ chain_id: chainId, transaction_hash: transactionHash, is_lost: 0 })
    .whereNot({ block_hash: blockHash })
    .first('id')
  if (elsewhere) throw new Error(`What ${transactionHash} brought in another block has not been undone yet`)
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
