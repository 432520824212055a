import type { Knex } from 'knex'
import type { Hash } from 'viem'
import type { StepRef } from '../../domain/action.js'
import type { StepErrorCode } from '../../domain/errors.js'
import { adoptedAirdrops, reopenAirdrop, toAirdrop, undoAdoptedAirdrop } from '../airdrops.js'
import { moveBalance } from '../money/balances.js'
import { arrivalCause, lostCause, undone } from '../money/causes.js'
import { countLost } from '../money/creditArrivals.js'
import { releaseCredit, unspendCredit } from '../money/credits.js'
import type { Database, Transaction } from '../connection/database.js'
import type { DepositRow } from '../money/deposits.js'
import { recordExposure, undoPayout } from '../money/exposures.js'
import { post } from '../money/ledger.js'
import { attemptOf, type CreditRow, refOf, stepKeyColumns, type StepRow, type TransactionRow } from '../rows.js'
import { readPayoutsOf } from './bookResult.js'
import type { CarriedStep } from './journalTransactions.js'
import { changeStep, hurryNext, type StepChange } from '../actions/stepChange.js'
import { reopenDeposits, undoDeposit } from '../money/undoDeposits.js'

/**
 * Undoes what was settled in a block that a reorganisation deeper than the confirmations has removed from the
 * chain. Each undoing is the exact inverse of the settlement, so that the ledger goes on equalling the chain and
 * all that was undone is simply open again: our transactions are sent and watched anew, users' payments are looked
 * for anew. Transactions of ours that had come to nothing are cancelled: only their nonces are needed, and their
 * steps' credit may be spent by now.
 */

export type SettledBlock = { number: number; hash: Hash }

/** Something that a reorganisation took away after it had been final. */
export type Undone =
  | { kind: 'transaction'; transactionHash: Hash; steps: StepRef[] }
  | { kind: 'step'; transactionHash: Hash; steps: [StepRef] }
  | { kind: 'credit'; transactionHash: Hash; steps: []; exposed: bigint; ended: EndedStep[] }
  | { kind: 'deposit'; transactionHash: Hash; steps: [] }
  | { kind: 'airdrop'; transactionHash: Hash; steps: [] }

/** A step that has failed because what was to fund it is gone. */
export type EndedStep = Pick<CarriedStep, 'ref' | 'traceparent'> & { chainId: number; code: StepErrorCode }

/** The blocks from `from` to `to` that something settled rests on, the oldest first; of more than `most` the newest. */
export async function readSettledBlocks(
  database: Database,
  chainId: number,
  { from, to }: { from: number; to: number },
  most: number,
): Promise<SettledBlock[]> {
  const blocksOf = (things: Knex.QueryBuilder, number = 'block_number', hash = 'block_hash') =>
    things
      .whereBetween(number, [from, to])
      .distinct<SettledBlock[]>({ number, hash })
      .orderBy('number', 'desc')
      .limit(most)
  const { transactions, ...others } = restingOnBlocks(database, chainId)
  const found = await Promise.all([
    blocksOf(transactions, 'mined_block', 'mined_block_hash'),
    ...Object.values(others).map((things) => blocksOf(things)),
  ])
  const blocks = new Map<Hash, SettledBlock>()
  for (const { number, hash } of found.flat()) blocks.set(hash, { number: Number(number), hash })
  return [...blocks.values()].sort((a, b) => a.number - b.number).slice(-most)
}

/** All that is settled and rests on blocks of the chain, by its kind; each names its block in columns of its own. */
function restingOnBlocks(database: Database, chainId: number) {
  const { knex } = database
  const ofChain = { chain_id: chainId }
  return {
    transactions: knex<TransactionRow>('transactions').where({ ...ofChain, status: 'final' }),
    /** Those that no transaction of the journal carries: a step rests on its transaction's block else. */
    steps: knex<StepRow>('steps').where(ofChain).whereNull('transaction_id').whereNotNull('block_hash'),
    credits: knex<CreditRow>('credits').where({ ...ofChain, is_lost: 0 }),
    /** Recorded withdrawals, and deposits into users' accounts; one into the vault is undone with its credit. */
    deposits: knex<DepositRow>('deposits')
      .where({ ...ofChain, status: 'recorded' })
      .where((these) => these.where({ custody: 'wallet' }).orWhere({ is_deposit: 0 })),
    airdrops: adoptedAirdrops(database, chainId),
  }
}

/**
 * Undoes everything that rests on a block; each thing by itself, and once, however often this is called. An
 * error is told to `failed`; it keeps nothing else from being undone but what rests on the same
 * transaction, unless that throws it.
 */
