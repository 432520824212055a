import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Config } from '../../server/config/config.js'
import { createDatabase, type Database, lockWaitMs } from '../../server/store/connection/database.js'
import { explainUnusable, type UnusableKind } from '../../server/store/connection/databaseUnusable.js'
import { checkEncryption } from './checkEncryption.js'
import { checkMigrations } from './checkMigrations.js'
import { checkMysql } from './checkMysql.js'
import { createFindings, type Finding, type Findings } from './finding.js'

/** Locally measured times vary by this much without anything wrong. */
const skewMs = 2_000

/**
 * Whether the database answers, is set as the service needs it, and is of this build. The caller closes it. `isUnused`:
 * no service has worked with it yet.
 */
export async function checkDatabase(
  config: Config['database'],
  now: () => number,
  say: (line: string) => void = () => undefined,
): Promise<{ findings: Finding[]; database: Database | null; isUnused: boolean }> {
  const found = createFindings('database')
  const { list, fault, warn } = found
  if (config.kind === 'sqlite' && !existsSync(config.file)) {
    if (!canBeMade(config.file)) {
      const remedy = 'Name another place in DATABASE_URL or DATA_DIR, or let the service write there.'
      fault('database.noPlace', `${config.file} can't be made`, remedy)
      return { findings: list, database: null, isUnused: false }
    }
    const remedy =
      'Nothing to do if this is the first start of all, which makes it; else correct DATABASE_URL or DATA_DIR, or restore the backup.'
    warn('database.new', `${config.file} does not exist yet`, remedy)
    return { findings: list, database: null, isUnused: true }
  }
  const database = createDatabase(config)
  try {
    await untilFree(database)
    if (config.kind === 'sqlite') await checkIntegrity(config.file, database, fault)
    const before = now()
    const clock = await database.clock()
    const skew = clock - (before + now()) / 2
    if (Math.abs(skew) > skewMs) {
      const what = `its clock differs from this machine's by ${Math.round(skew / 1000)} s`
      fault('clock.skew', what, 'Set both by NTP: leases, expiry and caps per day depend on it.')
    }
    if (config.kind === 'mysql') {
      list.push(...(await checkEncryption(database.knex, config.url, say)))
      list.push(...(await checkMysql(database.knex)))
    }
    const isOfThisBuild = await checkMigrations(database, found)
    const isUnused = await hasNoLanes(database)
    return { findings: list, database: isOfThisBuild ? database : await closed(), isUnused }
  } catch (error) {
    explainFailure(error, config, found)
    return { findings: list, database: await closed(), isUnused: false }
  }

  async function closed(): Promise<null> {
    await database.close().catch(() => undefined)
    return null
  }
}

/** The finding for each way in which a database can't be used. */
const nameOf: Record<UnusableKind, string> = {
  unreachable: 'database.unreachable',
  readOnly: 'database.readOnly',
  accessDenied: 'database.accessDenied',
  missing: 'database.missing',
  tls: 'database.tls',
  damaged: 'database.damaged',
  // What can't be made is found before anything is opened: there is something, which is no file to be read.
  shut: 'database.damaged',
}

/** What the database has failed with, as a finding. */
export function explainFailure(error: unknown, config: Config['database'], { fault, warn }: Findings): void {
  const { code, errno } = (error ?? {}) as { code?: string; errno?: number }
  // The message may name the host and the user; the code says enough.
  const what = String(code || errno || (error as Error).name)
  if (isLocked(error)) {
    const remedy = 'Stop the service and look again; or leave it, if the service is healthy.'
    warn('database.inUse', 'another process holds the file, the service presumably; it was not looked into', remedy)
    return
  }
  const unusable = explainUnusable(config, error)
  if (config.kind === 'sqlite') {
    const remedy = unusable?.remedy ?? 'Name a file that the service has made, or restore the backup of it.'
    fault(nameOf[unusable?.kind ?? 'damaged'], `${config.file} is no database that can be read: ${what}`, remedy)
  } else {
    const remedy = unusable?.remedy ?? 'Start it, or correct host and port.'
    fault(nameOf[unusable?.kind ?? 'unreachable'], `DATABASE_URL: ${what}`, remedy)
  }
}

/** Whether the service could make the file, with the folders above it. */
function canBeMade(file: string): boolean {
  let folder = dirname(resolve(file))
  while (!existsSync(folder)) folder = dirname(folder)
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return statSync(folder).isDirectory()
  } catch {
    return false
  }
}

/**
 * A write-ahead log that belongs to another state of the file, as beside a restored backup,
 * makes one that opens and is broken.
 */
async function checkIntegrity(file: string, { knex }: Database, fault: Findings['fault']): Promise<void> {
  const [row] = (await knex.raw('PRAGMA quick_check(1)')) as { quick_check: string }[]
  if (row?.quick_check === 'ok') return
  const remedy =
    'Restore the backup, without a -wal and -shm that do not belong to it; see "Restoring a backup" in server/OPERATING.md.'
  fault('database.damaged', `${file} is damaged: ${String(row?.quick_check).split('\n')[0]}`, remedy)
}

/** Each key's lane is noted before it signs anything, and stays. */
async function hasNoLanes({ knex }: Database): Promise<boolean> {
  return !(await knex.schema.hasTable('lanes')) || (await knex('lanes').first('signer')) === undefined
}

async function untilFree({ knex }: Database): Promise<void> {
  for (const deadline = Date.now() + lockWaitMs; ;) {
    try {
      await knex.raw('SELECT 1')
      return
    } catch (error) {
      if (!isLocked(error) || Date.now() > deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}

function isLocked(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown }
  return /BUSY|locked/i.test(`${String(code)} ${String(message)}`)
}
