import type { Knex } from 'knex'
import { keyLifetimeMs } from './actions/newActions.js'
import type { Database } from './connection/database.js'

/** As many rows as are removed at once, so that none holds locks for long. */
const rowsAtOnce = 1_000
/** The pause between two parts, in which other statements have their turn. */
const restMs = 50
/**
 * How long a refused report is kept. It is looked at anew whenever it is sent again, so nothing is lost with
 * its row. A report that had been recorded before a reorganisation is kept for good: the causes of its next
 * entries are named by `reopenings`.
 */
const refusedForMs = 7 * 24 * 60 * 60 * 1000

/**
 * Removes idempotency keys and rate limit windows that have run out, and reports of deposits that were refused
 * long ago, of which anybody may send as many as his rate allows. Removes all of them, part by part; an abort
 * ends it after the present part.
 */
export async function sweep(database: Database, now: number, signal?: AbortSignal): Promise<void> {
  const expiries: Expiry[] = [
    {
      table: 'idempotency_keys',
      key: 'key_hash',
      expired: (rows) => rows.where('created_at', '<', now - keyLifetimeMs),
    },
    { table: 'rate_limits', key: 'key', expired: (rows) => rows.where('expire', '<', now) },
    {
      table: 'deposits',
      key: 'id',
      expired: (rows) => rows.where({ status: 'refused', reopenings: 0 }).where('reported_at', '<', now - refusedForMs),
    },
  ]
  const failures: unknown[] = []
  for (const expiry of expiries)
    await removeAll(database, expiry, signal).catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}

async function removeAll(database: Database, expiry: Expiry, signal: AbortSignal | undefined): Promise<void> {
  while ((await removeSome(database, expiry)) === rowsAtOnce && !signal?.aborted) {
    await new Promise((resolve) => setTimeout(resolve, restMs))
  }
}

/** Rows that a table keeps for a while. `expired` selects those that have run out; `key` is the primary key. */
type Expiry = { table: string; key: string; expired: (rows: Knex.QueryBuilder) => Knex.QueryBuilder }

/** Removes one part of what has expired. Returns how many rows were found. */
async function removeSome(database: Database, { table, key, expired }: Expiry): Promise<number> {
  const found: Record<string, string | number>[] = await expired(database.knex(table)).limit(rowsAtOnce).select(key)
  if (found.length === 0) return 0
  const keys = found.map((row) => row[key]!)
  // The condition once more, so that rows that were renewed since the look stay.
  await database.write((knex) => expired(knex(table)).whereIn(key, keys).delete())
  return found.length
}
