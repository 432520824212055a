import type { Knex } from 'knex'
import type { Database, Transaction } from './connection/database.js'
import type { Statement } from './connection/transaction.js'

/** How many rows a claimer takes, for how long, and of which chains it takes none. */
export type Claim = { limit: number; leaseMs: number; notOf?: readonly number[] }

/**
 * Takes rows of a table that are due, the longest due first, and has `lease` make them due again at the time that it is
 * given, so that those of a claimer that dies come up again. All by the database's clock.
 */
export async function claimDue<Row extends object>(
  database: Database,
  table: 'steps' | 'deposits' | 'airdrops',
  { limit, leaseMs, notOf = [] }: Claim,
  lease: (trx: Transaction, rows: Row[], dueAt: Knex.Raw) => Statement,
): Promise<Row[]> {
  // Mostly nothing is due, and no transaction is needed to see that.
  const due = await whereDue(database.knex(table)).first('due_at')
  if (!due) return []
  const claim = async (trx: Transaction) => {
    const query = whereDue(trx(table)).orderBy('due_at').limit(limit)
    const rows = (await database.lock(query, { skipLocked: true })) as Row[]
    if (rows.length > 0) trx.later(lease(trx, rows, database.after(leaseMs)))
    return rows
  }
  return database.transact(claim, { durable: false })

  function whereDue(rows: Knex.QueryBuilder): Knex.QueryBuilder {
    const due = rows.where('due_at', '<=', database.atOnce())
    return notOf.length === 0 ? due : due.whereNotIn('chain_id', notOf)
  }
}

/**
 * Makes due at once what is leased or was to be looked at later; for a process that begins, and before it claims anything.
 * Where it is the only one of its database, those who had the leases are dead; elsewhere nothing is changed, and each
 * lease runs out by itself. Not what no node knows yet: the time until its next look is in `unseen_ms` already.
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

/** Nothing is put off for longer: two minutes are the most, for a step that waits for the one before it. */
const farthestMs = 5 * 60 * 1000

/**
 * Makes due at once what is due later than anything is put off for. That was done by a clock that was ahead, and has been
 * set right since; by the one that goes now it would be left alone for as long as that was.
 */
export async function hurryFarOff(database: Database, chainIds: readonly number[], now: number): Promise<void> {
  const dueFarOff = (table: string) => (knex: Knex) => knex(table).where('due_at', '>', database.after(farthestMs))
  const claimed = ['steps', 'deposits', 'airdrops'].map((table) => ({
    find: dueFarOff(table),
    due_at: database.atOnce(),
  }))
  // These go by the clock of the process that has sent them.
  const unmined = (knex: Knex) =>
    knex('transactions')
      .whereIn('chain_id', [...chainIds])
      .where({ status: 'open' })
      .where('due_at', '>', now + farthestMs)
      .whereNull('mined_block')
  for (const { find, due_at } of [...claimed, { find: unmined, due_at: now }]) {
    // Mostly there is none, and nothing needs to be written.
    const found = await find(database.knex).first('due_at')
    if (found) await database.write((knex) => find(knex).update({ due_at }))
  }
}