export async function undoBlock(
  database: Database,
  chainId: number,
  block: SettledBlock,
  now: number,
  failed: (error: unknown) => void,
): Promise<Undone[]> {
  const inBlock = { block_number: block.number, block_hash: block.hash }
  const resting = restingOnBlocks(database, chainId)
  const transactions = await resting.transactions
    .where({ mined_block: block.number, mined_block_hash: block.hash })
    .select('id', 'mined_hash')
  const steps = await resting.steps.where(inBlock)
  const credits = await resting.credits.where(inBlock).orderBy('id').select('id', 'transaction_hash')
  const deposits = await resting.deposits.where(inBlock).select('id')
  const airdrops = await resting.airdrops.where(inBlock)
  const undoings: Undone[] = []
  /** Transactions whose credit could not be taken back. */
  const kept = new Set<Hash | null>()
  const undo = async (work: Promise<Undone | null>, hash: Hash | null = null) => {
    try {
      const entry = await work
      if (entry) undoings.push(entry)
    } catch (error) {
      if (hash) kept.add(hash)
      failed(error)
    }
  }
  // Credits first: a transaction or step that is open again may be settled at once, and would take a
  // credit of the old block for its own.
  for (const { id, transaction_hash } of credits) await undo(loseCredit(database, id, block, now), transaction_hash)
  for (const { id } of deposits) await undo(undoDeposit(database, id, block.hash, now))
  for (const row of airdrops) await undo(undoAdoptedAirdrop(database, toAirdrop(row), block.hash, now))
  for (const { id, mined_hash } of transactions) {
    if (!kept.has(mined_hash)) await undo(reopenTransaction(database, id, block, now))
  }
  for (const row of steps) {
    if (!kept.has(row.transaction_hash)) await undo(reopenStep(database, refOf(row), block, now))
  }
  return undoings
}

/**
 * Opens a transaction again. Its stored bytes are sent again until they, or a replacement of theirs, are mined; where
 * none of its steps or airdrop is open again, only a cancel is sent.
 */
async function reopenTransaction(
  database: Database,
  id: number,
  block: SettledBlock,
  now: number,
): Promise<Undone | null> {
  return database.transact(async (trx) => {
    const row = await trx.lock(trx<TransactionRow>('transactions').where({ id })).first()
    if (row?.status !== 'final' || row.mined_block_hash !== block.hash) return null
    await trx('transactions').where({ id }).update({
      status: 'open',
      mined_hash: null,
      mined_block: null,
      mined_block_hash: null,
      due_at: now,
      updated_at: now,
    })
    const steps = await trx<StepRow>('steps').where({ transaction_id: id })
    for (const step of steps) {
      // A step that failed on the chain stays failed for now. It may yet succeed, if these bytes are mined
      // before the cancel, and follows when they are settled. A step that failed and was paid all the same
      // is opened again, like a success.
      if (step.status === 'success' || (await readPayoutsOf(trx, step)).length > 0) {
        await unsettle(trx, step, { due_at: null }, now)
      }
    }
    await reopenAirdrop(trx, id, now)
    return { kind: 'transaction', transactionHash: row.mined_hash!, steps: steps.map(refOf) }
  })
}

/**
 * Opens a step again that no transaction of ours carried: the user's own payment, or one
 * that somebody else carried out.
 */
async function reopenStep(database: Database, ref: StepRef, block: SettledBlock, now: number): Promise<Undone | null> {
  return database.transact(async (trx) => {
    const row = await trx.lock(trx<StepRow>('steps').where(stepKeyColumns(ref))).first()
    if (row?.block_hash !== block.hash) return null
    await unsettle(trx, row, { due_at: { inMs: 0 }, unseen_ms: 0 }, now)
    return { kind: 'step', transactionHash: row.transaction_hash!, steps: [ref] }
  })
}

async function unsettle(
  trx: Transaction,
  row: StepRow,
  next: Pick<StepChange, 'due_at' | 'unseen_ms'>,
  now: number,
): Promise<void> {
  for (const { cause, user, chain_id, token, amount } of await readPayoutsOf(trx, row)) {
    const payout = { user, chainId: chain_id, token, amount: BigInt(amount) }
    post(trx, [{ cause: undone(cause), debit: 'vault', credit: 'solver', ...payout }], now)
    await undoPayout(trx, { ...payout, transactionHash: row.transaction_hash! }, now)
  }
  await unspendCredit(trx, { ref: refOf(row), attempt: attemptOf(row) }, now)
  await changeStep(
    trx,
    refOf(row),
    {
      status: 'executing',
      reopenings: row.reopenings + 1,
      block_number: null,
      block_hash: null,
      confirmations: 0,
      error: null,
      ...next,
    },
    now,
  )
}

