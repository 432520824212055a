import type { Knex } from 'knex'
import { migrations } from '../../server/store/migrations/index.js'
import type { Findings } from './finding.js'

/** Read by the checks that follow. */
const neededTables = ['lanes', 'chain_identities', 'known_contracts']

/** Whether the service's tables are there and of this build. False: there is nothing in it that could be read. */
export async function checkMigrations(knex: Knex, { fault, warn }: Findings): Promise<boolean> {
  const names = Object.keys(migrations).sort()
  const isNew = !(await knex.schema.hasTable('knex_migrations'))
  const rows = isNew ? [] : ((await knex('knex_migrations').select('name')) as { name: string }[])
  const done = rows.map(({ name }) => name)
  const missing = names.filter((name) => !done.includes(name))
  const foreign = done.filter((name) => !names.includes(name))
  if (foreign.length > 0) {
    const what = `it was migrated by a newer build (${foreign.join(', ')})`
    fault('database.newer', what, 'Run that build or a later one; migrations go forward only.')
  }
  if (missing.length > 0) {
    const what = `migrations are missing: ${missing.join(', ')}`
    warn('database.migrationsPending', what, 'Make a backup; the service migrates at its next start.')
  }
  const lock = isNew ? null : await knex('knex_migrations_lock').first<{ is_locked: number } | undefined>()
  if (lock?.is_locked) {
    const what = 'a migration has begun and not ended'
    const remedy = 'If no process is migrating: restore the backup, or `DELETE FROM knex_migrations_lock` and start.'
    fault('database.migrationLocked', what, remedy)
  }
  if (foreign.length > 0 || missing.length > 0) return false
  const gone = await tablesGone(knex)
  for (const table of gone) {
    const what = `the table ${table} is gone, though the migration that made it is noted`
    fault('database.damaged', what, 'Restore the backup; see "Backup" in server/OPERATING.md.')
  }
  return gone.length === 0
}

async function tablesGone(knex: Knex): Promise<string[]> {
  const gone: string[] = []
  for (const table of neededTables) if (!(await knex.schema.hasTable(table))) gone.push(table)
  return gone
}
