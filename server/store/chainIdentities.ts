import type { Hash } from 'viem'
import type { Database } from './connection/database.js'

type IdentityRow = { chain_id: number; genesis_hash: Hash }

/** The hash of the genesis block that a chain was seen with. Null: the chain has not been seen. */
export async function readGenesis(database: Database, chainId: number): Promise<Hash | null> {
  const row = await database.knex<IdentityRow>('chain_identities').where({ chain_id: chainId }).first()
  return row?.genesis_hash ?? null
}

/**
 * Stores a chain's genesis hash unless one is stored, and answers with the stored one: if
 * it differs, it is another chain.
 */
export async function rememberGenesis(database: Database, chainId: number, genesis: Hash): Promise<Hash> {
  const row = { chain_id: chainId, genesis_hash: genesis }
  await database.write((knex) => knex<IdentityRow>('chain_identities').insert(row).onConflict('chain_id').ignore())
  return (await readGenesis(database, chainId))!
}
