import type { Address, Hash } from 'viem'
import type { Database } from './database.js'
import { recordExposure, undoPayout } from './exposures.js'
import { post, standingCause } from './ledger.js'

/** What a vault has paid of one token in a transaction that no step and no airdrop of this database is known to have been. */
export type UnknownPayout = {
  chainId: number
  token: Address
  transactionHash: Hash
}

/**
 * Books on an operator's word that so much of it was paid, once for each transaction and token. No credit is taken for it: the
 * chain does not tell whose it was, nor of which token and chain. Where the operator knows the user, it is an exposure
 * until it is settled with him. False: it is booked already.
 */
export function acknowledgePayout(
  database: Database,
  { user, amount, ...payout }: UnknownPayout & { amount: bigint; user: Address | null },
  now: number,
): Promise<boolean> {
  return database.transact(async (trx) => {
    const cause = await standingCause(trx, causeOf(payout))
    if (await trx('ledger').where({ cause }).first('id')) return false
    const { chainId, token } = payout
    post(trx, [{ cause, debit: 'solver', credit: 'vault', user, chainId, token, amount }], now)
    if (user) await recordExposure(database, trx, { kind: 'payout', ...payout, user, amount, creditId: null }, now)
    return true
  })
}

/** Undoes that, with what of its exposure is open: a step has been found to have made it. Null: it is not booked. */
export function forgetPayout(database: Database, payout: UnknownPayout, now: number): Promise<bigint | null> {
  return database.transact(async (trx) => {
    const cause = await standingCause(trx, causeOf(payout))
    const entry = trx<{ cause: string; user: Address | null; amount: string }>('ledger').where({ cause })
    const row = await entry.first('user', 'amount')
    if (!row) return null
    const { chainId, token } = payout
    const amount = BigInt(row.amount)
    const undone = { cause: `undone:${cause}`, debit: 'vault', credit: 'solver', user: row.user } as const
    post(trx, [{ ...undone, chainId, token, amount }], now)
    if (row.user) await undoPayout(database, trx, { ...payout, user: row.user, amount }, now)
    return amount
  })
}

/** The transaction that an entry of these names. Null: it is another entry. */
export function acknowledgedIn(cause: string): Hash | null {
  return (/^acknowledged:\d+:(0x[0-9a-f]{64}):/.exec(cause)?.[1] as Hash | undefined) ?? null
}

function causeOf({ chainId, token, transactionHash }: UnknownPayout): string {
  return `acknowledged:${chainId}:${transactionHash}:${token}`
}
