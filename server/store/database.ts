import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import knexFactory, { type Knex } from 'knex'
import { explainUnusable } from './databaseUnusable.js'
import { migrate } from './migrate.js'
import { keepPrepared, type SqliteConnection } from './keepPrepared.js'
import { type Client, runTransaction, type Transaction } from './transaction.js'

export type { Transaction } from './transaction.js'

/** This file hides whether it is MySQL or SQLite from all but migrations, rate limits and `store.ts`. */
export type DatabaseConfig = { kind: 'sqlite'; file: string } | { kind: 'mysql'; url: string; poolSize?: number }

export type Database = {
  kind: DatabaseConfig['kind']
  /** For single reads and writes outside a transaction. Never to be used inside `transact`: SQLite has one connection. */
  knex: Knex
  /** One SELECT as it is written, for reads that come so often that building the statement would cost a third of them. */
  select<Row>(sql: string, bindings: readonly (string | number)[]): Promise<Row[]>
  /**
   * Runs the closure in one transaction, and again from the start when the database rolled it back as a victim
   * (deadlock, lock wait, certification failure), so it must have no effects of its own.
   * Any other failure, a lost COMMIT among them, is thrown: the outcome is unknown until read back.
   */
  transact<T>(work: (trx: Transaction) => Promise<T>, options?: TransactOptions): Promise<T>
  /** Reads of one moment, whatever others write meanwhile. SQLite's one connection keeps them out until it is over. */
  snapshot<T>(work: (reader: Knex) => Promise<T>): Promise<T>
  /**
   * For a single write outside a transaction: runs the statement, and again when the database rolled it back. On a
   * cluster any write can lose against one that another node has made.
   */
  write<T>(statement: (knex: Knex) => PromiseLike<T>): Promise<T>
  /**
   * Locks the rows it selects, where the engine has row locks; SQLite's one connection needs none.
   * On a cluster the lock holds on one node only. Two nodes that lock the same row meet at COMMIT, and only if both have
   * changed it: what is decided under a lock must change a locked row, or insert a unique one, in the same transaction.
   */
  lock<Q extends Knex.QueryBuilder>(query: Q, options?: { skipLocked: boolean }): Q
  /** A table to select from by one of its indexes, where the planner would not see that it is the one. */
  by(table: string, index: string): Knex.Raw
  /** Unix ms by the database's own clock, which all replicas share; on a cluster, by that of their node. */
  clock(): Promise<number>
  /** Now, by the same clock, as a value to be stored. */
  atOnce(): Knex.Raw
  /** So many milliseconds from now, likewise. */
  after(ms: number): Knex.Raw
  migrate(): Promise<void>
  close(): Promise<void>
}

export type TransactOptions = {
  /**
   * False: a power loss may undo it on SQLite, together with nothing but what came after. A process that dies undoes
   * nothing. For what only saves work, such as leases, which then need not wait for the disk.
   */
  durable?: boolean
  /**
   * False: one that has waited for a lock in vain is not run again. For who is to come back by himself and holds up others
   * for as long as he waits: whoever has the lock may be a process that stands still.
   */
  patient?: boolean
}

/** Thrown when a second process opens the same SQLite file. */
export class DatabaseInUse extends Error {
  override readonly name = 'DatabaseInUse'
}

const lockWaitError = 1205
const rolledBackErrors: readonly number[] = [1213, lockWaitError, 1020]
const maxRuns = 12
/** The longest pause before the second run; it doubles with each one after, up to the longest of all. */
const firstPauseMs = 4
const longestPauseMs = 250
/** How long a start waits for another process to let go of the file. */
const lockWaitMs = 3_000

