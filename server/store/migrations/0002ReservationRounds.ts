import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('steps', (t) => {
    // How often setting credit aside for the step was begun. It is there to be changed: two nodes of a cluster that do
    // so at once then meet at COMMIT, where their locks do not.
    t.integer('reservation_rounds').notNullable().defaultTo(0)
  })
}

export async function down(): Promise<void> {
  throw new Error('Migrations go forward only; restore a backup instead.')
}
