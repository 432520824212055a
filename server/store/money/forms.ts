import type { Hash } from 'viem'
import type { Transaction } from '../connection/database.js'
import { formsTable } from '../rows.js'

/** These hashes, and those of all other signed forms of the same transactions, of which one at most is on the chain. */
export async function formsOf(trx: Transaction, hashes: readonly Hash[]): Promise<Hash[]> {
  const same = trx(formsTable).whereIn('hash', hashes).select('transaction_id')
  const forms = await trx<{ hash: Hash }>(formsTable).whereIn('transaction_id', same).select('hash')
  return [...new Set([...hashes, ...forms.map((form) => form.hash)])]
}