export function createDatabase(config: DatabaseConfig): Database {
  const explained = (error: unknown) => explainUnusable(config, error) ?? error
  const knex = open(config, explained)
  return {
    kind: config.kind,
    knex,
    async select<Row>(sql: string, bindings: readonly (string | number)[]) {
      const answer: unknown = await knex.raw(sql, bindings)
      // mysql2 answers with the rows and their columns' descriptions.
      return (config.kind === 'mysql' ? (answer as [Row[]])[0] : answer) as Row[]
    },
    async transact(work, { durable = true, patient = true } = {}) {
      const run = () => runOnce(knex, config, work, { waitForDisk: durable || config.kind !== 'sqlite' })
      return again(run, patient ? rolledBackErrors : rolledBackErrors.filter((errno) => errno !== lockWaitError))
    },
    snapshot: (work) => knex.transaction(work, config.kind === 'mysql' ? { isolationLevel: 'repeatable read' } : {}),
    write(statement) {
      return again(() => statement(knex))
    },
    lock(query, options) {
      if (config.kind === 'sqlite') return query
      const locked = query.forUpdate()
      return (options?.skipLocked ? locked.skipLocked() : locked) as typeof query
    },
    by: (table, index) =>
      knex.raw(config.kind === 'mysql' ? '?? FORCE INDEX (??)' : '?? INDEXED BY ??', [table, index]),
    async clock() {
      const rows = await knex.select(knex.raw(`${clockOf(config)} AS now`))
      return Number((rows[0] as { now: number | string }).now)
    },
    atOnce: () => knex.raw(clockOf(config)),
    after: (ms) => knex.raw(`${clockOf(config)} + ?`, [ms]),
    async migrate() {
      try {
        await refuseSecondProcess(knex, config)
        await migrate(knex, { isShared: config.kind === 'mysql' })
      } catch (error) {
        throw explained(error)
      }
    },
    async close() {
      // Statements that stay prepared outlive the connection, which then leaves its log as it is: the file alone lacked it.
      if (config.kind === 'sqlite') await knex.raw('PRAGMA wal_checkpoint(TRUNCATE)').catch(() => undefined)
      await knex.destroy()
    },
  }
}

function clockOf(config: DatabaseConfig): string {
  return config.kind === 'mysql'
    ? 'CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS UNSIGNED)'
    : "CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER)"
}

/** Repeats what was rolled back whole, after a pause of random length, in which the winner's write arrives. */
async function again<T>(attempt: () => PromiseLike<T>, repeated = rolledBackErrors): Promise<T> {
  for (let run = 1; ; run++) {
    try {
      return await attempt()
    } catch (error) {
      const { errno } = (error ?? {}) as { errno?: unknown }
      if (run >= maxRuns || typeof errno !== 'number' || !repeated.includes(errno)) throw error
      const longest = Math.min(firstPauseMs * 2 ** (run - 1), longestPauseMs)
      await new Promise((resolve) => setTimeout(resolve, Math.random() * longest))
    }
  }
}

/** One run of a transaction, on a connection of its own until the transaction is over for certain. */
async function runOnce<T>(
  knex: Knex,
  { kind }: DatabaseConfig,
  work: (trx: Transaction) => Promise<T>,
  { waitForDisk }: { waitForDisk: boolean },
): Promise<T> {
  const client = knex.client as Client & Pool
  const connection = await client.acquireConnection()
  const hurry = waitForDisk ? null : (connection as SqliteConnection)
  const joins = kind === 'mysql' && !ofCluster.has(connection)
  const abandon = (reason: unknown) => {
    // Knex's pool closes it then. SQLite's only one says so when there is nothing to roll back.
    if (kind === 'mysql') Object.assign(connection, { __knex__disposed: reason })
  }
  try {
    hurry?.pragma('synchronous = NORMAL')
    return await runTransaction(client, connection, { joins, abandon }, work)
  } finally {
    try {
      hurry?.pragma('synchronous = FULL')
    } finally {
      await client.releaseConnection(connection)
    }
  }
}

/** True when a unique key refused the row: an answer, not a fault. */
export function isDuplicate(error: unknown): boolean {
  const { code, errno } = (error ?? {}) as { code?: unknown; errno?: unknown }
  if (errno === 1062) return true
  return code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY'
}

