import type { Address } from 'viem'
import type { Transaction } from '../connection/database.js'
import type { LedgerRow } from '../rows.js'
import { postedAgain, undone } from './causes.js'

/**
 * The accounts of the double entry, per chain and token.
 * `vault`: what the contract holds. `available`, `reserved`: what is owed to users. `solver`: what is the solver's own.
 * `wallet`: what users hold in their own accounts and had recorded, against `recorded`.
 * A debit raises `vault` and `wallet`, a credit raises the others.
 */
type LedgerAccount = 'vault' | 'available' | 'reserved' | 'solver' | 'wallet' | 'recorded'

export type Posting = {
  /** Unique: names what happened, by chain, transaction and log, or by the step; see `causes.ts`. */
  cause: string
  debit: LedgerAccount
  credit: LedgerAccount
  /** Whose money; null for the solver's own. */
  user: Address | null
  chainId: number
  token: Address
  /** In the token's smallest unit. For 0 no entry is made. */
  amount: bigint
}

/** Posts entries, at the latest with COMMIT; a cause that has been posted before is refused by its unique key. */
export function post(trx: Transaction, postings: Posting[], now: number): void {
  const rows = postings
    .filter((posting) => posting.amount > 0n)
    .map((posting) => ({
      cause: posting.cause,
      debit: posting.debit,
      credit: posting.credit,
      user: posting.user,
      chain_id: posting.chainId,
      token: posting.token,
      amount: posting.amount.toString(),
      created_at: now,
    }))
  if (rows.length > 0) trx.later(trx('ledger').insert(rows))
}

/**
 * The cause to post under now: `first`, or after it was undone, `first` with how often.
 * It may have been posted already.
 */
export async function standingCause(trx: Transaction, first: string): Promise<string> {
  const isUndone = async (cause: string) =>
    (await trx<LedgerRow>('ledger')
      .where({ cause: undone(cause) })
      .first('id')) !== undefined
  let times = 0
  while (await isUndone(postedAgain(first, times))) times++
  return postedAgain(first, times)
}
