import { type Address, type Hash, keccak256, stringToHex } from 'viem'
import type { Custody, DepositReport, DepositView } from '../domain/deposit.js'
import type { ServiceErrorCode } from '../domain/errors.js'
import { moveBalance } from './balances.js'
import { creditArrivals } from './credits.js'
import { type Database, isDuplicate, type Transaction } from './database.js'
import { post } from './ledger.js'
import type { CreditRow } from './rows.js'

export type DepositWork = DepositView & { id: number; reportedAt: number }

/** What the chain says of a report. `logIndex` is -1 for the transaction's own value. */
export type DepositResult =
  | {
      outcome: 'recorded'
      custody: Custody
      logIndex: number
      blockNumber: number
      blockHash: Hash
      confirmations: number
    }
  | { outcome: 'refused'; code: ServiceErrorCode; message: string }

type DepositRow = {
  id: number
  user: Address
  chain_id: number
  transaction_hash: Hash
  sender: Address
  token: Address
  amount: string
  is_deposit: number
  status: DepositView['status']
  custody: Custody | null
  confirmations: number
  required_confirmations: number
  error_code: ServiceErrorCode | null
  error_message: string | null
  reported_at: number
  recorded_at: number | null
}

/** Stores a report and hands it to the engine; a refused one is looked at again, a recorded one stays. */
export async function reportDeposit(
  database: Database,
  report: DepositReport,
  requiredConfirmations: number,
  now: number,
): Promise<DepositWork> {
  const key = { report_hash: hashOf(report) }
  try {
    await database.write((knex) =>
      knex('deposits').insert({
        ...key,
        user: report.user,
        chain_id: report.chainId,
        transaction_hash: report.transactionHash,
        sender: report.sender,
        token: report.token,
        amount: report.amount.toString(),
        is_deposit: report.isDeposit,
        status: 'pending',
        required_confirmations: requiredConfirmations,
        due_at: now,
        reported_at: now,
      }),
    )
  } catch (error) {
    if (!isDuplicate(error)) throw error
    await database.write((knex) =>
      knex('deposits')
        .where({ ...key, status: 'refused' })
        .update({ status: 'pending', due_at: now, reported_at: now, error_code: null, error_message: null }),
    )
  }
  const row = await database.knex<DepositRow>('deposits').where(key).first()
  return toWork(row!)
}

export async function readDeposit(database: Database, id: number): Promise<DepositWork | null> {
  const row = await database.knex<DepositRow>('deposits').where({ id }).first()
  return row ? toWork(row) : null
}

/** Takes up to `limit` reports that are due, for `leaseMs`. */
export async function claimDueDeposits(database: Database, limit: number, leaseMs: number): Promise<DepositWork[]> {
  return database.transact(async (trx) => {
    const now = await database.clock(trx)
    const due = await database.lock(
      trx<DepositRow>('deposits').where('due_at', '<=', now).orderBy('due_at').limit(limit),
      { skipLocked: true },
    )
    const ids = due.map((row) => row.id)
    if (ids.length > 0)
      await trx('deposits')
        .whereIn('id', ids)
        .update({ due_at: now + leaseMs })
    return due.map(toWork)
  })
}

/** Looks at a report again after a while, and shows how deep its transaction is. */
export async function postponeDeposit(
  database: Database,
  id: number,
  delayMs: number,
  confirmations = 0,
): Promise<void> {
  const now = await database.clock(database.knex)
  await database.write((knex) =>
    knex('deposits')
      .where({ id, status: 'pending' })
      .update({ due_at: now + delayMs, confirmations }),
  )
}

/** Ends a report: money, ledger and record in one transaction, once per log. */
export async function settleDeposit(database: Database, id: number, result: DepositResult, now: number): Promise<void> {
  try {
    await database.transact(async (trx) => {
      const row = await database.lock(trx<DepositRow>('deposits').where({ id })).first()
      if (row?.status !== 'pending') return
      if (result.outcome === 'refused') return refuse(trx, id, result.code, result.message)
      const refusal = await book(database, trx, row, result, now)
      if (refusal) return refuse(trx, id, refusal.code, refusal.message)
      await trx('deposits')
        .where({ id })
        .update({
          status: 'recorded',
          custody: result.custody,
          confirmations: result.confirmations,
          log_key: `${row.chain_id}:${row.transaction_hash}:${result.logIndex}`,
          due_at: null,
          recorded_at: now,
        })
    })
  } catch (error) {
    if (!isDuplicate(error)) throw error
    await database.write((knex) => refuse(knex, id, 'transaction_already_used', alreadyUsed))
  }
}

