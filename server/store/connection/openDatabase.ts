import { existsSync, mkdirSync } from 'node:fs'
import type { Socket } from 'node:net'
import { dirname } from 'node:path'
import knexFactory, { type Knex } from 'knex'
import { createTurnstile, type Line, type Turnstile } from './turnstile.js'
import { isWriteRefused } from './databaseErrors.js'
import { keepPrepared, type SqliteConnection } from './keepPrepared.js'

/** How the database is reached, and what each connection is told before it is used. */

export type DatabaseConfig = { kind: 'sqlite'; file: string } | MysqlConfig

type MysqlConfig = {
  kind: 'mysql'
  url: string
  poolSize?: number
  /** How long the server may be silent while a statement waits for its answer. Undefined: for ever. */
  silentMs?: number
}

/** Keeps Knex from printing errors by itself: they are thrown as well, and logged where they are caught. */
const quiet = { warn: () => undefined, error: () => undefined, deprecate: () => undefined, debug: () => undefined }

/**
 * Three Knex clients on the same connections: statements of `urgent` get a connection before those of the others, and
 * `reads` don't wait for all `writes` that have come before them.
 */
export type Opened = { urgent: Knex; reads: Knex; writes: Knex }

/**
 * Opens no connection to MySQL yet; makes SQLite's file, and its folder. `mayBeSilent`: whether a statement may take
 * longer than `silentMs` at this moment.
 */
export function openDatabase(config: DatabaseConfig, mayBeSilent: () => boolean): Opened {
  return config.kind === 'mysql' ? openMysql(config, mayBeSilent) : openSqlite(config.file)
}

function openMysql(config: MysqlConfig, mayBeSilent: () => boolean): Opened {
  const { poolSize = 10 } = config
  const knex = knexFactory({
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
      max: poolSize,
      acquireTimeoutMillis: patienceMs.mysql,
      afterCreate(connection: MysqlConnection, done: DoneCallback) {
        if (config.silentMs !== undefined) closeWhenSilent(connection, config.silentMs, mayBeSilent)
        prepareSession(connection).then(
          () => done(null, connection),
          (error: unknown) => done(error, connection),
        )
      },
    },
  })
  leaveWhatIsReadOnly(knex.client as Runner)
  return inLines(knex, createTurnstile(poolSize, patienceMs.mysql, crowded))
}

function openSqlite(file: string): Opened {
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
      acquireTimeoutMillis: patienceMs.sqlite,
      afterCreate(connection: SqliteConnection, done: DoneCallback) {
        keepPrepared(connection)
        // The exclusive lock keeps other processes out for as long as this one lives.
        for (const pragma of [
          'busy_timeout = 2000',
          'locking_mode = EXCLUSIVE',
          'journal_mode = WAL',
          'synchronous = FULL',
          // In pages: 32 MB. A page that is written again and again goes from the WAL into the database once.
          'wal_autocheckpoint = 8000',
          // In KiB, since it is negative: 32 MB. Inner pages of indexes, and rows found by
          // hashes, are read from the file once.
          'cache_size = -32768',
          'foreign_keys = ON',
        ]) {
          connection.pragma(pragma)
        }
        done(null, connection)
      },
    },
  })
  takeTurns(knex.client as Pool)
  return inLines(knex, createTurnstile(1, patienceMs.sqlite, crowded))
}

/** For how long a statement waits for a connection. */
const patienceMs = { mysql: 10_000, sqlite: 30_000 }

/** Named like Knex's own error for a pool without a free connection, so that it counts as an outage too. */
function crowded(): Error {
  return Object.assign(new Error('Too many statements wait for a connection.'), { name: 'KnexTimeoutError' })
}

/**
 * Makes two more clients on the same pool, and has all wait for a connection at the
 * turnstile, not in the pool's own queue.
 */
function inLines(reads: Knex, turnstile: Turnstile): Opened {
  // Knex's own way of making another client on the same pool.
  const [urgent, writes] = [reads.withUserParams({}), reads.withUserParams({})]
  // Who listens to what clients' requests ask the database for hears both.
  writes.on('query', (query: unknown) => reads.emit('query', query))
  queue(reads.client as Pool, 'reads', turnstile)
  queue(writes.client as Pool, 'writes', turnstile)
  queue(urgent.client as Pool, 'first', turnstile)
  return { urgent, reads, writes }
}

