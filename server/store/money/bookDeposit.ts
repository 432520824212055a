import type { Address } from 'viem'
import { least, sum } from '../../domain/bigints.js'
import { chooseMovements, type Movement } from '../../domain/deposit.js'
import type { ServiceErrorCode } from '../../domain/errors.js'
import type { TokenLog } from '../../domain/knownLogs.js'
import { groupBy } from '../../lists/groupBy.js'
import { moveBalance, underLock } from './balances.js'
import { addCredits, countLost, creditedTo, creditsOf, requireUndone, standing } from './creditArrivals.js'
import type { Transaction } from '../connection/database.js'
import { walletCause, withdrawalCause } from './causes.js'
import type { DepositRow, FoundDeposit } from './deposits.js'
import { recordExposure, takeSettled } from './exposures.js'
import { post } from './ledger.js'
import { type CreditMove, moveCredits } from './moveCredits.js'
import { type BalanceRow, beginningWith, type CreditRow, refOf, stepKeyColumns, type StepRow } from '../rows.js'
import { tellApart } from './tellApart.js'
import { writtenTogether } from '../writtenTogether.js'

type Refusal = { code: ServiceErrorCode; message: string }

const alreadyUsed = 'txHash: this transaction already backs a step or a record.'

/**
 * Books the movements that a report stands for and keeps them from being recorded again, or says why not. `waits`: a
 * step that the transaction was registered for is being verified, and its result decides.
 */
export async function bookDeposit(
  trx: Transaction,
  row: DepositRow,
  found: FoundDeposit,
  now: number,
): Promise<Refusal | 'waits' | null> {
  const amount = BigInt(row.amount)
  const isIntoVault = Boolean(row.is_deposit) && found.custody === 'vault'
  const registered = isIntoVault ? await registrationOf(trx, row) : 'none'
  const isOfIt = chooseMovements(found.movements, amount) !== null
  if (registered === 'open' && isOfIt) return 'waits'
  // Where the movements don't fit, the report may be for the rest of what was recorded in part;
  // then the balance exists already.
  const mayBeNew = Boolean(row.is_deposit) && isOfIt
  const open = registered === 'backs' ? null : await withoutRecorded(trx, row, found, mayBeNew)
  const chosen = open && chooseMovements(open, amount)
  if (!chosen) {
    return open && !isOfIt
      ? { code: 'deposit_mismatch', message: found.mismatch }
      : { code: 'transaction_already_used', message: alreadyUsed }
  }
  const refusal = await moveMoney(trx, row, found, chosen, now)
  if (refusal) return refusal
  const logs = chosen.map((movement) => ({ log_key: logKey(row, found, movement), deposit_id: row.id }))
  for (const part of writtenTogether(logs)) await trx('deposit_logs').insert(part)
  await markRepeatable(
    trx,
    row,
    open.filter((movement) => !chosen.includes(movement)),
  )
  return null
}

/**
 * Whether the transaction is the payment of a step. `backs`: it is, or it is to be, as its user has signed. `open`:
 * it may be, which shows soon, since the step waits for nothing but the chain. `none`: no step has it; nor does a
 * step count that waits for the one before it, since anybody may have made its action, and it must not keep the
 * user's money from him. It does count (`open`) where it waits, or the step before it does, only because a
 * reorganisation has undone one of them.
 */
async function registrationOf(trx: Transaction, row: DepositRow): Promise<'backs' | 'open' | 'none'> {
  const [step] = await trx('payments')
    .join<StepRow>('steps', function () {
      this.on('steps.action_id', 'payments.action_id')
        .andOn('steps.intent_index', 'payments.intent_index')
        .andOn('steps.step_index', 'payments.step_index')
    })
    .where({ 'payments.chain_id': row.chain_id, 'payments.hash': row.transaction_hash, 'payments.user': row.user })
    .select<(StepRow & { signed: number })[]>('steps.*', 'payments.signed')
  if (!step) return 'none'
  if (step.status === 'success' || step.signed) return 'backs'
  const before = { ...refOf(step), stepIndex: step.step_index - 1 }
  const previous = await trx<StepRow>('steps').where(stepKeyColumns(before)).first('status', 'reopenings')
  const isUndone = step.reopenings > 0 || Boolean(previous?.reopenings)
  return !previous || previous.status === 'success' || isUndone ? 'open' : 'none'
}

