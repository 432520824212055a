import type { Address } from 'viem'
import type { Database, Transaction } from './database.js'

export type BalanceKey = { user: Address; chainId: number; token: Address }

/** In the token's smallest unit. */
export type Balance = BalanceKey & { available: bigint; reserved: bigint; wallet: bigint }

type BalanceRow = {
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
  const row = await database.lock(trx<BalanceRow>('balances').where(where)).first()
  const next = {
    available: BigInt(row?.available ?? 0) + (by.available ?? 0n),
    reserved: BigInt(row?.reserved ?? 0) + (by.reserved ?? 0n),
    wallet: BigInt(row?.wallet ?? 0) + (by.wallet ?? 0n),
  }
  for (const [part, amount] of Object.entries(next)) {
    if (amount < 0n) throw new Error(`The ${part} balance of ${key.user} would fall below zero`)
  }
  const columns = {
    available: next.available.toString(),
    reserved: next.reserved.toString(),
    wallet: next.wallet.toString(),
  }
  if (row) await trx('balances').where(where).update(columns)
  else await trx('balances').insert({ ...where, ...columns })
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