function queue(pool: Pool, line: Line, turnstile: Turnstile): void {
  const acquire = pool.acquireConnection.bind(pool)
  const release = pool.releaseConnection.bind(pool)
  pool.acquireConnection = async () => {
    await turnstile.enter(line)
    try {
      return await acquire()
    } catch (error) {
      turnstile.leave()
      throw error
    }
  }
  pool.releaseConnection = async (connection) => {
    try {
      await release(connection)
    } finally {
      turnstile.leave()
    }
  }
}

/**
 * Makes a folder and those above it. Node's own `recursive` never ends in a place that takes no folders, such as /proc.
 */
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

/** The method by which a Knex client runs a statement. */
type Runner = { _query(connection: object, statement: object): Promise<unknown> }

/**
 * Closes a connection whose server refuses writes: after a failover it may lead to the former primary, while new
 * connections lead to the new one.
 */
function leaveWhatIsReadOnly(client: Runner): void {
  const run = client._query.bind(client)
  client._query = async (connection, statement) => {
    try {
      return await run(connection, statement)
    } catch (error) {
      if (isWriteRefused(error)) abandon(connection, error)
      throw error
    }
  }
}

/** Has Knex's pool close the connection once it is given back. */
export function abandon(connection: object, reason: unknown): void {
  Object.assign(connection, { __knex__disposed: reason })
}

/** The methods of a Knex client that take a connection from its pool and give it back. */
export type Pool = {
  acquireConnection(): Promise<object>
  releaseConnection(connection: object): Promise<void>
}

/** How long statements may follow each other on SQLite's connection before the event loop has a turn. */
const longestTurnMs = 10

/**
 * Lets the event loop have a turn between statements of SQLite. They run on this thread, and a queue for the connection
 * would be worked off without any turn: meanwhile nothing is read from or written to any socket.
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

type MysqlConnection = {
  query(sql: string, done: (error: unknown, rows: unknown) => void): void
  stream: Socket
  /** mysql2's own flag: this side has ended the connection. */
  _closing?: boolean
}

/**
 * Closes a connection whose server has been silent for too long. A host that vanishes says nothing, and TCP waits for
 * it for minutes, or for hours where the host had taken the statement; a loop that waits for the answer would stand
 * still for as long. (The pool closes idle connections sooner.)
 */
function closeWhenSilent(connection: MysqlConnection, silentMs: number, mayBeSilent: () => boolean): void {
  const { stream } = connection
  stream.setTimeout(silentMs)
  stream.on('timeout', () => {
    if (mayBeSilent()) stream.setTimeout(silentMs)
    // The pool has said goodbye, which a silent server doesn't answer, and nobody listens for
    // the connection's errors any more.
    else if (connection._closing) stream.destroy()
    else stream.destroy(Object.assign(new Error('The database is silent.'), { code: 'ETIMEDOUT' }))
  })
}

/** Connections to a node of a Galera cluster. */
const ofCluster = new WeakSet<object>()

export function isOfGalera(connection: object): boolean {
  return ofCluster.has(connection)
}

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
 * MariaDB ends a transaction in which nothing has been run for so long. A process that stands still, or can't be
 * reached any more, would keep its locks for as long as its connection lives. MySQL knows no such variable.
 */
const standstillSeconds = 10

/**
 * Galera: a node that lags first catches up with what the others have stored, before a read and before a transaction
 * begins. Without it a client that posts to one replica and asks another is told that there is no such action, a
 * payment that was just verified funds nothing, and a nonce that another replica has taken looks like somebody else's.
 */
const readWhatOthersWrote = 'SET SESSION wsrep_sync_wait = 1'

/** Passes over the error for a variable that this server does not know (1193). */
function passOverUnknown(error: unknown): void {
  if ((error as { errno?: unknown } | null)?.errno !== 1193) throw error
}

type DoneCallback = (error: unknown, connection: unknown) => void