/** Its name is not known, no way leads to it, it takes no connection, or it has lost one. */
const outages = [
  ...['ENOTFOUND', 'EAI_AGAIN', 'ENOENT'],
  ...['ENETUNREACH', 'ENETDOWN', 'EHOSTUNREACH', 'EHOSTDOWN', 'EADDRNOTAVAIL'],
  ...['ECONNREFUSED', 'ETIMEDOUT', 'ECONNRESET', 'EPIPE', 'PROTOCOL_CONNECTION_LOST'],
]

/** True when the database can't be reached or refuses service for now; the request may be made again later. */
export function isOutage(error: unknown): boolean {
  const { code, errno, name, fatal } = (error ?? {}) as Record<'code' | 'errno' | 'name' | 'fatal', unknown>
  if (name === 'KnexTimeoutError') return true
  // mysql2's for a connection that was closed before it was used; it has no code.
  if (fatal === true && code === undefined) return true
  if (typeof code === 'string' && outages.includes(code)) return true
  // 1040 too many connections, 1047 node not ready (Galera), 1053 shutdown, 1205/1213 after all retries
  if (typeof errno === 'number' && [1040, 1047, 1053, 1205, 1213, 1927].includes(errno)) return true
  return isWriteRefused(error)
}

/** True when the database answers and can't write: its disk is full or fails, or it was made read-only. */
export function isWriteRefused(error: unknown): boolean {
  const { code, errno } = (error ?? {}) as { code?: unknown; errno?: unknown }
  if (typeof code === 'string' && /^SQLITE_(?:FULL|IOERR|READONLY)/.test(code)) return true
  // 1021 and 1114 disk or table full, 1290 read_only, 1836 InnoDB read-only
  return typeof errno === 'number' && [1021, 1114, 1290, 1836].includes(errno)
}

/** What knex would print by itself is thrown as well, and logged where it is caught. */
const quiet = { warn: () => undefined, error: () => undefined, deprecate: () => undefined, debug: () => undefined }

function open(config: DatabaseConfig, explained: (error: unknown) => unknown): Knex {
  if (config.kind === 'mysql') return openMysql(config)
  try {
    return openSqlite(config.file)
  } catch (error) {
    throw explained(error)
  }
}

function openMysql(config: { url: string; poolSize?: number }): Knex {
  return knexFactory({
    client: 'mysql2',
    log: quiet,
    // Errors name the statement, not its values: these may be signatures and raw transactions.
    compileSqlOnError: false,
    connection: {
      uri: config.url,
      timezone: 'Z',
      charset: 'utf8mb4',
      // Statements of a transaction share trips; mysql2 escapes their values.
      multipleStatements: true,
      supportBigNumbers: true,
      // BIGINTs here are times and nonces below 2^53; amounts are VARCHAR and never numbers.
      bigNumberStrings: false,
    } as Knex.MySql2ConnectionConfig,
    pool: {
      min: 0,
      max: config.poolSize ?? 10,
      acquireTimeoutMillis: 10_000,
      afterCreate(connection: MysqlConnection, done: DoneCallback) {
        prepareSession(connection).then(
          () => done(null, connection),
          (error: unknown) => done(error, connection),
        )
      },
    },
  })
}

function openSqlite(file: string): Knex {
  if (file !== ':memory:') makeFolder(dirname(file))
  const knex = knexFactory({
    client: 'better-sqlite3',
    connection: { filename: file },
    useNullAsDefault: true,
    log: quiet,
    compileSqlOnError: false,
    pool: {
      min: 1,
      max: 1,
      acquireTimeoutMillis: 30_000,
      afterCreate(connection: SqliteConnection, done: DoneCallback) {
        keepPrepared(connection)
        // The exclusive lock keeps other processes out for as long as this one lives.
        for (const pragma of [
          'busy_timeout = 2000',
          'locking_mode = EXCLUSIVE',
          'journal_mode = WAL',
          'synchronous = FULL',
          // In pages, 32 MB: pages that are written again and again go into the database once.
          'wal_autocheckpoint = 8000',
          'foreign_keys = ON',
        ]) {
          connection.pragma(pragma)
        }
        done(null, connection)
      },
    },
  })
  takeTurns(knex.client as Pool)
  return knex
}

