import type { Address } from 'viem'
import { sum } from '../../domain/bigints.js'
import type { Database, Transaction } from '../connection/database.js'
import type { Statement } from '../connection/transaction.js'
import type { BalanceRow } from '../rows.js'

type BalanceKey = { user: Address; chainId: number; token: Address }

/** In the token's smallest unit. `wallet` may be below zero while a reorganisation has taken a deposit away. */
type Balance = BalanceKey & { available: bigint; reserved: bigint; wallet: bigint }

/** Everything that is recorded of a user, by chain and token. */
export async function readBalances(database: Database, user: Address): Promise<Balance[]> {
  const rows = await database.knex<BalanceRow>('balances').where({ user }).orderBy(['chain_id', 'token'])
  return rows.map(toBalance)
}

/**
 * The users' credit in a token that could not be paid from any more, in its smallest unit, and how many users have any.
 * Credit that is set aside, perhaps for a payout on another chain, is theirs too until that is paid.
 */
type CreditLeft = { users: number; amount: bigint }

export async function readCreditLeft(
  database: Database,
  token: { chainId: number; address: Address },
): Promise<CreditLeft> {
  const rows = await database
    .knex<BalanceRow>('balances')
    .where({ chain_id: token.chainId, token: token.address })
    .where((some) => some.whereNot({ available: '0' }).orWhereNot({ reserved: '0' }))
    .select('available', 'reserved')
  const amounts = rows.map(({ available, reserved }) => BigInt(available) + BigInt(reserved))
  return { users: rows.length, amount: sum(amounts) }
}

/**
 * Locks a user's balances until the transaction ends, and only then, in the same trip, runs the query whose answer
 * decides what is booked: whoever books in the same balances is waited for, and what he has booked is seen. (On a
 * cluster two nodes meet only at COMMIT, and only if both have moved the balances.) `adds`: balances that don't exist
 * yet are made, so that they can be locked. A caller that only takes needs none: there would be nothing to take.
 */
export async function underLock<Query extends Statement>(
  trx: Transaction,
  { user, chainId, tokens, adds }: { user: Address; chainId: number; tokens: readonly Address[]; adds: boolean },
  query: () => Query,
): Promise<Awaited<Query>> {
  const rows = () => trx<BalanceRow>('balances').where({ user, chain_id: chainId }).whereIn('token', tokens)
  const look = () => trx.together(trx.lock(rows().orderBy('token').select('token')), query())
  const [locked, found] = await look()
  const missing = tokens.filter((token) => !locked.some((row) => row.token === token))
  if (missing.length === 0 || !adds) return found
  addEmpty(
    trx,
    missing.map((token) => ({ user, chain_id: chainId, token })),
  )
  return (await look())[1]
}

/** Adds to or takes from a user's balance; the row stays locked until the transaction ends. */
export async function moveBalance(
  trx: Transaction,
  key: BalanceKey,
  by: { available?: bigint; reserved?: bigint; wallet?: bigint },
): Promise<void> {
  const where = { user: key.user, chain_id: key.chainId, token: key.token }
  const locked = () => trx.lock(trx<BalanceRow>('balances').where(where)).first()
  let row = await locked()
  if (!row) {
    addEmpty(trx, [where])
    row = await locked()
  }
  const next = {
    available: BigInt(row!.available) + (by.available ?? 0n),
    reserved: BigInt(row!.reserved) + (by.reserved ?? 0n),
    wallet: BigInt(row!.wallet) + (by.wallet ?? 0n),
  }
  for (const [part, amount] of Object.entries(next)) {
    if (amount >= 0n || part === 'wallet') continue
    throw new Error(`The ${part} balance of ${key.user} in ${key.token} on ${key.chainId} would fall below zero`)
  }
  const columns = {
    available: next.available.toString(),
    reserved: next.reserved.toString(),
    wallet: next.wallet.toString(),
  }
  trx.later(trx('balances').where(where).update(columns))
}

/**
 * Makes empty balances, unless others have made them at the same moment. To be called after a look only:
 * where the rows exist already, MariaDB gives two inserting transactions a lock each, and then each waits
 * for the other's to be released.
 */
function addEmpty(trx: Transaction, keys: readonly Pick<BalanceRow, 'user' | 'chain_id' | 'token'>[]): void {
  const rows = keys.map((key) => ({ ...key, available: '0', reserved: '0', wallet: '0' }))
  trx.later(trx('balances').insert(rows).onConflict(['user', 'chain_id', 'token']).ignore())
}

function toBalance(row: BalanceRow): Balance {
  return {
    user: row.user,
    chainId: row.chain_id,
    token: row.token,
    available: BigInt(row.available),
    reserved: BigInt(row.reserved),
    wallet: BigInt(row.wallet),
  }
}
