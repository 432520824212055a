import type { Knex } from 'knex'
import { type Address, type Hash, keccak256, stringToHex } from 'viem'
import type { Custody, DepositReport, DepositView, Movement } from '../../domain/deposit.js'
import type { ServiceErrorCode } from '../../domain/errors.js'
import { bookDeposit } from './bookDeposit.js'
import { type Claim, claimDue, putOff } from '../claims.js'
import type { Database, Transaction } from '../connection/database.js'
import { isDuplicate } from '../connection/databaseErrors.js'
import { storedMessage } from '../storedMessage.js'

export type DepositWork = DepositView & {
  id: number
  /** For how long the chain has said that it does not know the transaction, in milliseconds. */
  unseenMs: number
  /** When the deposit was last reported, in unix ms. */
  reportedAt: number
}

/** What the chain says of a report. */
export type DepositResult =
  | (FoundDeposit & { outcome: 'found'; confirmations: number })
  | { outcome: 'refused'; code: ServiceErrorCode; message: string }

/**
 * What the chain has of a report: the transfers between its parties. Which of them it
 * stands for depends on other records.
 */
export type FoundDeposit = {
  custody: Custody
  movements: readonly Movement[]
  /** The message for the client if the amounts are not the report's. */
  mismatch: string
  blockNumber: number
  blockHash: Hash
}

export type DepositRow = {
  id: number
  report_hash: Hash
  occurrence: number
  user: Address
  chain_id: number
  transaction_hash: Hash
  sender: Address
  token: Address
  amount: string
  is_deposit: number
  status: DepositView['status']
  may_repeat: number
  custody: Custody | null
  block_number: number | null
  block_hash: Hash | null
  reopenings: number
  confirmations: number
  required_confirmations: number
  unseen_ms: number
  error_code: ServiceErrorCode | null
  error_message: string | null
  reported_at: number
  recorded_at: number | null
}

/** A report as it was stored. `refusal`: why it was refused before, where it is looked at again now. */
type ReportedDeposit = DepositWork & { refusal: DepositView['error'] }

/**
 * Stores a report and hands it to the engine. A report that was refused is looked at again, a recorded one
 * stays as it is. While its transaction holds further movements that the same report fits, sent again it
 * makes a further record, for those.
 */
export async function reportDeposit(
  database: Database,
  report: DepositReport,
  requiredConfirmations: number,
  now: number,
): Promise<ReportedDeposit> {
  const key = { report_hash: hashOf(report) }
  // Among the writes, since it is a part of one.
  const newest = () =>
    database.write((knex) => knex<DepositRow>('deposits').where(key).orderBy('occurrence', 'desc').first())
  let known = await newest()
  const refusal = known ? errorOf(known) : null
  if (known?.status === 'refused') {
    const { id } = known
    await database.write((knex) =>
      knex('deposits').where({ id, status: 'refused' }).update({
        status: 'pending',
        required_confirmations: requiredConfirmations,
        due_at: database.atOnce(),
        reported_at: now,
        unseen_ms: 0,
        confirmations: 0,
        error_code: null,
        error_message: null,
      }),
    )
    // Refused reports are not kept for ever: `sweep` may have removed this one just now.
    known = await newest()
  }
  if (!known || (known.status === 'recorded' && known.may_repeat)) {
    try {
      await database.write((knex) =>
        knex('deposits').insert({
          ...key,
          occurrence: known ? known.occurrence + 1 : 0,
          user: report.user,
          chain_id: report.chainId,
          transaction_hash: report.transactionHash,
          sender: report.sender,
          token: report.token,
          amount: report.amount.toString(),
          is_deposit: report.isDeposit,
          status: 'pending',
          required_confirmations: requiredConfirmations,
          due_at: database.atOnce(),
          reported_at: now,
        }),
      )
    } catch (error) {
      // The same report came twice at once: the row that the other one has stored stands for both.
      if (!isDuplicate(error)) throw error
    }
  }
  return { ...toWork((await newest())!), refusal }
}

/** Reports of these ids, each at its place; null where there is none. */
export async function readDeposits(database: Database, ids: readonly number[]): Promise<(DepositWork | null)[]> {
  const rows = await database.knex<DepositRow>('deposits').whereIn('id', ids)
  const reports = new Map(rows.map((row) => [row.id, toWork(row)]))
  return ids.map((id) => reports.get(id) ?? null)
}

