import type { Knex } from 'knex'
import { mysqlClock, sqliteClock } from './clock.js'
import type { DatabaseConfig } from './openDatabase.js'

/** The parts of statements that MySQL and SQLite word differently. They ask the database nothing by themselves. */
export type Dialect = {
  /**
   * Locks the rows it selects, where the engine has row locks; SQLite's one connection needs none. On a cluster the
   * lock holds on one node only. Two nodes that lock the same row meet at COMMIT, and only if both have changed it:
   * what is decided under a lock must change a locked row, or insert a unique one, in the same transaction.
   */
  lock<Q extends Knex.QueryBuilder>(query: Q, options?: { skipLocked: boolean }): Q
  /** A table to select from by this index (FORCE INDEX), where the planner would choose a worse one. */
  by(table: string, index: string): Knex.Raw
  /** The present time by the clock of `Database.clock`, as an SQL expression to store or to compare with. */
  atOnce(): Knex.Raw
  /** The time so many milliseconds from now, by the same clock, as an SQL expression. */
  after(ms: number): Knex.Raw
}

/** `raw` makes the expressions. */
export function createDialect(
  kind: DatabaseConfig['kind'],
  raw: (sql: string, bindings?: readonly Knex.RawBinding[]) => Knex.Raw,
): Dialect {
  const clock = clockOf(kind)
  return {
    lock(query, options) {
      if (kind === 'sqlite') return query
      const locked = query.forUpdate()
      return (options?.skipLocked ? locked.skipLocked() : locked) as typeof query
    },
    by: (table, index) => raw(kind === 'mysql' ? '?? FORCE INDEX (??)' : '?? INDEXED BY ??', [table, index]),
    atOnce: () => raw(clock),
    after: (ms) => raw(`${clock} + ?`, [ms]),
  }
}

export function clockOf(kind: DatabaseConfig['kind']): string {
  return kind === 'mysql' ? mysqlClock : sqliteClock
}
