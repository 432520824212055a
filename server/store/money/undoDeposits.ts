import type { Hash } from 'viem'
import { moveBalance } from './balances.js'
import { logIndexOf } from './bookDeposit.js'
import { returnCause, takenBy, undone, undoneRecord, withdrawalsOf } from './causes.js'
import { giveBackCovered } from './credits.js'
import type { Database, Transaction } from '../connection/database.js'
import type { DepositRow } from './deposits.js'
import { reduceExposure, undoPayout } from './exposures.js'
import { post } from './ledger.js'
import { moveCredits } from './moveCredits.js'
import { beginningWith, type CreditRow, type LedgerRow } from '../rows.js'

/**
 * Undoes a withdrawal, or a deposit into the user's own account, whose block is gone, and has its transaction looked
 * for anew. (A deposit into the vault became a credit, and is undone with that.) Null: it is undone already.
 */
export async function undoDeposit(
  database: Database,
  id: number,
  blockHash: Hash,
  now: number,
): Promise<{ kind: 'deposit'; transactionHash: Hash; steps: [] } | null> {
  return database.transact(async (trx) => {
    const row = await trx.lock(trx<DepositRow>('deposits').where({ id })).first()
    if (row?.status !== 'recorded' || row.block_hash !== blockHash) return null
    if (row.custody === 'vault') await undoVaultWithdrawal(trx, row, now)
    else await undoWalletRecord(trx, row, now)
    await reopenDeposits(trx, [row], now)
    return { kind: 'deposit', transactionHash: row.transaction_hash, steps: [] }
  })
}

/**
 * Makes records pending again, so that they are looked for on the chain anew; the money
 * that they moved was undone before.
 */
export async function reopenDeposits(
  trx: Transaction,
  rows: readonly Pick<DepositRow, 'id'>[],
  now: number,
): Promise<void> {
  if (rows.length === 0) return
  const ids = rows.map(({ id }) => id)
  await trx('deposit_logs').whereIn('deposit_id', ids).delete()
  await trx('deposits')
    .whereIn('id', ids)
    .update({
      status: 'pending',
      custody: null,
      block_number: null,
      block_hash: null,
      reopenings: trx.raw('reopenings + 1'),
      may_repeat: false,
      confirmations: 0,
      unseen_ms: 0,
      due_at: trx.atOnce(),
      reported_at: now,
    })
}

async function undoWalletRecord(trx: Transaction, row: DepositRow, now: number): Promise<void> {
  const place = { user: row.user, chainId: row.chain_id, token: row.token }
  const amount = BigInt(row.amount)
  await moveBalance(trx, place, { wallet: row.is_deposit ? -amount : amount })
  const accounts = row.is_deposit
    ? ({ debit: 'recorded', credit: 'wallet' } as const)
    : ({ debit: 'wallet', credit: 'recorded' } as const)
  post(trx, [{ cause: undoneRecord(row), ...accounts, ...place, amount }], now)
}

/**
 * Gives each credit back what the withdrawal had taken of it. Of a lost credit, the exposure shrinks by that instead.
 */
async function undoVaultWithdrawal(trx: Transaction, row: DepositRow, now: number): Promise<void> {
  for (const { cause, amount, creditId } of await readWithdrawn(trx, row)) {
    if (creditId === null) {
      const taken = { user: row.user, chainId: row.chain_id, token: row.token, amount }
      post(trx, [{ cause: undone(cause), debit: 'vault', credit: 'solver', ...taken }], now)
      await undoPayout(trx, { ...taken, transactionHash: row.transaction_hash }, now)
      continue
    }
    const credit = (await trx.lock(trx<CreditRow>('credits').where({ id: creditId })).first())!
    const place = { user: credit.user, chainId: credit.chain_id, token: credit.token }
    const entry = { cause: undone(cause), debit: 'vault' as const, ...place, amount }
    if (credit.is_lost) {
      post(trx, [{ ...entry, credit: 'solver' }], now)
      const open = await reduceExposure(trx, credit.id, amount, now)
      const causeOf = (later: CreditRow) => returnCause(entry.cause, later.id)
      await giveBackCovered(trx, { lost: credit, amount: amount - open, causeOf }, now)
      continue
    }
    const posting = { ...entry, credit: 'available' } as const
    await moveCredits(trx, [{ credit, by: { available: amount }, posting }], now)
  }
}

/** The ledger's entries of a recorded withdrawal, and the credit that each has taken from; null: from none. */
async function readWithdrawn(trx: Transaction, row: DepositRow) {
  const logs = await trx<{ log_key: string; deposit_id: number }>('deposit_logs')
    .where({ deposit_id: row.id })
    .select('log_key')
  const withdrawn: { cause: string; amount: bigint; creditId: number | null }[] = []
  for (const { log_key } of logs) {
    const start = withdrawalsOf(row, logIndexOf({ log_key }))
    const entries = await trx<LedgerRow>('ledger')
      .whereBetween(...beginningWith('cause', start))
      .select('cause', 'amount')
    for (const { cause, amount } of entries) {
      const taken = takenBy(cause, start)
      if (taken) withdrawn.push({ cause, amount: BigInt(amount), ...taken })
    }
  }
  return withdrawn
}