const alreadyUsed = 'txHash: this transaction already backs a step or a record.'

async function book(
  database: Database,
  trx: Transaction,
  row: DepositRow,
  result: Extract<DepositResult, { outcome: 'recorded' }>,
  now: number,
): Promise<{ code: ServiceErrorCode; message: string } | null> {
  const key = { user: row.user, chainId: row.chain_id, token: row.token }
  const amount = BigInt(row.amount)
  const cause = `${row.chain_id}:${row.transaction_hash}:${result.logIndex}`
  if (row.is_deposit && result.custody === 'vault') {
    const log = { chain_id: row.chain_id, transaction_hash: row.transaction_hash, log_index: result.logIndex }
    const [credited, bound] = [
      await trx('credits').where(log).first('id'),
      await trx('payments')
        .where({ chain_id: row.chain_id, hash: row.transaction_hash, user: row.user })
        .first('signed'),
    ]
    if (credited || bound) return { code: 'transaction_already_used', message: alreadyUsed }
    const { blockNumber, blockHash, logIndex } = result
    const arrival = { ...key, transactionHash: row.transaction_hash, logIndex, blockNumber, blockHash, amount }
    await creditArrivals(database, trx, [arrival], null, now)
    return null
  }
  if (row.is_deposit) {
    await moveBalance(database, trx, key, { wallet: amount })
    await post(trx, [{ cause: `wallet-in:${cause}`, debit: 'wallet', credit: 'recorded', amount, ...key }], now)
    return null
  }
  return result.custody === 'vault'
    ? withdrawFromVault(database, trx, key, amount, cause, now)
    : withdrawFromWallet(database, trx, key, amount, cause, now)
}

type Key = { user: Address; chainId: number; token: Address }

/** Takes the oldest credit first. */
async function withdrawFromVault(
  database: Database,
  trx: Transaction,
  key: Key,
  amount: bigint,
  cause: string,
  now: number,
) {
  const credits = await database.lock(
    trx<CreditRow>('credits')
      .where({ user: key.user, is_open: 1, chain_id: key.chainId, token: key.token })
      .orderBy('id'),
  )
  const available = credits.reduce((sum, credit) => sum + BigInt(credit.available), 0n)
  if (available < amount) return exceeds(amount, available)
  let open = amount
  for (const credit of credits) {
    const has = BigInt(credit.available)
    const taken = has < open ? has : open
    if (taken === 0n) continue
    open -= taken
    const isOpen = has - taken > 0n || BigInt(credit.reserved) > 0n
    await trx('credits')
      .where({ id: credit.id })
      .update({ available: (has - taken).toString(), is_open: isOpen })
    const posting = { cause: `withdrawal:${cause}:${credit.id}`, debit: 'available', credit: 'vault' } as const
    await post(trx, [{ ...posting, amount: taken, ...key }], now)
  }
  await moveBalance(database, trx, key, { available: -amount })
  return null
}

async function withdrawFromWallet(
  database: Database,
  trx: Transaction,
  key: Key,
  amount: bigint,
  cause: string,
  now: number,
) {
  const row = await database
    .lock(
      trx<{ wallet: string; user: Address; chain_id: number; token: Address }>('balances').where({
        user: key.user,
        chain_id: key.chainId,
        token: key.token,
      }),
    )
    .first()
  const recorded = BigInt(row?.wallet ?? 0)
  if (recorded < amount) return exceeds(amount, recorded)
  await moveBalance(database, trx, key, { wallet: -amount })
  await post(trx, [{ cause: `wallet-out:${cause}`, debit: 'recorded', credit: 'wallet', amount, ...key }], now)
  return null
}

function exceeds(amount: bigint, recorded: bigint) {
  return {
    code: 'withdrawal_exceeds_balance' as const,
    message: `The withdrawal of ${amount} exceeds the recorded ${recorded}.`,
  }
}

async function refuse(
  on: Transaction | Database['knex'],
  id: number,
  code: ServiceErrorCode,
  message: string,
): Promise<void> {
  await on('deposits')
    .where({ id, status: 'pending' })
    .update({ status: 'refused', error_code: code, error_message: message, due_at: null })
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
    error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? '' },
    reportedAt: row.reported_at,
    recordedAt: row.recorded_at,
  }
}
