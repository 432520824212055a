import type { Hash } from 'viem'
import type { Airdrop, AirdropKey } from '../domain/airdrop.js'
import { type Claim, claimDue, putOff } from './claims.js'
import type { Database, Reader, Transaction } from './connection/database.js'
import { isDuplicate } from './connection/databaseErrors.js'
import { airdropCause, undone } from './money/causes.js'
import { post, standingCause } from './money/ledger.js'
import type { AirdropRow } from './rows.js'
import { storedMessage } from './storedMessage.js'

type AirdropRequest =
  | { outcome: 'accepted' | 'underWay'; airdrop: Airdrop }
  /** The wallet has had its airdrop of this period: in which transaction, and when another may be asked for. */
  | { outcome: 'cooldown'; transactionHash: Hash; nextAt: number }

/**
 * Asks for a wallet's next airdrop. A wallet has one airdrop at a time, however many requests come at once, and one in
 * a period, however small. A period begins when an airdrop is asked for that is then paid.
 */
export async function requestAirdrop(
  database: Database,
  wanted: AirdropKey & { amount: bigint; periodMs: number },
  now: number,
): Promise<AirdropRequest> {
  const fresh = {
    status: 'executing' as const,
    transaction_hash: null,
    transaction_id: null,
    block_number: null,
    block_hash: null,
    error_message: null,
    due_at: database.atOnce(),
    asked_at: now,
  }
  try {
    return await database.transact(async (trx) => {
      const row = await trx.lock(trx<AirdropRow>('airdrops').where(keyOf(wanted)).orderBy('round', 'desc')).first()
      const standing = row && (await readStanding(trx, wanted, now))
      if (standing?.status === 'executing') return { outcome: 'underWay', airdrop: toAirdrop(standing) }
      if (standing) {
        const { transaction_hash: transactionHash, asked_at } = standing
        return { outcome: 'cooldown', transactionHash: transactionHash!, nextAt: asked_at + wanted.periodMs }
      }
      const next = { ...keyOf(wanted), round: (row?.round ?? 0) + 1, amount: wanted.amount.toString(), ...fresh }
      await trx('airdrops').insert(next)
      return { outcome: 'accepted', airdrop: toAirdrop(next) }
    })
  } catch (error) {
    // Another request for the same wallet was first; its airdrop is under way now.
    if (!isDuplicate(error)) throw error
    const airdrop = await readAirdrop(database, wanted)
    return { outcome: 'underWay', airdrop: airdrop! }
  }
}

/**
 * The newest airdrop of a wallet that keeps it from having another: one that is under way, or paid in a period that is
 * not over. It need not be the newest of all: an airdrop that had failed, or was given up, may be paid after others
 * were asked for, and one that was paid may be under way again, since its block is gone.
 */
function readStanding(trx: Transaction, wanted: AirdropKey & { periodMs: number }, now: number) {
  return trx<AirdropRow>('airdrops')
    .where(keyOf(wanted))
    .where((some) => {
      void some.where({ status: 'executing' }).orWhere((paid) => {
        void paid.where({ status: 'success' }).where('asked_at', '>', now - wanted.periodMs)
      })
    })
    .orderBy('round', 'desc')
    .first()
}

/** A wallet's newest airdrop. */
export async function readAirdrop(database: Database, key: AirdropKey): Promise<Airdrop | null> {
  const row = await database.knex<AirdropRow>('airdrops').where(keyOf(key)).orderBy('round', 'desc').first()
  return row ? toAirdrop(row) : null
}

/** Airdrops of these rounds, each at its place; null where there is none. */
export async function readAirdropRounds(
  database: Database,
  rounds: readonly (AirdropKey & Pick<Airdrop, 'round'>)[],
): Promise<(Airdrop | null)[]> {
  const rows = await database
    .knex<AirdropRow>('airdrops')
    .where((some) => rounds.forEach((round) => void some.orWhere(roundOf(round))))
  const airdrops = new Map(rows.map((row) => [nameOfRound(toAirdrop(row)), toAirdrop(row)]))
  return rounds.map((round) => airdrops.get(nameOfRound(round)) ?? null)
}

