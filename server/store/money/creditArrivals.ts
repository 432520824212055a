import type { Address, Hash } from 'viem'
import type { StepRef } from '../../domain/action.js'
import { sum } from '../../domain/bigints.js'
import { groupBy } from '../../lists/groupBy.js'
import { moveBalance, underLock } from './balances.js'
import { arrivalCause, coverCause } from './causes.js'
import type { Transaction } from '../connection/database.js'
import { coverExposures, hasOpenExposure } from './exposures.js'
import { hashesOfPayment } from './samePayment.js'
import { post } from './ledger.js'
import { tellApart } from './tellApart.js'
import { writtenTogether } from '../writtenTogether.js'
import type { CreditRow } from '../rows.js'

/** A log that brought money into the vault for a user. */
export type Arrival = {
  chainId: number
  transactionHash: Hash
  logIndex: number
  blockNumber: number
  blockHash: Hash
  user: Address
  token: Address
  /** In the token's smallest unit. */
  amount: bigint
}

/**
 * Books each arrival of a step as the user's credit, once ever per log; a credit that was booked by itself before
 * becomes the action's. `arrivals` are all that each of their transactions has brought the user. However many there
 * are, the statements are few: one call may move a thousand small amounts, and all that is settled with it waits.
 */
export async function creditArrivals(trx: Transaction, arrivals: Arrival[], step: StepRef, now: number): Promise<void> {
  const some = arrivals.filter(({ amount }) => amount > 0n)
  const ofOne = ({ chainId, transactionHash, user }: Arrival) => `${chainId}:${transactionHash}:${user}`
  for (const brought of groupBy(some, ofOne).values()) {
    await creditTransaction(trx, { brought, step }, now)
  }
}

/** Books what one transaction has brought a user, at least one arrival. */
async function creditTransaction(
  trx: Transaction,
  { brought, step }: { brought: readonly Arrival[]; step: StepRef },
  now: number,
): Promise<void> {
  const { chainId, transactionHash, blockHash, user } = brought[0]!
  if (brought.some((arrival) => arrival.blockHash !== blockHash)) throw new Error(`${transactionHash} is in two blocks`)
  const tokens = [...new Set(brought.map(({ token }) => token))]
  const rows = await underLock(trx, { user, chainId, tokens, adds: true }, () => creditsOf(trx, brought[0]!))
  requireUndone(standing(rows), brought[0]!)
  const { known, unknown } = tellApart(
    trx,
    { chainId, hash: transactionHash, user },
    { told: brought, known: creditedTo(user, rows), taken: rows.map((row) => row.log_index) },
  )
  // These were reported as deposits before their step was settled: they were earned in the action all the same.
  const unclaimed = known.filter((credit) => credit.actionId === null)
  for (const part of writtenTogether(unclaimed)) {
    const ids = part.map(({ id }) => id)
    trx.later(trx('credits').whereIn('id', ids).update({ action_id: step.actionId }))
  }
  if (unknown.length === 0) return
  const lostBefore = rows.length - standing(rows).length
  await addCredits(trx, { arrivals: unknown, step, lostBefore }, now)
}

type KnownCredit = Pick<
  CreditRow,
  'id' | 'log_index' | 'user' | 'token' | 'amount' | 'action_id' | 'block_hash' | 'is_lost'
>

/** All credits of a transaction, of all users, also those that a reorganisation has taken away. */
export function creditsOf(
  trx: Transaction,
  { chainId, transactionHash }: Pick<Arrival, 'chainId' | 'transactionHash'>,
) {
  return trx<CreditRow>('credits')
    .where({ chain_id: chainId, transaction_hash: transactionHash })
    .select('id', 'log_index', 'user', 'token', 'amount', 'action_id', 'block_hash', 'is_lost')
}

/** The credits that no reorganisation has taken away. */
export function standing<Row extends Pick<CreditRow, 'is_lost'>>(rows: readonly Row[]): Row[] {
  return rows.filter((row) => !row.is_lost)
}

/** A user's standing credits, as the logs that they were booked by. */
export function creditedTo(user: Address, rows: readonly KnownCredit[]) {
  return standing(rows)
    .filter((row) => row.user === user)
    .map((row) => ({
      id: row.id,
      logIndex: row.log_index,
      token: row.token,
      amount: BigInt(row.amount),
      actionId: row.action_id,
    }))
}

/**
 * Books a user's arrivals of one transaction, at least one, of which none is booked yet. `step`: the step that
 * the transaction has carried out; null: none. `lostBefore`: how many credits of the transaction
 * reorganisations have taken away.
 */
export async function addCredits(
  trx: Transaction,
  { arrivals, step, lostBefore }: { arrivals: readonly Arrival[]; step: StepRef | null; lostBefore: number },
  now: number,
): Promise<void> {
  const { chainId, transactionHash } = arrivals[0]!
  const actionId = step?.actionId ?? null
  // An arrival first makes good what the solver has paid out on the same payment before a reorganisation took it away.
  const isExposed = await hasOpenExposure(trx, arrivals[0]!)
  const hashes = isExposed ? await hashesOfPayment(trx, { transactionHash, actionId, step }) : []
  const entries: (Arrival & { covered: bigint; available: bigint })[] = []
  for (const arrival of arrivals) {
    const covered = isExposed ? await coverExposures(trx, 'credit', { ...arrival, hashes }, now) : 0n
    entries.push({ ...arrival, covered, available: arrival.amount - covered })
  }
  for (const part of writtenTogether(entries)) {
    trx.later(trx('credits').insert(part.map((entry) => creditRow(entry, actionId, now))))
    const postings = part.flatMap(({ logIndex, user, token, amount, covered }) => {
      const place = { user, chainId, token }
      const log = { chain_id: chainId, transaction_hash: transactionHash, log_index: logIndex }
      const cause = arrivalCause(log, lostBefore)
      return [
        { cause, debit: 'vault', credit: 'available', ...place, amount } as const,
        { cause: coverCause(cause), debit: 'available', credit: 'solver', ...place, amount: covered } as const,
      ]
    })
    post(trx, postings, now)
  }
  for (const same of groupBy(entries, ({ user, token }) => `${user}:${token}`).values()) {
    const available = sum(same.map((entry) => entry.available))
    await moveBalance(trx, same[0]!, { available })
  }
}

function creditRow(arrival: Arrival & { available: bigint }, actionId: string | null, now: number) {
  return {
    chain_id: arrival.chainId,
    transaction_hash: arrival.transactionHash,
    log_index: arrival.logIndex,
    user: arrival.user,
    token: arrival.token,
    amount: arrival.amount.toString(),
    available: arrival.available.toString(),
    reserved: '0',
    action_id: actionId,
    is_open: arrival.available > 0n,
    block_number: arrival.blockNumber,
    block_hash: arrival.blockHash,
    created_at: now,
  }
}

/**
 * Throws where something is booked of the transaction in another block, which has to be undone first. Whoever settles
 * the transaction tries again until it is.
 */
export function requireUndone(
  booked: readonly { block_hash: Hash | null }[],
  { transactionHash, blockHash }: Pick<Arrival, 'transactionHash' | 'blockHash'>,
): void {
  if (booked.every(({ block_hash }) => block_hash === blockHash)) return
  throw new Error(`What ${transactionHash} brought in another block has not been undone yet`)
}

export async function countLost(
  trx: Transaction,
  { chain_id, transaction_hash }: Pick<CreditRow, 'chain_id' | 'transaction_hash'>,
): Promise<number> {
  const lost = await trx<CreditRow>('credits').where({ chain_id, transaction_hash, is_lost: 1 }).select('id')
  return lost.length
}
