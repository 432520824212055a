import type { Knex } from 'knex'
import { keyLifetimeMs } from './actions/newActions.js'
import type { Database } from './connection/database.js'

/** As many rows as are removed at once, so that none holds locks for long. */
const rowsAtOnce = 1_000
/** Between two parts others have their turn. */
const restMs = 50
/**
 * A refused report is looked at anew whenever it is sent again, so that nothing is lost with its row. One that had been
 * recorded before a reorganisation stays: its row counts how often, and that is what its next entries are named by.
 */
const refusedForMs = 7 * 24 * 60 * 60 * 1000

/**
 * Removes what nobody can ask for any more, idempotency keys and rate limit windows that have run out, and reports of
 * deposits that were refused long ago, of which anybody may send as many as his rate allows. All of it, part by part; an abort
 * ends it after the part that it is at.
 */
export async function sweep(database: Database, now: number, signal?: AbortSignal): Promise<void> {
  const sorts: Sort[] = [
    { table: 'idempotency_keys', key: 'key_hash', over: (rows) => rows.where('created_at', '<', now - keyLifetimeMs) },
    { table: 'rate_limits', key: 'key', over: (rows) => rows.where('expire', '<', now) },
    {
      table: 'deposits',
      key: 'id',
      over: (rows) => rows.where({ status: 'refused', reopenings: 0 }).where('reported_at', '<', now - refusedForMs),
    },
  ]
  const failures: unknown[] = []
  for (const sort of sorts) await removeAll(database, sort, signal).catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}

async function removeAll(database: Database, sort: Sort, signal: AbortSignal | undefined): Promise<void> {
  while ((await removeSome(database, sort)) === rowsAtOnce && !signal?.aborted) {
    await new Promise((resolve) => setTimeout(resolve, restMs))
  }
}

/** What a table keeps for a while: `over` is what has run out. */
type Sort = { table: string; key: string; over: (rows: Knex.QueryBuilder) => Knex.QueryBuilder }

/** Returns how many were found. */
async function removeSome(database: Database, { table, key, over }: Sort): Promise<number> {
  const found: Record<string, string | number>[] = await over(database.knex(table)).limit(rowsAtOnce).select(key)
  if (found.length === 0) return 0
  const keys = found.map((row) => row[key]!)
  // Asked again, for what has been renewed since.
  await database.write((knex) => over(knex(table)).whereIn(key, keys).delete())
  return found.length
}
