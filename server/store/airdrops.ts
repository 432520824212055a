import type { Address, Hash } from 'viem'
import type { Airdrop, AirdropKey } from '../domain/airdrop.js'
import { claimDue } from './claims.js'
import { type Database, isDuplicate, type Transaction } from './database.js'
import { post } from './ledger.js'

type AirdropRow = {
  chain_id: number
  token: Address
  wallet: Address
  round: number
  amount: string
  period_start: number
  paid_before: string
  status: Airdrop['status']
  transaction_hash: Hash | null
  transaction_id: number | null
  error_message: string | null
  due_at: number | null
  asked_at: number
}

export type AirdropRequest =
  | { outcome: 'accepted' | 'underWay'; airdrop: Airdrop }
  /** In this period the wallet can have no more than `left`, which is less than was asked for, or nothing. */
  | { outcome: 'cooldown'; nextAt: number; left: bigint }

/**
 * Asks for a wallet's next airdrop: one at a time, however many ask at once, and together no more than `limit` in a
 * period. What one of them leaves of it stays available, since anybody may ask for anybody's wallet.
 */
export async function requestAirdrop(
  database: Database,
  /** `amount` null: all that is left. */
  wanted: AirdropKey & { amount: bigint | null; limit: bigint; periodMs: number },
  now: number,
): Promise<AirdropRequest> {
  const fresh = {
    status: 'executing' as const,
    transaction_hash: null,
    transaction_id: null,
    error_message: null,
    due_at: database.atOnce(),
    asked_at: now,
  }
  try {
    return await database.transact(async (trx) => {
      const row = await database.lock(trx<AirdropRow>('airdrops').where(keyOf(wanted))).first()
      if (row?.status === 'executing') return { outcome: 'underWay', airdrop: toAirdrop(row) }
      const period = periodOf(row, wanted.periodMs, now)
      const left = wanted.limit - period.paid
      const amount = wanted.amount ?? left
      if (left <= 0n || amount > left) {
        return { outcome: 'cooldown', nextAt: period.start + wanted.periodMs, left: left > 0n ? left : 0n }
      }
      const round = (row?.round ?? 0) + 1
      const next = {
        round,
        amount: amount.toString(),
        period_start: period.start,
        paid_before: period.paid.toString(),
        ...fresh,
      }
      if (row) await trx('airdrops').where(keyOf(wanted)).update(next)
      else await trx('airdrops').insert({ ...keyOf(wanted), ...next })
      return { outcome: 'accepted', airdrop: toAirdrop({ ...keyOf(wanted), ...next }) }
    })
  } catch (error) {
    // Another request for the same wallet was first; it is under way now.
    if (!isDuplicate(error)) throw error
    const airdrop = await readAirdrop(database, wanted)
    return { outcome: 'underWay', airdrop: airdrop! }
  }
}

/** The period that an airdrop now counts in, and what has been paid in it. It begins with the first that is asked for. */
function periodOf(row: AirdropRow | undefined, periodMs: number, now: number): { start: number; paid: bigint } {
  const paid = row ? BigInt(row.paid_before) + (row.status === 'success' ? BigInt(row.amount) : 0n) : 0n
  if (!row || paid === 0n || row.period_start + periodMs <= now) return { start: now, paid: 0n }
  return { start: row.period_start, paid }
}

export async function readAirdrop(database: Database, key: AirdropKey): Promise<Airdrop | null> {
  const row = await database.knex<AirdropRow>('airdrops').where(keyOf(key)).first()
  return row ? toAirdrop(row) : null
}

/** Takes up to `limit` airdrops that are due, for `leaseMs`. */
export async function claimDueAirdrops(database: Database, limit: number, leaseMs: number): Promise<Airdrop[]> {
  const rows = await claimDue<AirdropRow>(database, 'airdrops', limit, leaseMs, async (trx, due, dueAt) => {
    for (const row of due)
      await trx('airdrops')
        .where(keyOf(toAirdrop(row)))
        .update({ due_at: dueAt })
  })
  return rows.map(toAirdrop)
}

export async function postponeAirdrop(database: Database, airdrop: Airdrop, delayMs: number): Promise<void> {
  const now = await database.clock(database.knex)
  await database.write((knex) =>
    knex('airdrops')
      .where({ ...keyOf(airdrop), round: airdrop.round, status: 'executing' })
      .whereNull('transaction_id')
      .update({ due_at: now + delayMs }),
  )
}