type Recorded = Pick<DepositRow, 'user' | 'sender' | 'token' | 'amount' | 'block_hash'> & {
  log_key: string
  deposit_id: number
}

/**
 * The movements found that no report has recorded and that are no credit, in whatever way they may have been booked,
 * and however the node that told of them counts logs. The user's balance is locked, so that none is booked meanwhile.
 */
async function withoutRecorded(
  trx: Transaction,
  row: DepositRow,
  found: FoundDeposit,
  mayBeNew: boolean,
): Promise<Movement[]> {
  const { user, sender, token, chain_id: chainId, transaction_hash: transactionHash } = row
  const records = await underLock(trx, { user, chainId, tokens: [token], adds: mayBeNew }, () =>
    trx('deposit_logs')
      .join('deposits', 'deposits.id', 'deposit_logs.deposit_id')
      .whereBetween(...beginningWith('log_key', logKey(row, found)))
      .select<Recorded[]>('log_key', 'deposit_id', 'user', 'sender', 'token', 'amount', 'block_hash'),
  )
  const isCredit = Boolean(row.is_deposit) && found.custody === 'vault'
  const credits = isCredit ? await creditsOf(trx, { chainId, transactionHash }) : []
  const own = records.filter((record) => record.user === user && record.sender === sender && record.token === token)
  requireUndone([...own, ...standing(credits)], { transactionHash, blockHash: found.blockHash })
  const credited = creditedTo(user, credits).filter((credit) => credit.token === token)
  const isCredited = new Set(credited.map(({ logIndex }) => logIndex))
  const recorded = recordedLogs(own).filter(({ logIndex }) => !isCredited.has(logIndex))
  const taken = [...records.map(logIndexOf), ...credits.map((credit) => credit.log_index)]
  const told = found.movements.map((movement) => ({ ...movement, token }))
  const place = { chainId, hash: transactionHash, user }
  return tellApart(trx, place, { told, known: [...credited, ...recorded], taken }).unknown
}

/** Records as the logs that they were booked by. Where a record stands for several logs, only their sum is known. */
function recordedLogs(records: readonly Recorded[]): TokenLog[] {
  const logs = groupBy(records, (record) => record.deposit_id)
  return records.map((record) => {
    const isAlone = logs.get(record.deposit_id)!.length === 1
    return { logIndex: logIndexOf(record), token: record.token, amount: isAlone ? BigInt(record.amount) : null }
  })
}

/**
 * The key under which a movement is recorded. Direction and custody belong to it: what leaves one
 * account may enter another, and both may be recorded. Without a movement: the beginning of the keys of
 * all such movements of the transaction.
 */
function logKey(row: DepositRow, { custody }: FoundDeposit, movement?: Movement): string {
  return `${row.is_deposit ? 'in' : 'out'}:${custody}:${row.chain_id}:${row.transaction_hash}:${movement?.logIndex ?? ''}`
}

/** The log index with which a log key ends. */
export function logIndexOf({ log_key }: { log_key: string }): number {
  return Number(log_key.split(':').at(-1))
}

/** Notes for all records of the report's parties whether the same report, sent again, would still find a movement. */
async function markRepeatable(trx: Transaction, row: DepositRow, rest: Movement[]): Promise<void> {
  const { id, chain_id, transaction_hash, user, sender, token, is_deposit } = row
  const records = await trx<DepositRow>('deposits')
    .where({ chain_id, transaction_hash, user, sender, token, is_deposit })
    .where((these) => these.where({ id }).orWhere({ status: 'recorded' }))
    .select('id', 'amount', 'may_repeat')
  for (const record of records) {
    const mayRepeat = chooseMovements(rest, BigInt(record.amount)) !== null
    if (Boolean(record.may_repeat) === mayRepeat) continue
    await trx('deposits').where({ id: record.id }).update({ may_repeat: mayRepeat })
  }
}

