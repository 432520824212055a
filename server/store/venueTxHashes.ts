import type { Address, Hash } from 'viem'
import type { VenueTxHash, VenueTxHashQuery } from '../domain/venueTxHash.js'
import type { Database } from './connection/database.js'
import { isDuplicate } from './connection/databaseErrors.js'

type Row = { id: number; address: Address; tx_hash: Hash; action_type: string; venue: string; chain_id: number }

/** The columns that a lookup may compare, in the order in which the indexes have them. */
const lookupColumns = ['address', 'tx_hash', 'venue', 'action_type'] as const

type Lookup = Partial<Pick<Row, (typeof lookupColumns)[number]>>

export type VenueTxHashStore = ReturnType<typeof createVenueTxHashStore>

const newestFirst = [
  { column: 'created_at', order: 'desc' },
  { column: 'id', order: 'desc' },
]

export function createVenueTxHashStore(database: Database) {
  return {
    /** Stores a record; the same record again changes nothing and is no error. */
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

    async find({ address, actionTypes, venue, count }: VenueTxHashQuery): Promise<VenueTxHash[]> {
      const all: Lookup = { address, ...(venue !== null && { venue }) }
      const types = actionTypes && [...new Set(actionTypes)]
      const lookups = types ? types.map((type) => ({ ...all, action_type: type })) : [all]
      if (lookups.length === 0) return []
      const rows = lookups.length > 1 ? await newestOfAll(lookups, count) : await newest(lookups[0]!).limit(count)
      return rows.map(toRecord)
    },

    /** The newest record of the hash with these labels; a label that is null is not compared. */
    async findByHash(
      txHash: Hash,
      { actionType, venue }: { actionType: string | null; venue: string | null },
    ): Promise<VenueTxHash | null> {
      const labels = { ...(venue !== null && { venue }), ...(actionType !== null && { action_type: actionType }) }
      const row = await newest({ tx_hash: txHash, ...labels }).first()
      return row ? toRecord(row) : null
    },
  }

  /**
   * The records that fit a lookup, newest first. The index is named: several begin alike, and
   * statistics may choose another.
   */
  function newest(lookup: Lookup) {
    return database
      .knex<Row>(database.by('venue_tx_hashes', indexOf(lookup)))
      .where(lookup)
      .orderBy(newestFirst)
  }

  /**
   * The newest records of several lookups together, from the newest of each, since no index
   * has those of several in order.
   */
  async function newestOfAll(lookups: Lookup[], count: number): Promise<Row[]> {
    const { knex } = database
    const ofEach = lookups.map((lookup) =>
      knex.from(newest(lookup).limit(count).select('id', 'created_at').as('newest')).select('*'),
    )
    const found = await knex
      .from(knex.unionAll(ofEach).as('found'))
      .orderBy(newestFirst)
      .limit(count)
      .select<{ id: number }[]>('id')
    const ids = found.map(({ id }) => id)
    return knex<Row>('venue_tx_hashes').whereIn('id', ids).orderBy(newestFirst)
  }
}

/** The name of the lookup's index, as the migrations have given it. */
function indexOf(lookup: Lookup): string {
  const [subject, ...labels] = lookupColumns.filter((column) => lookup[column] !== undefined)
  const columns =
    labels.length > 0 ? [subject, ...labels, 'created_at', 'id'] : [subject, 'created_at', 'id', 'venue', 'action_type']
  return ['venue_tx_hashes', ...columns, 'index'].join('_')
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
