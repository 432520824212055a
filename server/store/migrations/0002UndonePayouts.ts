import type { Knex } from 'knex'
import { columns } from './columns.js'

/** Adds how much of a payout that was settled with the user has been undone, and may come again. */
export async function up(knex: Knex): Promise<void> {
  // On MySQL the column stays where the migration was killed before Knex had noted it.
  if (await knex.schema.hasColumn('exposures', 'undone_amount')) return
  const column = columns(knex)
  await knex.schema.alterTable('exposures', (t) => {
    // In the token's smallest unit: the part of a settled payout that has gone from the chain;
    // no longer part of `open_amount`.
    column.amount(t, 'undone_amount').notNullable().defaultTo('0')
  })
}

export async function down(): Promise<void> {
  throw new Error('Migrations go forward only; restore a backup instead.')
}