async function moveMoney(
  trx: Transaction,
  row: DepositRow,
  found: FoundDeposit,
  chosen: Movement[],
  now: number,
): Promise<Refusal | null> {
  const key = { user: row.user, chainId: row.chain_id, token: row.token }
  const amount = BigInt(row.amount)
  // A movement is recorded once in each direction, so the first one names them all.
  const { logIndex } = chosen[0]!
  if (row.is_deposit && found.custody === 'vault') {
    const { blockNumber, blockHash } = found
    const place = { ...key, transactionHash: row.transaction_hash, blockNumber, blockHash }
    const arrivals = chosen.map((movement) => ({ ...place, ...movement }))
    const lostBefore = await countLost(trx, row)
    await addCredits(trx, { arrivals, step: null, lostBefore }, now)
    return null
  }
  if (row.is_deposit) {
    await moveBalance(trx, key, { wallet: amount })
    post(trx, [{ cause: walletCause('in', row, logIndex), debit: 'wallet', credit: 'recorded', amount, ...key }], now)
    return null
  }
  return found.custody === 'vault'
    ? withdrawFromVault(trx, row, logIndex, now)
    : withdrawFromWallet(trx, row, logIndex, now)
}

/**
 * Takes the oldest credit first. A withdrawal that a reorganisation had undone gave its credit back, and that may be
 * spent by the time the same transaction is mined again: then what is left is taken, and the rest is an exposure, since
 * the money has left the vault all the same.
 */
async function withdrawFromVault(trx: Transaction, row: DepositRow, logIndex: number, now: number) {
  const key = { user: row.user, chainId: row.chain_id, token: row.token }
  const amount = BigInt(row.amount)
  const credits = await oldestCredits(trx, key, amount)
  const available = sum(credits.map((credit) => BigInt(credit.available)))
  if (available < amount && row.reopenings === 0) return exceeds(amount, available)
  const settled =
    row.reopenings > 0 ? await takeSettled(trx, { ...key, transactionHash: row.transaction_hash, amount }) : 0n
  let open = amount - settled
  const moves: CreditMove[] = []
  for (const credit of credits) {
    const has = BigInt(credit.available)
    const taken = least(has, open)
    if (taken === 0n) continue
    open -= taken
    const cause = withdrawalCause(row, logIndex, credit.id)
    const posting = { cause, debit: 'available', credit: 'vault', amount: taken } as const
    moves.push({ credit, by: { available: -taken }, posting })
  }
  await moveCredits(trx, moves, now)
  const rest = { cause: withdrawalCause(row, logIndex, null), debit: 'solver', credit: 'vault' } as const
  post(trx, [{ ...rest, amount: open + settled, ...key }], now)
  const { transaction_hash: transactionHash } = row
  const exposure = { kind: 'payout', ...key, transactionHash, amount: open, creditId: null } as const
  await recordExposure(trx, exposure, now)
  return null
}

/** How many credits are read and locked at a time. */
const creditsAtOnce = 500

/** The user's open credits in one token, locked, the oldest first: as many as have the amount, or all. */
async function oldestCredits(
  trx: Transaction,
  { user, chainId, token }: { user: Address; chainId: number; token: Address },
  amount: bigint,
): Promise<CreditRow[]> {
  const credits: CreditRow[] = []
  const has = () => sum(credits.map(({ available }) => BigInt(available)))
  for (let last = 0; has() < amount;) {
    const open = trx<CreditRow>('credits')
      .where({ user, is_open: 1, chain_id: chainId, token })
      .where('id', '>', last)
      .orderBy('id')
      .limit(creditsAtOnce)
    const page = await trx.lock(open)
    credits.push(...page)
    if (page.length < creditsAtOnce) break
    last = page.at(-1)!.id
  }
  return credits
}

async function withdrawFromWallet(trx: Transaction, row: DepositRow, logIndex: number, now: number) {
  const key = { user: row.user, chainId: row.chain_id, token: row.token }
  const amount = BigInt(row.amount)
  const where = { user: key.user, chain_id: key.chainId, token: key.token }
  const balance = await trx.lock(trx<BalanceRow>('balances').where(where)).first()
  const recorded = BigInt(balance?.wallet ?? 0)
  if (recorded < amount) return exceeds(amount, recorded)
  await moveBalance(trx, key, { wallet: -amount })
  post(trx, [{ cause: walletCause('out', row, logIndex), debit: 'recorded', credit: 'wallet', amount, ...key }], now)
  return null
}

function exceeds(amount: bigint, recorded: bigint) {
  return {
    code: 'withdrawal_exceeds_balance' as const,
    message: `The withdrawal of ${amount} exceeds the recorded ${recorded}.`,
  }
}
