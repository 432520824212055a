import type { Knex } from 'knex'
import { addIndexes } from './createTable.js'

/**
 * An index for each way of looking venue records up: first the columns that have to be equal, then those of the order.
 * Anyone may add records of any hash and any user, and records that don't fit a lookup must not slow it down.
 */
export async function up(knex: Knex): Promise<void> {
  await addIndexes(knex, 'venue_tx_hashes', (t) => {
    for (const subject of ['address', 'tx_hash']) {
      for (const labels of [['venue'], ['action_type'], ['venue', 'action_type']]) {
        t.index([subject, ...labels, 'created_at', 'id'])
      }
    }
  })
}

export async function down(): Promise<void> {
  throw new Error('Migrations go forward only; restore a backup instead.')
}