/** With those above it. Node's own way (`recursive`) never ends where a folder takes none, such as /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  try {
    mkdirSync(path)
  } catch (error) {
    // Another process may have made it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** What this file needs of a Knex client besides. */
type Pool = {
  acquireConnection(): Promise<object>
  releaseConnection(connection: object): Promise<void>
}

/** How long those who want the connection may hand it on to each other before everybody else has a turn. */
const longestTurnMs = 10

/**
 * Statements of SQLite run on this thread, and a queue for its connection would be worked off without a turn of the event
 * loop: meanwhile nothing is read from or written to any socket, and what was read piles up.
 */
function takeTurns(pool: Pool): void {
  const acquire = pool.acquireConnection.bind(pool)
  let turnedAt = performance.now()
  pool.acquireConnection = async () => {
    const connection = await acquire()
    if (performance.now() - turnedAt > longestTurnMs) {
      await new Promise((resolve) => setImmediate(resolve))
      turnedAt = performance.now()
    }
    return connection
  }
}

type MysqlConnection = { query(sql: string, done: (error: unknown, rows: unknown) => void): void }

/** Connections to a node of a Galera cluster. */
const ofCluster = new WeakSet<object>()

async function prepareSession(connection: MysqlConnection): Promise<void> {
  const query = (sql: string) =>
    new Promise<unknown>((resolve, reject) => {
      connection.query(sql, (error, rows) => (error ? reject(error as Error) : resolve(rows)))
    })
  await query(
    "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_DATE,NO_ENGINE_SUBSTITUTION', " +
      "time_zone = '+00:00', innodb_lock_wait_timeout = 5",
  )
  await query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED')
  await query(`SET SESSION idle_transaction_timeout = ${standstillSeconds}`).catch(passOverUnknown)
  try {
    await query(readWhatOthersWrote)
    const [row] = (await query('SELECT @@wsrep_on AS isOn')) as { isOn: unknown }[]
    if (Number(row?.isOn) !== 0) ofCluster.add(connection)
  } catch (error) {
    passOverUnknown(error)
  }
}

/**
 * After so long MariaDB ends a transaction that its process does nothing in: one that stands still, or that no way leads
 * to any more, would keep its locks for as long as its connection lives. Longer than a signature may take, which is waited
 * for in a transaction. MySQL knows no such variable.
 */
const standstillSeconds = 10

/**
 * Galera: a node that lags first catches up with what the others have stored, before a read and before a transaction
 * begins. Without it a client that posts to one replica and asks another is told that there is no such action, a payment
 * that was just verified funds nothing, and a nonce that another replica has taken looks like somebody else's.
 */
const readWhatOthersWrote = 'SET SESSION wsrep_sync_wait = 1'

/** Not every server knows every variable. */
function passOverUnknown(error: unknown): void {
  if ((error as { errno?: unknown } | null)?.errno !== 1193) throw error
}

type DoneCallback = (error: unknown, connection: unknown) => void

async function refuseSecondProcess(knex: Knex, config: DatabaseConfig): Promise<void> {
  if (config.kind !== 'sqlite') return
  // A process that is just ending still holds the file for a moment.
  for (const deadline = Date.now() + lockWaitMs; ;) {
    try {
      await knex.raw('BEGIN IMMEDIATE')
      await knex.raw('COMMIT')
      return
    } catch (error) {
      const code = String((error as { code?: unknown }).code ?? (error as Error).message)
      if (!/BUSY|locked/i.test(code)) throw error
      if (Date.now() < deadline) {
        await new Promise((resolve) => setTimeout(resolve, 100))
        continue
      }
      throw new DatabaseInUse(`The database file ${config.file} is in use by another process; one process per file.`)
    }
  }
}
