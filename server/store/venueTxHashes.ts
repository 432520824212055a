import type { Address, Hash } from 'viem'
import type { Database } from './connection/database.js'
import { isDuplicate } from './connection/databaseErrors.js'

type Row = { id: number; address: Address; tx_hash: Hash; action_type: string; venue: string; chain_id: number }

type VenueTxHash = { address: Address; txHash: Hash; actionType: string; venue: string; chainId: number }

/** What a lookup may ask to be equal, in the order in which the indexes have it. */
const lookupColumns = ['address', 'tx_hash', 'venue', 'action_type'] as const

type Lookup = Partial<Pick<Row, (typeof lookupColumns)[number]>>

export type VenueTxHashStore = ReturnType<typeof createVenueTxHashStore>

const newestFirst = [
  { column: 'created_at', order: 'desc' },
  { column: 'id', order: 'desc' },
]

export function createVenueTxHashStore(database: Database) {
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
      const { address, venue, count } = filter
      const all: Lookup = { address, ...(venue !== null && { venue }) }
      const types = filter.actionTypes && [...new Set(filter.actionTypes)]
      const lookups = types ? types.map((type) => ({ ...all, action_type: type })) : [all]
      if (lookups.length === 0) return []
      const rows = lookups.length > 1 ? await newestOfAll(lookups, count) : await newest(lookups[0]!).limit(count)
      return rows.map(toRecord)
    },

    /** The newest one of the hash that fits; null labels fit all. */
    async findByHash(
      txHash: Hash,
      { actionType, venue }: { actionType: string | null; venue: string | null },
    ): Promise<VenueTxHash | null> {
      const labels = { ...(venue !== null && { venue }), ...(actionType !== null && { action_type: actionType }) }
      const row = await newest({ tx_hash: txHash, ...labels }).first()
      return row ? toRecord(row) : null
    },
  }

  /** The records that fit, newest first; which of the indexes that begin alike serves them is not left to statistics. */
  function newest(lookup: Lookup) {
    return database
      .knex<Row>(database.by('venue_tx_hashes', indexOf(lookup)) as unknown as string)
      .where(lookup)
      .orderBy(newestFirst)
  }

  /** Of the newest of each lookup, since no index has those of several in order. */
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

/** Its name as the migrations have given it. */
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