/** Takes reports that are due. */
export async function claimDueDeposits(database: Database, claim: Claim): Promise<DepositWork[]> {
  const rows = await claimDue<DepositRow>(database, 'deposits', claim, (trx, due, dueAt) => {
    const ids = due.map((row) => row.id)
    return trx('deposits').whereIn('id', ids).update({ due_at: dueAt })
  })
  return rows.map(toWork)
}

/**
 * When a report is to be looked at again. `seen`: how deep its transaction is, and for how long the chain has answered
 * that it does not know the transaction. Undefined: that was not found out.
 */
type DepositWait = { id: number; delayMs: number; seen?: { confirmations: number; unseenMs: number } }

/** Has reports looked at again after a while. A power loss may undo this, and they are looked at earlier. */
export async function postponeDeposits(database: Database, waits: readonly DepositWait[]): Promise<void[]> {
  const postpone = async (trx: Transaction) => {
    for (const { id, delayMs, seen } of [...waits].sort((a, b) => a.id - b.id)) {
      const found = seen && { confirmations: seen.confirmations, unseen_ms: seen.unseenMs }
      const pending = trx('deposits').where({ id, status: 'pending' })
      trx.later(pending.update({ due_at: putOff(trx, 'deposits', delayMs), ...found }))
    }
  }
  await database.transact(postpone, { durable: false })
  return waits.map(() => undefined)
}

/**
 * How a report has ended. `refused` is also what was found, where the booking forbids it. `before`: somebody else has
 * ended it. `waits`: not yet.
 */
type DepositEnd = { outcome: 'recorded' | 'before' | 'waits' } | { outcome: 'refused'; code: ServiceErrorCode }

/**
 * Ends a report: money, ledger and record in one transaction, once per movement. `waits`: whether a step has the
 * transaction as its payment shows only later, and nothing is changed now. A refusal is for the report as it was looked
 * at, not for one that has been sent anew since.
 */
export async function settleDeposit(
  database: Database,
  { id, reportedAt }: Pick<DepositWork, 'id' | 'reportedAt'>,
  result: DepositResult,
  now: number,
): Promise<DepositEnd> {
  const settle = async (trx: Transaction): Promise<DepositEnd> => {
    const row = await trx.lock(trx<DepositRow>('deposits').where({ id })).first()
    if (row?.status !== 'pending') return { outcome: 'before' }
    if (result.outcome === 'refused') {
      if (row.reported_at !== reportedAt) return { outcome: 'waits' }
      return refuse(trx('deposits'), id, result)
    }
    const refusal = await bookDeposit(trx, row, result, now)
    if (refusal === 'waits') return { outcome: 'waits' }
    if (refusal) return refuse(trx('deposits'), id, refusal)
    await trx('deposits').where({ id }).update({
      status: 'recorded',
      custody: result.custody,
      block_number: result.blockNumber,
      block_hash: result.blockHash,
      confirmations: result.confirmations,
      due_at: null,
      recorded_at: now,
    })
    return { outcome: 'recorded' }
  }
  return database.transact(settle, { looksAgain: true })
}

async function refuse(
  deposits: Knex.QueryBuilder,
  id: number,
  { code, message }: { code: ServiceErrorCode; message: string },
): Promise<DepositEnd> {
  await deposits
    .where({ id, status: 'pending' })
    .update({ status: 'refused', error_code: code, error_message: storedMessage(message), due_at: null })
  return { outcome: 'refused', code }
}

function hashOf(report: DepositReport): Hash {
  return keccak256(
    stringToHex(
      [
        report.user,
        report.chainId,
        report.transactionHash,
        report.sender,
        report.token,
        report.amount,
        report.isDeposit,
      ].join(':'),
    ),
  )
}

function toWork(row: DepositRow): DepositWork {
  return {
    id: row.id,
    user: row.user,
    chainId: row.chain_id,
    transactionHash: row.transaction_hash,
    sender: row.sender,
    token: row.token,
    amount: BigInt(row.amount),
    isDeposit: Boolean(row.is_deposit),
    status: row.status,
    custody: row.custody,
    confirmations: row.confirmations,
    requiredConfirmations: row.required_confirmations,
    error: errorOf(row),
    unseenMs: row.unseen_ms,
    reportedAt: row.reported_at,
    recordedAt: row.recorded_at,
  }
}

function errorOf({ error_code: code, error_message: message }: DepositRow): DepositView['error'] {
  return code === null ? null : { code, message: message ?? '' }
}