/**
 * Takes back what is left of a credit whose log is gone. What was paid out on it is an exposure, which the same payment
 * makes good when it comes again; what is only set aside and not signed for yet is not paid out.
 */
async function loseCredit(database: Database, id: number, block: SettledBlock, now: number): Promise<Undone | null> {
  return database.transact(async (trx) => {
    const found = await trx<CreditRow>('credits').where({ id }).first('block_hash', 'is_lost')
    if (!found || found.is_lost || found.block_hash !== block.hash) return null
    const ended = await stopDrawing(trx, id, now)
    const lock = async () => (await trx.lock(trx<CreditRow>('credits').where({ id })).first())!
    if ((await lock()).is_lost) return null
    // Once more, for what other steps have set aside of the credit until its row was locked.
    ended.push(...(await stopDrawing(trx, id, now)))
    const credit = await lock()
    const available = BigInt(credit.available)
    const exposed = BigInt(credit.amount) - available
    const arrival = arrivalCause(credit, await countLost(trx, credit))
    const place = { user: credit.user, chainId: credit.chain_id, token: credit.token }
    post(
      trx,
      [
        { cause: lostCause(arrival, 'available'), debit: 'available', credit: 'vault', ...place, amount: available },
        { cause: lostCause(arrival, 'exposed'), debit: 'solver', credit: 'vault', ...place, amount: exposed },
      ],
      now,
    )
    await moveBalance(trx, place, { available: -available })
    await trx('credits')
      .where({ id })
      .update({
        available: '0',
        is_open: BigInt(credit.reserved) > 0n,
        is_lost: 1,
        log_index: -1 - id,
      })
    const transactionHash = credit.transaction_hash
    const exposure = { kind: 'credit', ...place, transactionHash, amount: exposed, creditId: id } as const
    await recordExposure(trx, exposure, now)
    await reopenReports(trx, credit, now)
    return { kind: 'credit', transactionHash, steps: [], exposed, ended }
  })
}

/**
 * Has the deposit reports of a transaction looked at anew, once all of the user's credits of that transaction are lost.
 */
async function reopenReports(trx: Transaction, credit: CreditRow, now: number): Promise<void> {
  const { chain_id, transaction_hash, user } = credit
  // Locked: of two credits that are lost at the same time, each would take the other for one that is left.
  const credits = await trx.lock(
    trx<CreditRow>('credits').where({ chain_id, transaction_hash, user }).orderBy('id').select('id', 'is_lost'),
  )
  if (credits.some(({ is_lost }) => !is_lost)) return
  const recorded = await trx<DepositRow>('deposits')
    .where({ chain_id, transaction_hash, user, status: 'recorded', custody: 'vault', is_deposit: 1 })
    .select('id')
  await reopenDeposits(trx, recorded, now)
}

/** Ends the steps that would pay out of a credit and have nothing signed yet. */
async function stopDrawing(trx: Transaction, creditId: number, now: number): Promise<EndedStep[]> {
  const ended: EndedStep[] = []
  const drawing = await trx<StepRow>('steps')
    .join('reservations', function () {
      this.on('steps.action_id', 'reservations.action_id')
        .andOn('steps.intent_index', 'reservations.intent_index')
        .andOn('steps.step_index', 'reservations.step_index')
    })
    .where({ 'reservations.credit_id': creditId, 'reservations.status': 'reserved', 'steps.status': 'executing' })
    .whereNull('steps.transaction_id')
    .select('steps.*')
  for (const { action_id, intent_index, step_index } of drawing) {
    const key = { action_id, intent_index, step_index }
    const row = await trx.lock(trx<StepRow>('steps').where(key)).first()
    if (row?.status !== 'executing' || row.transaction_id !== null) continue
    await releaseCredit(trx, { ref: refOf(row), attempt: attemptOf(row) }, now)
    const message = 'The payment that was to fund this step has been removed by a reorganisation of its chain.'
    const error = { code: 'insufficient_credit', message, retryable: true } as const
    const change = { status: 'error', error, excused: row.excused + 1, open_account: null, due_at: null } as const
    await changeStep(trx, refOf(row), change, now)
    hurryNext(trx, refOf(row))
    const { chain_id: chainId, traceparent } = row
    ended.push({ ref: refOf(row), chainId, traceparent, code: error.code })
  }
  return ended
}