/** A wallet's airdrops that have not been paid, of all rounds. */
export async function readUnpaidAirdrops(database: Database, key: AirdropKey): Promise<Airdrop[]> {
  const rows = await database.knex<AirdropRow>('airdrops').where(keyOf(key)).whereNot({ status: 'success' })
  return rows.map(toAirdrop)
}

/** Takes airdrops that are due. */
export async function claimDueAirdrops(database: Database, claim: Claim): Promise<Airdrop[]> {
  const rows = await claimDue<AirdropRow>(database, 'airdrops', claim, (trx, due, dueAt) =>
    trx('airdrops')
      .where((some) => due.forEach((row) => void some.orWhere(roundOf(toAirdrop(row)))))
      .update({ due_at: dueAt }),
  )
  return rows.map(toAirdrop)
}

export async function postponeAirdrop(database: Database, airdrop: Airdrop, delayMs: number): Promise<void> {
  await database.write((knex) =>
    knex('airdrops')
      .where({ ...roundOf(airdrop), status: 'executing' })
      .whereNull('transaction_id')
      .update({ due_at: putOff(database, 'airdrops', delayMs) }),
  )
}

/** Ends an airdrop as failed, before anything was sent for it. */
export async function failAirdrop(database: Database, airdrop: Airdrop, message: string): Promise<void> {
  await database.write((knex) =>
    knex('airdrops')
      .where({ ...roundOf(airdrop), status: 'executing' })
      .whereNull('transaction_id')
      .update({ status: 'error', error_message: storedMessage(message), due_at: null }),
  )
}

/** Ends an airdrop as paid by a transaction that the journal does not have, or gave up. */
export async function adoptAirdrop(database: Database, result: AirdropResult, now: number): Promise<void> {
  await database.transact(async (trx) => {
    if (await lockOpenAirdrop(trx, result.airdrop)) await settleAirdrop(trx, result, null, now)
  })
}

/** The airdrop that a transaction carries and that is still executing; null: none. */
export async function readAirdropOf(database: Database, transactionId: number): Promise<Airdrop | null> {
  const row = await database
    .knex<AirdropRow>('airdrops')
    .where({ transaction_id: transactionId, status: 'executing' })
    .first()
  return row ? toAirdrop(row) : null
}

/** Which of these transactions carry an airdrop that is still executing. */
export async function carriersOfAirdrops(from: Reader, transactionIds: readonly number[]) {
  if (transactionIds.length === 0) return []
  const open = from<AirdropRow>('airdrops').where({ status: 'executing' })
  const rows = await open.whereIn('transaction_id', transactionIds).select('transaction_id')
  return rows.map(({ transaction_id }) => transaction_id!)
}

/** Locks an airdrop that no transaction carries yet. False: another visit has got further with it. */
export async function lockOpenAirdrop(trx: Transaction, airdrop: Airdrop): Promise<boolean> {
  const row = await trx.lock(trx<AirdropRow>('airdrops').where(roundOf(airdrop))).first()
  return row?.status === 'executing' && row.transaction_id === null
}

/** Ties a recorded transaction to an airdrop that is locked and that no transaction carries yet. */
export async function bindAirdrop(
  trx: Transaction,
  airdrop: Airdrop,
  { id, hash }: { id: number; hash: Hash },
): Promise<void> {
  await trx('airdrops').where(roundOf(airdrop)).update({ transaction_id: id, transaction_hash: hash, due_at: null })
}

/** How an airdrop ended, and by which transaction. `paidIn`: the block of its payment; null: it was not paid. */
export type AirdropResult = {
  airdrop: Airdrop
  hash: Hash
  paidIn: { number: number; hash: Hash } | null
  message: string | null
}

/**
 * Ends an airdrop. `carrier`: the final transaction of the journal whose result this is; null: the transaction that has
 * paid it is not one that carries it. An airdrop is booked once, whichever transactions tell of it; one that had
 * failed, or was given up, may have been paid after all.
 */
