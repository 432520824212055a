import type { Knex } from 'knex'
import { addIndexes } from './createTable.js'

/**
 * An index for each way of looking venue records up, with what has to be equal before what they are ordered by: anyone may
 * add records of any hash and any user, and those that do not fit must cost those who look for others nothing.
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
