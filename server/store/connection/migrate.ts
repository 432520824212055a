import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'
import { migrations } from '../migrations/index.js'
import { mysqlClock } from './clock.js'
import { mysqlErrno } from './mysqlErrors.js'

/** How long a process's turn to migrate lasts if the process dies; a living one renews it. */
const turnMs = 20_000
const renewMs = 5_000
const pollMs = 200

/** Brings the schema up to date. Several processes that start at once, on whichever node, do it one after the other. */
export async function migrate(knex: Knex, options: { isShared: boolean }): Promise<void> {
  const latest = () => knex.migrate.latest({ migrationSource: migrationSource() })
  await refuseNewer(knex)
  if (!options.isShared) {
    await latest()
    return
  }
  if (await isUpToDate(knex)) return
  // A cluster runs schema changes on all nodes in one order; this one does nothing the second time.
  await knex.raw(
    'CREATE TABLE IF NOT EXISTS migration_turn (' +
      'id INT PRIMARY KEY, owner CHAR(36) CHARACTER SET ascii NULL, until BIGINT NOT NULL)',
  )
  const owner = randomUUID()
  while (!(await takeTurn(knex, owner))) await new Promise((resolve) => setTimeout(resolve, pollMs))
  const renewal = setInterval(() => void takeTurn(knex, owner).catch(() => undefined), renewMs)
  try {
    // Knex's own lock stays behind for good when a process is killed; ours is the one that counts.
    if (await knex.schema.hasTable('knex_migrations_lock')) await knex.migrate.forceFreeMigrationsLock()
    await latest()
  } finally {
    clearInterval(renewal)
    await knex('migration_turn').where({ id: 1, owner }).update({ owner: null, until: 0 })
  }
}

/**
 * Throws where a newer build has migrated the database, as when an older replica starts again in the middle of an
 * update. Knex would call the migrations of this build corrupt.
 */
export async function refuseNewer(knex: Knex): Promise<void> {
  const { foreign } = await readMigrations(knex)
  if (foreign.length === 0) return
  throw new Error(
    `The database was migrated by a newer build (${foreign.join(', ')}). Run that one or a later one: migrations go forward only.`,
  )
}

async function isUpToDate(knex: Knex): Promise<boolean> {
  const { missing, foreign } = await readMigrations(knex)
  return missing.length === 0 && foreign.length === 0
}

/**
 * `missing`: migrations of this build that were never made. `foreign`: migrations that were made and that this build
 * does not know. `isNew`: no service has ever used the database.
 */
export async function readMigrations(knex: Knex): Promise<{ isNew: boolean; missing: string[]; foreign: string[] }> {
  const names = Object.keys(migrations).sort()
  if (!(await knex.schema.hasTable('knex_migrations'))) return { isNew: true, missing: names, foreign: [] }
  const rows = (await knex('knex_migrations').select('name')) as { name: string }[]
  const done = rows.map(({ name }) => name)
  return {
    isNew: false,
    missing: names.filter((name) => !done.includes(name)),
    foreign: done.filter((name) => !names.includes(name)),
  }
}

/** Takes or renews the turn. False: another process has it, or has taken it at the same moment on another node. */
async function takeTurn(knex: Knex, owner: string): Promise<boolean> {
  try {
    await knex.raw('INSERT IGNORE INTO migration_turn (id, owner, until) VALUES (1, NULL, 0)')
    const taken = await knex('migration_turn')
      .where({ id: 1 })
      .whereRaw(`(owner = ? OR until < ${mysqlClock})`, [owner])
      .update({ owner, until: knex.raw(`${mysqlClock} + ?`, [turnMs]) })
    return taken === 1
  } catch (error) {
    const { errno } = error as { errno?: number }
    if (errno === mysqlErrno.lockWaitTimeout || errno === mysqlErrno.deadlock) return false
    throw error
  }
}

function migrationSource(): Knex.MigrationSource<string> {
  return {
    getMigrations: async () => Object.keys(migrations).sort(),
    getMigrationName: (name) => name,
    getMigration: async (name) => migrations[name]!,
  }
}
