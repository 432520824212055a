import type { Knex } from 'knex'
import { keyLifetimeMs } from './newActions.js'
import type { Database } from './database.js'

/** As many rows as one sweep removes of a kind, so that none holds locks for long. */
const batchSize = 1_000
/**
 * A refused report is looked at anew whenever it is sent again, so that nothing is lost with its row. One that had been
 * recorded before a reorganisation stays: its row counts how often, and that is what its next entries are named by.
 */
const refusedForMs = 7 * 24 * 60 * 60 * 1000

/**
 * Removes what nobody can ask for any more, idempotency keys and rate limit windows that have run out, and reports of
 * deposits that were refused long ago, of which anybody may send as many as his rate allows.
 */
export async function sweep({ knex }: Database, now: number): Promise<void> {
  await remove(knex, 'idempotency_keys', 'key_hash', (rows) => rows.where('created_at', '<', now - keyLifetimeMs))
  await remove(knex, 'rate_limits', 'key', (rows) => rows.where('expire', '<', now))
  await remove(knex, 'deposits', 'id', (rows) =>
    rows.where({ status: 'refused', reopenings: 0 }).where('reported_at', '<', now - refusedForMs),
  )
}

async function remove(
  knex: Knex,
  table: string,
  key: string,
  thoseThatHaveRunOut: (rows: Knex.QueryBuilder) => Knex.QueryBuilder,
): Promise<void> {
  const found: Record<string, string | number>[] = await thoseThatHaveRunOut(knex(table)).limit(batchSize).select(key)
  if (found.length === 0) return
  const keys = found.map((row) => row[key]!)
  // Asked again, for what has been renewed since.
  await thoseThatHaveRunOut(knex(table)).whereIn(key, keys).delete()
}
