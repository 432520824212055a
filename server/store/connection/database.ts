import type { Knex } from 'knex'
import { isWriteRefused } from './databaseErrors.js'
import { explainUnusable } from './databaseUnusable.js'
import { clockOf, createDialect, type Dialect } from './dialect.js'
import type { SqliteConnection } from './keepPrepared.js'
import { migrate, readMigrations, refuseNewer } from './migrate.js'
import { mysqlErrno, rolledBackErrnos } from './mysqlErrors.js'
import { abandon, type DatabaseConfig, isOfGalera, type Opened, openDatabase, type Pool } from './openDatabase.js'
import { type Client, runTransaction, type Statement } from './transaction.js'

/** A MySQL or SQLite database; which of them it is matters only to code that looks at `kind`. */
export type Database = Dialect & {
  kind: DatabaseConfig['kind']
  /**
   * For single reads outside a transaction, which wait for a few writes only. Never to be used inside `transact`:
   * SQLite has one connection. A function that is given a `Transaction` is given no `Database`.
   */
  knex: Knex
  /**
   * One SELECT as it is written, for reads that come so often that building the statement would cost a third of them.
   */
  select<Row>(sql: string, bindings: readonly (string | number)[]): Promise<Row[]>
  /**
   * Runs the closure in one transaction, and again from the start when the database rolled it back as a victim
   * (deadlock, lock wait, certification failure), so it must have no effects of its own.
   * Any other failure, a lost COMMIT among them, is thrown: the outcome is unknown until read back.
   */
  transact<T>(work: (trx: Transaction) => Promise<T>, options?: TransactOptions): Promise<T>
  /**
   * Reads as of one moment, whatever others write meanwhile. On SQLite the one connection
   * makes writers wait until the end.
   */
  snapshot<T>(work: (reader: Knex) => Promise<T>): Promise<T>
  /**
   * For a single write outside a transaction, or a read that is a part of one: runs the statement, and again when the
   * database rolled it back. On a cluster any write can lose against one that another node has made.
   */
  write<T>(statement: (knex: Knex) => PromiseLike<T>, options?: Pick<TransactOptions, 'patient'>): Promise<T>
  /**
   * Milliseconds since a write was last refused because the disk was full or the database read-only; Infinity: never.
   */
  notRefusedForMs(): number
  /** Unix ms by the database's own clock, which all replicas share; on a cluster, by that of their node. */
  clock(): Promise<number>
  /**
   * The same database for the engine and for probes: their statements get a connection before those that clients'
   * requests need, of which there may be any number.
   */
  urgent: Database
  migrate(): Promise<void>
  /**
   * The migrations of this build that `migrate` would make; null: no service has ever made any. Refuses what `migrate`
   * refuses, and changes nothing.
   */
  pendingMigrations(): Promise<string[] | null>
  close(): Promise<void>
}

type Notice = (fields: Record<string, unknown>, message: string) => void

type TransactOptions = {
  /**
   * False: on SQLite the COMMIT doesn't wait for the disk, so a power loss may undo the transaction, with
   * all that was committed after it and nothing before. The death of the process undoes nothing. For what
   * only saves work, such as leases.
   */
  durable?: boolean
  /**
   * False: don't retry after a lock-wait timeout (1205). For callers that retry by themselves later and block others
   * while they wait: whoever has the lock may be a process that stands still.
   */
  patient?: boolean
  /**
   * True: retry after a unique key has refused a row as well. For transactions that first read what is stored and
   * decide by it: somebody else has stored the same row meanwhile, and the next run sees it. SQLite's one connection
   * lets nobody else in between.
   */
  looksAgain?: boolean
}

/**
 * What the statements of one database transaction are built and run with; `Database.transact` makes it, and it is over
 * when that ends. Each trip to the database takes along the statements that were put off before, and BEGIN the first
 * time, so that a transaction costs as many trips as it has answers to wait for.
 */
export type Transaction = Reader &
  Dialect & {
    raw(sql: string, bindings?: readonly Knex.RawBinding[]): Knex.Raw
    /**
     * Puts off a statement whose answer nobody needs: it goes along with the next awaited statement, before that one,
     * or with COMMIT. Its error is thrown there, so no caller may count on catching it at the place of this call.
     */
    later(statement: Statement): void
    /** Runs statements of which none needs another's answer by one trip, in the order given. */
    together<const S extends readonly Statement[]>(
      ...statements: S
    ): Promise<{ -readonly [I in keyof S]: Awaited<S[I]> }>
    /** Tells operators of something odd, once per run of the transaction. */
    notice: Notice
  }

/** What builds statements on a table, within a transaction or outside of any. */
export type Reader = <Row extends object = UnknownRow>(table: string | Knex.Raw) => ReturnType<typeof _selectFrom<Row>>

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- Knex's word for a row of an undescribed table.
type UnknownRow = any

/** Never called: the type `Transaction` is made of its type. */
const _selectFrom = <Row extends object>(knex: Knex, table: string) => knex<Row>(table)

/** Thrown when a second process opens the same SQLite file. */
class DatabaseInUse extends Error {
  override readonly name = 'DatabaseInUse'
}