export async function settleAirdrop(
  trx: Transaction,
  { airdrop, hash, paidIn, message }: AirdropResult,
  carrier: { id: number; hash: Hash } | null,
  now: number,
): Promise<void> {
  const row = await trx.lock(trx<AirdropRow>('airdrops').where(roundOf(airdrop))).first()
  if (!row || row.status === 'success') return
  if (!paidIn && (row.status !== 'executing' || row.transaction_id !== carrier?.id)) return
  const isOwn = carrier !== null && (paidIn === null || carrier.hash === hash)
  await trx('airdrops')
    .where(roundOf(airdrop))
    .update({
      status: paidIn ? 'success' : 'error',
      transaction_hash: hash,
      // A payment by another transaction stands and falls with the block of that one, not of the carrier.
      transaction_id: isOwn ? carrier.id : null,
      block_number: paidIn?.number ?? null,
      block_hash: paidIn?.hash ?? null,
      error_message: message === null ? null : storedMessage(message),
      due_at: null,
    })
  if (paidIn) post(trx, [{ ...(await payoutOf(trx, airdrop)), debit: 'solver', credit: 'vault' }], now)
}

/** Undoes the end of the airdrop that a transaction carried, since that transaction's block is gone. */
export async function reopenAirdrop(trx: Transaction, transactionId: number, now: number): Promise<void> {
  const row = await trx.lock(trx<AirdropRow>('airdrops').where({ transaction_id: transactionId })).first()
  if (row) await reopen(trx, row, { due_at: null }, now)
}

/** The airdrops that were paid by transactions that do not carry them. */
export function adoptedAirdrops({ knex }: Database, chainId: number) {
  return knex<AirdropRow>('airdrops')
    .where({ chain_id: chainId, status: 'success' })
    .whereNull('transaction_id')
    .whereNotNull('block_hash')
}

/**
 * Opens an airdrop again whose payment, by a transaction that does not carry it, has gone with
 * its block. Null: it is undone.
 */
export async function undoAdoptedAirdrop(
  database: Database,
  airdrop: Airdrop,
  blockHash: Hash,
  now: number,
): Promise<{ kind: 'airdrop'; transactionHash: Hash; steps: [] } | null> {
  return database.transact(async (trx) => {
    const row = await trx.lock(trx<AirdropRow>('airdrops').where(roundOf(airdrop))).first()
    if (row?.status !== 'success' || row.transaction_id !== null || row.block_hash !== blockHash) return null
    await reopen(trx, row, { transaction_hash: null, due_at: trx.atOnce() }, now)
    return { kind: 'airdrop', transactionHash: row.transaction_hash!, steps: [] }
  })
}

async function reopen(
  trx: Transaction,
  row: AirdropRow,
  next: { transaction_hash?: null; due_at: ReturnType<Transaction['atOnce']> | null },
  now: number,
): Promise<void> {
  const airdrop = toAirdrop(row)
  if (row.status === 'success') {
    const payout = await payoutOf(trx, airdrop)
    post(trx, [{ ...payout, cause: undone(payout.cause), debit: 'vault', credit: 'solver' }], now)
  }
  const open = { status: 'executing', block_number: null, block_hash: null, error_message: null }
  await trx('airdrops')
    .where(roundOf(airdrop))
    .update({ ...open, ...next })
}

/**
 * The ledger's entry for an airdrop's payout, named by the round and by how often
 * reorganisations have undone the payout.
 */
async function payoutOf(trx: Transaction, airdrop: Airdrop) {
  const { chainId, token, wallet, amount } = airdrop
  const cause = await standingCause(trx, airdropCause(airdrop))
  return { cause, user: wallet, chainId, token, amount }
}

function keyOf(key: AirdropKey) {
  return { chain_id: key.chainId, token: key.token, wallet: key.wallet }
}

function roundOf(airdrop: AirdropKey & Pick<Airdrop, 'round'>) {
  return { ...keyOf(airdrop), round: airdrop.round }
}

function nameOfRound({ chainId, token, wallet, round }: AirdropKey & Pick<Airdrop, 'round'>): string {
  return `${chainId}:${token}:${wallet}:${round}`
}

export function toAirdrop(row: Omit<AirdropRow, 'due_at'>): Airdrop {
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
