import type { Knex } from 'knex'
import { columns } from '../columns.js'
import { createTable } from '../createTable.js'

/** What the service keeps about itself and its clients. */
export async function createRunningTables(knex: Knex): Promise<void> {
  const column = columns(knex)

  // Points that clients have used up, in the form that rate-limiter-flexible keeps them.
  await createTable(knex, 'rate_limits', (t) => {
    t.string('key', 255).primary()
    t.integer('points').notNullable()
    // Unix milliseconds; null: never.
    t.bigInteger('expire').nullable().index()
  })

  // Named values that all replicas share, such as `drain`, which an operator sets to `on` or `off`.
  await createTable(knex, 'service_state', (t) => {
    column.word(t, 'name').primary()
    column.word(t, 'value').notNullable()
    column.time(t, 'updated_at').notNullable()
  })

  // The first block of each chain, to notice that another chain answers under its id.
  await createTable(knex, 'chain_identities', (t) => {
    t.bigInteger('chain_id').primary()
    column.hash(t, 'genesis_hash').notNullable()
  })

  // The vaults and tokens that the service has been started with, to notice what the chains file drops. Never deleted.
  await createTable(knex, 'known_contracts', (t) => {
    t.bigInteger('chain_id').notNullable()
    // `vault`, `token`, or `funder`, who gives a vault inventory
    column.word(t, 'kind').notNullable()
    column.address(t, 'address').notNullable()
    // True: it was dropped while nothing was under way on its chain.
    t.boolean('is_dropped').notNullable()
    t.primary(['chain_id', 'kind', 'address'])
  })
}