const maxRuns = 12
/** The most that the pause before the second run may last; it doubles with each further run, up to `longestPauseMs`. */
const firstPauseMs = 4
const longestPauseMs = 250
/** How long a start waits for another process to let go of the file. */
export const lockWaitMs = 3_000

/** `notice` tells operators of something odd. */
export function createDatabase(config: DatabaseConfig, notice: Notice = () => undefined): Database {
  const explained = (error: unknown) => explainUnusable(config, error) ?? error
  /** While it is true the server may be silent for long: a migration may change large tables. */
  let isMigrating = false
  let refusedAt = -Infinity
  const opened = open()
  const urgent: Database = {
    ...databaseOn({ reads: opened.urgent, writes: opened.urgent }),
    get urgent() {
      return urgent
    },
  }
  return { ...databaseOn(opened), urgent }

  function databaseOn({ reads: knex, writes }: Omit<Opened, 'urgent'>): Omit<Database, 'urgent'> {
    return {
      ...createDialect(config.kind, (sql, bindings = []) => knex.raw(sql, bindings)),
      kind: config.kind,
      knex,
      async select<Row>(sql: string, bindings: readonly (string | number)[]) {
        const answer: unknown = await knex.raw(sql, bindings)
        // mysql2 answers with the rows and their columns' descriptions.
        return (config.kind === 'mysql' ? (answer as [Row[]])[0] : answer) as Row[]
      },
      async transact(work, { durable = true, patient = true, looksAgain = false } = {}) {
        const run = () =>
          runOnce(writes, { kind: config.kind, notice }, work, { waitForDisk: durable || config.kind !== 'sqlite' })
        const repeated = repeatedErrors(patient)
        return noted(again(run, looksAgain ? [...repeated, mysqlErrno.duplicate] : repeated))
      },
      snapshot: (work) => knex.transaction(work, config.kind === 'mysql' ? { isolationLevel: 'repeatable read' } : {}),
      write(statement, { patient = true } = {}) {
        return noted(again(() => statement(writes), repeatedErrors(patient)))
      },
      notRefusedForMs: () => performance.now() - refusedAt,
      async clock() {
        const rows = await knex.select(knex.raw(`${clockOf(config.kind)} AS now`))
        return Number((rows[0] as { now: number | string }).now)
      },
      async migrate() {
        isMigrating = true
        try {
          await refuseSecondProcess(knex, config)
          await migrate(knex, { isShared: config.kind === 'mysql' })
        } catch (error) {
          throw explained(error)
        } finally {
          isMigrating = false
        }
      },
      async pendingMigrations() {
        try {
          await refuseSecondProcess(knex, config)
          await refuseNewer(knex)
          const { isNew, missing } = await readMigrations(knex)
          return isNew ? null : missing
        } catch (error) {
          throw explained(error)
        }
      },
      async close() {
        // Prepared statements that are kept outlive the connection, so closing does not write the WAL back: without
        // this checkpoint the database file alone, copied without its WAL, would lack the newest commits.
        if (config.kind === 'sqlite') await knex.raw('PRAGMA wal_checkpoint(TRUNCATE)').catch(() => undefined)
        await knex.destroy()
      },
    }
  }

  async function noted<T>(written: Promise<T>): Promise<T> {
    try {
      return await written
    } catch (error) {
      if (isWriteRefused(error)) refusedAt = performance.now()
      throw error
    }
  }

  function open(): Opened {
    try {
      return openDatabase(config, () => isMigrating)
    } catch (error) {
      throw explained(error)
    }
  }
}

function repeatedErrors(patient: boolean): readonly number[] {
  return patient ? rolledBackErrnos : rolledBackErrnos.filter((errno) => errno !== mysqlErrno.lockWaitTimeout)
}

/**
 * Repeats an attempt that the database rolled back whole, after a random pause, in which the winner's write arrives.
 */
async function again<T>(attempt: () => PromiseLike<T>, repeated: readonly number[]): Promise<T> {
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

/** Runs a transaction once, on a connection of its own until the transaction is over for certain. */
async function runOnce<T>(
  knex: Knex,
  { kind, notice }: { kind: DatabaseConfig['kind']; notice: Notice },
  work: (trx: Transaction) => Promise<T>,
  { waitForDisk }: { waitForDisk: boolean },
): Promise<T> {
  const client = knex.client as Client & Pool
  const connection = await client.acquireConnection()
  const relaxed = waitForDisk ? null : (connection as SqliteConnection)
  const joins = kind === 'mysql' && !isOfGalera(connection)
  const cannotRollBack = (reason: unknown) => {
    // In SQLite a ROLLBACK also fails where nothing is open any more, and the connection is as good as before.
    if (kind === 'mysql') abandon(connection, reason)
  }
  try {
    relaxed?.pragma('synchronous = NORMAL')
    return await runTransaction(client, connection, { joins, kind, notice, abandon: cannotRollBack }, work)
  } finally {
    try {
      relaxed?.pragma('synchronous = FULL')
    } finally {
      await client.releaseConnection(connection)
    }
  }
}

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
