import type { Database, Transaction } from './database.js'

/**
 * Takes up to `limit` rows of a table that are due, the longest due first, and has `lease` make them due again at the
 * time that it is given, so that those of a claimer that dies come up again. All by the database's clock.
 */
export async function claimDue<Row extends object>(
  database: Database,
  table: 'steps' | 'deposits' | 'airdrops',
  limit: number,
  leaseMs: number,
  lease: (trx: Transaction, rows: Row[], dueAt: number) => Promise<unknown>,
): Promise<Row[]> {
  // Mostly nothing is due, and no transaction is needed to see that.
  const due = await database.knex(table).where('due_at', '<=', database.atOnce()).first('due_at')
  if (!due) return []
  const claim = async (trx: Transaction) => {
    const now = await database.clock(trx)
    const query = trx(table).where('due_at', '<=', now).orderBy('due_at').limit(limit)
    const rows = (await database.lock(query, { skipLocked: true })) as Row[]
    if (rows.length > 0) await lease(trx, rows, now + leaseMs)
    return rows
  }
  return database.transact(claim, { durable: false })
}
