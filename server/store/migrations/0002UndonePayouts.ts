import type { Knex } from 'knex'
import { columns } from './columns.js'

/** What of a payout that was settled with the user has been undone, and may come again. */
export async function up(knex: Knex): Promise<void> {
  // MySQL keeps the column of a migration that was killed before it was noted.
  if (await knex.schema.hasColumn('exposures', 'undone_amount')) return
  const column = columns(knex)
  await knex.schema.alterTable('exposures', (t) => {
    // In the token's smallest unit; it was open when it was settled, and is none of `open_amount` any more.
    column.amount(t, 'undone_amount').notNullable().defaultTo('0')
  })
}

export async function down(): Promise<void> {
  throw new Error('Migrations go forward only; restore a backup instead.')
}
