import type { Database, Transaction } from './connection/database.js'

/**
 * A ledger that is new though its keys are not may be one that was lost or replaced. Which chains it was begun empty with is
 * stored before anything else is, so that all replicas go by it, also on a chain that answers only later.
 */

const begunEmpty = (chainId: number) => `begun empty ${chainId}`

/** To be called before any lane is opened: notes the chains where neither a lane nor a transaction is there yet. */
export async function noteEmptyLedger(database: Database, chainIds: readonly number[], now: number): Promise<void> {
  await database.transact(async (trx) => {
    if ((await trx('lanes').first('signer')) || (await trx('transactions').first('id'))) return
    const rows = chainIds.map((chainId) => ({ name: begunEmpty(chainId), value: 'yes', updated_at: now }))
    await trx('service_state').insert(rows).onConflict(['name']).ignore()
  })
}

/**
 * Once the lanes of a start are open, or an operator has resumed one: a key that is added later is a new one, used before or
 * not. Replicas that start together have the same keys, so that whichever is first to open a lane finds the mark.
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
