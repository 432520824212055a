import type { Knex } from 'knex'
import type { Database } from '../../server/store/connection/database.js'
import { readMigrations } from '../../server/store/connection/migrate.js'
import type { Findings } from './finding.js'

/** Read by the checks that follow. */
const neededTables = ['lanes', 'chain_identities', 'known_contracts']

const lockRemedies: Record<Database['kind'], string> = {
  mysql:
    'Let the process that migrates end. Where none does, start the service: it frees the lock itself and makes what is ' +
    'missing. Restore the backup if that fails.',
  // No process is migrating: it would hold the file.
  sqlite:
    'What did not end was not stored: `DELETE FROM knex_migrations_lock` in the file and start. Restore the backup if that fails.',
}

/** Whether the service's tables are there and of this build. False: there is nothing in it that could be read. */
export async function checkMigrations({ kind, knex }: Database, { fault, warn }: Findings): Promise<boolean> {
  const { isNew, missing, foreign } = await readMigrations(knex)
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
    fault('database.migrationLocked', what, lockRemedies[kind])
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
