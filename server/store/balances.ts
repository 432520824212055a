import type { Address } from 'viem'
import type { Database, Transaction } from './database.js'

export type BalanceKey = { user: Address; chainId: number; token: Address }

/** In the token's smallest unit. `wallet` may be below zero while a reorganisation has taken a deposit away. */
export type Balance = BalanceKey & { available: bigint; reserved: bigint; wallet: bigint }

export type BalanceRow = {
  user: Address
  chain_id: number
  token: Address
  available: string
  reserved: string
  wallet: string
}

/** Everything that is recorded of a user, by chain and token. */
export async function readBalances(database: Database, user: Address): Promise<Balance[]> {
  const rows = await database.knex<BalanceRow>('balances').where({ user }).orderBy(['chain_id', 'token'])
  return rows.map(toBalance)
}

/** Adds to or takes from a user's balance; the row stays locked until the transaction ends. */
export async function moveBalance(
  database: Database,
  trx: Transaction,
  key: BalanceKey,
  by: { available?: bigint; reserved?: bigint; wallet?: bigint },
): Promise<void> {
  const where = { user: key.user, chain_id: key.chainId, token: key.token }
  const locked = () => database.lock(trx<BalanceRow>('balances').where(where)).first()
  let row = await locked()
  if (!row) {
    // However many come for the first time at once. Not before the look: MariaDB lets two insert what is there already,
    // and then each waits for the other with the lock.
    const none = { ...where, available: '0', reserved: '0', wallet: '0' }
    await trx('balances').insert(none).onConflict(['user', 'chain_id', 'token']).ignore()
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
  await trx('balances').where(where).update(columns)
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
