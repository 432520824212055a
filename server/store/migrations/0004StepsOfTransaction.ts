import type { Knex } from 'knex'
import { addIndexes, dropIndex } from './createTable.js'

/**
 * An index that has the steps of a transaction in the order in which their actions are listed, in place of one that has
 * them in none. Anyone may have any number of steps name the same hash.
 */
export async function up(knex: Knex): Promise<void> {
  await addIndexes(knex, 'steps', (t) => t.index(['transaction_hash', 'action_id', 'user']))
  await dropIndex(knex, 'steps', ['transaction_hash'])
}

export async function down(): Promise<void> {
  throw new Error('Migrations go forward only; restore a backup instead.')
}
