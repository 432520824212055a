import type { Hash } from 'viem'
import type { Database } from './database.js'

/** Keeps the first block that a chain was seen with, and tells it: another one means another chain. */
export async function rememberGenesis(database: Database, chainId: number, genesis: Hash): Promise<Hash> {
  const table = () => database.knex<{ chain_id: number; genesis_hash: Hash }>('chain_identities')
  await database.write(() =>
    table().insert({ chain_id: chainId, genesis_hash: genesis }).onConflict('chain_id').ignore(),
  )
  const row = await table().where({ chain_id: chainId }).first()
  return row!.genesis_hash
}
