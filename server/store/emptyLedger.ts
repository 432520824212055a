import type { Database, Transaction } from './connection/database.js'

/**
 * A ledger that is new, while its keys have been used before, may have been lost or replaced. So the chains that an
 * empty ledger was begun with are stored before anything else is, as a mark for each: all replicas go by it, also on a
 * chain that answers only later.
 */

const begunEmpty = (chainId: number) => `begun empty ${chainId}`

/**
 * Marks these chains, if the ledger has neither a lane nor a transaction yet. To be called before any lane is opened.
 */
export async function noteEmptyLedger(database: Database, chainIds: readonly number[], now: number): Promise<void> {
  await database.transact(async (trx) => {
    if ((await trx('lanes').first('signer')) || (await trx('transactions').first('id'))) return
    const rows = chainIds.map((chainId) => ({ name: begunEmpty(chainId), value: 'yes', updated_at: now }))
    await trx('service_state').insert(rows).onConflict(['name']).ignore()
  })
}

/**
 * Removes a chain's mark, once all lanes of a start are open on it, or an operator has resumed one: a key that is added
 * later is a new one, whether it was used before or not. Replicas that start together have the same keys, so whichever
 * opens a lane first finds the mark.
 */
export async function forgetEmptyLedger(trx: Transaction, chainId: number): Promise<void> {
  await trx('service_state')
    .where({ name: begunEmpty(chainId) })
    .delete()
}

/** Whether the ledger was begun empty with this chain, and nothing has been signed on it since. */
export async function isLedgerNew(trx: Transaction, chainId: number): Promise<boolean> {
  const mark = await trx('service_state')
    .where({ name: begunEmpty(chainId) })
    .first('name')
  return mark !== undefined && (await trx('transactions').where({ chain_id: chainId }).first('id')) === undefined
}
