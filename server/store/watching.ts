import type { Hash } from 'viem'
import { type Database, isDuplicate } from './database.js'

/** Takes or renews a lease for a name, by the database's clock. False: another process holds it. */
export async function takeLease(
  database: Database,
  lease: { name: string; owner: string; durationMs: number },
): Promise<boolean> {
  const now = await database.clock(database.knex)
  const fresh = { owner: lease.owner, expires_at: now + lease.durationMs }
  const taken = await database
    .knex('leases')
    .where({ name: lease.name })
    .where((query) => query.where({ owner: lease.owner }).orWhere('expires_at', '<', now))
    .update(fresh)
  if (taken > 0) return true
  try {
    await database.knex('leases').insert({ name: lease.name, ...fresh })
    return true
  } catch (error) {
    if (isDuplicate(error)) return false
    throw error
  }
}

/** The last block of a chain that was read; null before the first. */
export async function readChainMark(
  database: Database,
  chainId: number,
): Promise<{ blockNumber: number; blockHash: Hash } | null> {
  const row = await database
    .knex<{ chain_id: number; block_number: number; block_hash: Hash }>('chain_marks')
    .where({ chain_id: chainId })
    .first()
  return row ? { blockNumber: row.block_number, blockHash: row.block_hash } : null
}

export async function markChain(
  database: Database,
  mark: { chainId: number; blockNumber: number; blockHash: Hash },
  now: number,
): Promise<void> {
  const columns = { block_number: mark.blockNumber, block_hash: mark.blockHash, updated_at: now }
  await database
    .knex('chain_marks')
    .insert({ chain_id: mark.chainId, ...columns })
    .onConflict('chain_id')
    .merge(columns)
}

/** Keeps the first block that a chain was seen with, and tells it: another one means another chain. */
export async function rememberGenesis(database: Database, chainId: number, genesis: Hash): Promise<Hash> {
  const table = () => database.knex<{ chain_id: number; genesis_hash: Hash }>('chain_identities')
  await table().insert({ chain_id: chainId, genesis_hash: genesis }).onConflict('chain_id').ignore()
  const row = await table().where({ chain_id: chainId }).first()
  return row!.genesis_hash
}
