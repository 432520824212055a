import type { Knex } from 'knex'
import { farOffMs, longestPutOffMs } from '../domain/putOff.js'
import type { Database, Transaction } from './connection/database.js'
import type { Dialect } from './connection/dialect.js'
import type { Statement } from './connection/transaction.js'

type ClaimedTable = 'steps' | 'deposits' | 'airdrops'

/** `limit`: how many rows a claimer takes at most; `leaseMs`: for how long; `notOf`: of these chains it takes none. */
export type Claim = { limit: number; leaseMs: number; notOf?: readonly number[] }

/**
 * Claims rows of a table that are due, the longest due first. `lease` is the statement that makes them due again when
 * the lease ends, so that the rows of a claimer that dies come up again. All by the database's clock.
 */
export async function claimDue<Row extends object>(
  database: Database,
  table: ClaimedTable,
  { limit, leaseMs, notOf = [] }: Claim,
  lease: (trx: Transaction, rows: Row[], dueAt: Knex.Raw) => Statement,
): Promise<Row[]> {
  // Mostly nothing is due, and this read shows that without a transaction.
  const due = await whereDue(database.knex(table)).first('due_at')
  if (!due) return []
  const claim = async (trx: Transaction) => {
    const query = whereDue(trx(table)).orderBy('due_at').limit(limit)
    const rows = (await trx.lock(query, { skipLocked: true })) as Row[]
    if (rows.length > 0) trx.later(lease(trx, rows, trx.after(leaseMs)))
    return rows
  }
  return database.transact(claim, { durable: false })

  function whereDue(rows: Knex.QueryBuilder): Knex.QueryBuilder {
    const due = rows.where('due_at', '<=', database.atOnce())
    return notOf.length === 0 ? due : due.whereNotIn('chain_id', notOf)
  }
}

/**
 * Makes rows due at once that are leased or were to be looked at later; for a process that starts, before it claims
 * anything. Where it is the only process of its database (SQLite), the claimers before it are dead; elsewhere nothing
 * is changed, and each lease ends by itself. Rows whose transaction no node knows yet stay: `unseen_ms` counts the time
 * until their next look already.
 */
export async function endLeases(database: Database): Promise<void> {
  if (database.kind !== 'sqlite') return
  const dueLater = (table: string) => database.knex(table).where('due_at', '>', database.atOnce())
  for (const waiting of [
    dueLater('steps').where('unseen_ms', 0),
    dueLater('deposits').where('unseen_ms', 0),
    dueLater('airdrops'),
  ]) {
    await waiting.update({ due_at: database.atOnce() })
  }
}

/** When a row is due that is put off for so long, or for as long as a row of its table may be. */
export function putOff(dialect: Dialect, table: ClaimedTable, delayMs: number): Knex.Raw {
  return dialect.after(Math.min(delayMs, longestPutOffMs[table]))
}

/**
 * Makes rows due at once that are due later than anything is put off for. Their time was set by a clock that was ahead
 * then and has been set right since; by the present clock they would be left alone for as long as it had been ahead.
 */
export async function pullInFarOff(database: Database, chainIds: readonly number[], now: number): Promise<void> {
  const dueFarOff = (table: ClaimedTable) => (knex: Knex) =>
    knex(table).where('due_at', '>', database.after(farOffMs(table)))
  const claimed = (['steps', 'deposits', 'airdrops'] as const).map((table) => ({
    find: dueFarOff(table),
    due_at: database.atOnce(),
  }))
  // Transactions are due by the clock of the process that has sent them, not by the database's.
  const unmined = (knex: Knex) =>
    knex('transactions')
      .whereIn('chain_id', [...chainIds])
      .where({ status: 'open' })
      .where('due_at', '>', now + farOffMs('transactions'))
      .whereNull('mined_block')
  for (const { find, due_at } of [...claimed, { find: unmined, due_at: now }]) {
    // Mostly there are none, and this read saves the write.
    const found = await find(database.knex).first('due_at')
    if (found) await database.write((knex) => find(knex).update({ due_at }))
  }
}
