import type { Address, Hash } from 'viem'
import type { Database } from './database.js'
import { isDuplicate } from './databaseErrors.js'

type Row = { id: number; address: Address; tx_hash: Hash; action_type: string; venue: string; chain_id: number }

type VenueTxHash = { address: Address; txHash: Hash; actionType: string; venue: string; chainId: number }

export type VenueTxHashStore = ReturnType<typeof createVenueTxHashStore>

const newestFirst = [
  { column: 'created_at', order: 'desc' },
  { column: 'id', order: 'desc' },
]

export function createVenueTxHashStore(database: Database) {
  const table = () => database.knex<Row>('venue_tx_hashes')
  return {
    /** Stores a record once; the same one again is no error. */
    async insert(record: VenueTxHash, now: number): Promise<void> {
      try {
        await database.write((knex) =>
          knex('venue_tx_hashes').insert({
            address: record.address,
            tx_hash: record.txHash,
            action_type: record.actionType,
            venue: record.venue,
            chain_id: record.chainId,
            created_at: now,
          }),
        )
      } catch (error) {
        if (!isDuplicate(error)) throw error
      }
    },

    async find(filter: {
      address: Address
      actionTypes: string[] | null
      venue: string | null
      count: number
    }): Promise<VenueTxHash[]> {
      const query = table().where({ address: filter.address }).orderBy(newestFirst).limit(filter.count)
      if (filter.venue !== null) void query.where({ venue: filter.venue })
      if (filter.actionTypes !== null) void query.whereIn('action_type', filter.actionTypes)
      return (await query).map(toRecord)
    },

    /** The newest one of the hash that fits; null labels fit all. */
    async findByHash(
      txHash: Hash,
      like: { actionType: string | null; venue: string | null },
    ): Promise<VenueTxHash | null> {
      const query = table().where({ tx_hash: txHash }).orderBy(newestFirst)
      if (like.actionType !== null) void query.where({ action_type: like.actionType })
      if (like.venue !== null) void query.where({ venue: like.venue })
      const row = await query.first()
      return row ? toRecord(row) : null
    },
  }
}

function toRecord(row: Row): VenueTxHash {
  return {
    address: row.address,
    txHash: row.tx_hash,
    actionType: row.action_type,
    venue: row.venue,
    chainId: row.chain_id,
  }
}