/** Ends an airdrop before anything was sent for it. */
export async function failAirdrop(database: Database, airdrop: Airdrop, message: string): Promise<void> {
  await database.write((knex) =>
    knex('airdrops')
      .where({ ...keyOf(airdrop), round: airdrop.round, status: 'executing' })
      .whereNull('transaction_id')
      .update({ status: 'error', error_message: message, due_at: null }),
  )
}

/** Ends an airdrop that a transaction has paid which the journal does not have, or gave up. */
export async function adoptAirdrop(database: Database, airdrop: Airdrop, hash: Hash, now: number): Promise<void> {
  await database.transact(async (trx) => {
    if (await bindAirdrop(database, trx, airdrop, null)) {
      await settleAirdrop(trx, { airdrop, paid: true, hash, message: null }, now)
    }
  })
}

/** The airdrop that a transaction carries and that is still open. */
export async function readAirdropOf(database: Database, transactionId: number): Promise<Airdrop | null> {
  const row = await database
    .knex<AirdropRow>('airdrops')
    .where({ transaction_id: transactionId, status: 'executing' })
    .first()
  return row ? toAirdrop(row) : null
}

/** Ties a recorded transaction to its airdrop. False: another visit has got further. */
export async function bindAirdrop(
  database: Database,
  trx: Transaction,
  airdrop: Airdrop,
  transaction: { id: number; hash: Hash } | null,
): Promise<boolean> {
  const key = { ...keyOf(airdrop), round: airdrop.round }
  const row = await database.lock(trx<AirdropRow>('airdrops').where(key)).first()
  if (row?.status !== 'executing' || row.transaction_id !== null) return false
  if (transaction) {
    await trx('airdrops')
      .where(key)
      .update({ transaction_id: transaction.id, transaction_hash: transaction.hash, due_at: null })
  }
  return true
}

/** How an airdrop ended, and by which transaction. */
export type AirdropResult = { airdrop: Airdrop; paid: boolean; hash: Hash; message: string | null }

/** Ends the airdrop that a final transaction has carried. */
export async function settleAirdrop(
  trx: Transaction,
  { airdrop, ...result }: AirdropResult,
  now: number,
): Promise<void> {
  await trx('airdrops')
    .where({ ...keyOf(airdrop), round: airdrop.round, status: 'executing' })
    .update({
      status: result.paid ? 'success' : 'error',
      transaction_hash: result.hash,
      error_message: result.message,
      due_at: null,
    })
  if (!result.paid) return
  await post(trx, [{ ...(await payoutOf(trx, airdrop)), debit: 'solver', credit: 'vault' }], now)
}

/** Undoes the end of the airdrop that a transaction carried, since that transaction's block is gone. */
export async function reopenAirdrop(trx: Transaction, transactionId: number, now: number): Promise<void> {
  const key = { transaction_id: transactionId }
  const row = await trx<AirdropRow>('airdrops').where(key).first()
  if (!row) return
  if (row.status === 'success') {
    const payout = await payoutOf(trx, toAirdrop(row))
    await post(trx, [{ ...payout, cause: `undone:${payout.cause}`, debit: 'vault', credit: 'solver' }], now)
  }
  await trx('airdrops').where(key).update({ status: 'executing', error_message: null })
}

/** Named by the round and, after reorganisations, by how often it had been undone before. */
async function payoutOf(trx: Transaction, { chainId, token, wallet, round, amount }: Airdrop) {
  const first = `airdrop:${chainId}:${token}:${wallet}:${round}`
  let cause = first
  for (
    let undone = 1;
    await trx('ledger')
      .where({ cause: `undone:${cause}` })
      .first('id');
    undone++
  ) {
    cause = `${first}:${undone}`
  }
  return { cause, user: wallet, chainId, token, amount }
}

function keyOf(key: AirdropKey) {
  return { chain_id: key.chainId, token: key.token, wallet: key.wallet }
}

function toAirdrop(row: Omit<AirdropRow, 'due_at'>): Airdrop {
  return {
    chainId: row.chain_id,
    token: row.token,
    wallet: row.wallet,
    round: row.round,
    amount: BigInt(row.amount),
    status: row.status,
    transactionHash: row.transaction_hash,
    message: row.error_message,
    askedAt: row.asked_at,
  }
}
