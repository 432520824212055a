import { keyLifetimeMs } from './actions.js'
import type { Database } from './database.js'

/** As many rows as one sweep removes of a kind, so that none holds locks for long. */
const batchSize = 1_000

/** Removes what nobody can ask for any more: idempotency keys and rate limit windows that have run out. */
export async function sweep(database: Database, now: number): Promise<void> {
  const { knex } = database
  const keys = await knex<{ key_hash: string; created_at: number }>('idempotency_keys')
    .where('created_at', '<', now - keyLifetimeMs)
    .limit(batchSize)
    .select('key_hash')
  if (keys.length > 0) {
    await knex('idempotency_keys')
      .whereIn(
        'key_hash',
        keys.map((row) => row.key_hash),
      )
      .delete()
  }
  const windows = await knex<{ key: string; expire: number | null }>('rate_limits')
    .where('expire', '<', now)
    .limit(batchSize)
    .select('key')
  if (windows.length > 0) {
    await knex('rate_limits')
      .whereIn(
        'key',
        windows.map((row) => row.key),
      )
      .where('expire', '<', now)
      .delete()
  }
}
