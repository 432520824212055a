import type { Knex } from 'knex'
import { createActionsTables } from './0001/actions.js'
import { createJournalTables } from './0001/journal.js'
import { createMoneyTables } from './0001/money.js'
import { createRecordsTables } from './0001/records.js'
import { createRunningTables } from './0001/running.js'

export async function up(knex: Knex): Promise<void> {
  await createActionsTables(knex)
  await createJournalTables(knex)
  await createMoneyTables(knex)
  await createRecordsTables(knex)
  await createRunningTables(knex)
}

export async function down(): Promise<void> {
  throw new Error('Migrations go forward only; restore a backup instead.')
}
