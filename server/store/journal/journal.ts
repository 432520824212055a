import type { Knex } from 'knex'
import type { Address, Hash, Hex } from 'viem'
import type { ChainAuthorization, StepRef } from '../../domain/action.js'
import { longestPutOffMs } from '../../domain/putOff.js'
import type { NotedSend } from '../../domain/sendKind.js'
import { changeSteps } from '../actions/stepChange.js'
import { carriersOfAirdrops } from '../airdrops.js'
import type { Database } from '../connection/database.js'
import { type FormRow, formsTable, isPlacedAs, refOf, type StepRow, type TransactionRow } from '../rows.js'
import type { JournalTransaction, SignedForm } from './journalTransactions.js'

/**
 * The journal holds every transaction that the service has signed: it is stored before it is first sent, and kept for
 * good. A nonce is taken and its signed bytes are stored in one database transaction; only stored bytes are ever sent.
 * States of a transaction: `open` (signed; sent or not, mined or not) → `final` (settled) or `lost` (something else has
 * used its nonce, as an operator has found). `final` → `open`: a reorganisation deeper than the confirmations has
 * removed its block. `lost` → `open`: the chain still waits for its nonce after all. A transaction that is open again
 * and has no step or airdrop left is cancelled, unless it is mined before.
 */

/** Stores another signed form of an open transaction, unless someone stored one meanwhile. */
export async function recordForm(
  database: Database,
  transaction: JournalTransaction,
  form: SignedForm,
  now: number,
): Promise<'recorded' | 'stale'> {
  return database.transact(async (trx) => {
    const row = await trx.lock(trx<TransactionRow>('transactions').where({ id: transaction.id })).first()
    if (row?.status !== 'open') return 'stale'
    const stored = await trx<FormRow>(formsTable).where({ transaction_id: transaction.id }).select('hash')
    if (stored.length !== transaction.forms.length) return 'stale'
    const steps = await trx<StepRow>('steps').where({ transaction_id: transaction.id, status: 'executing' })
    const isWanted = async () => steps.length > 0 || (await carriersOfAirdrops(trx, [transaction.id])).length > 0
    // It was taken for unwanted when it was read, and has something to carry again: its end was undone once more since.
    if (transaction.isUnwanted && (await isWanted())) return 'stale'
    trx.later(trx(formsTable).insert(formColumns(transaction.id, form, now)))
    trx.later(trx('transactions').where({ id: transaction.id }).update({ signed_at: now, updated_at: now }))
    const change = { transaction_hash: form.hash }
    await changeSteps(
      trx,
      steps.map((step) => ({ ref: refOf(step), change })),
      now,
    )
    return 'recorded'
  })
}

/**
 * Notes what the nodes said to a send, and when to look at the transaction again. A first form has waited for a block
 * since its first send, not since it was signed: it may have been held back while other transactions of its lane were
 * with the nodes. `waitsAnew`: the form has waited since now.
 */
export async function noteSend(
  database: Database,
  transactionId: number,
  { outcome, dueAt, waitsAnew }: { outcome: NotedSend; dueAt: number; waitsAnew: boolean },
  now: number,
): Promise<void> {
  // `fromFirst` reads `sent_at` and so has to come before it: MySQL assigns from left to right.
  const fromFirst = database.knex.raw('case when sent_at is null then ? else signed_at end', [now])
  const noted = {
    signed_at: waitsAnew ? now : fromFirst,
    send_outcome: outcome,
    sent_at: now,
    due_at: dueAt,
    updated_at: now,
  }
  await database.transact(
    async (trx) => trx.later(trx('transactions').where({ id: transactionId, status: 'open' }).update(noted)),
    // Where a power loss undoes this, the transaction is sent again.
    { durable: false, patient: false },
  )
}

/** Postpones the next look at transactions that no block has mentioned. */
export async function postponeTransactions(database: Database, ids: number[], dueAt: number): Promise<void> {
  if (ids.length === 0) return
  const open = (knex: Knex) => knex('transactions').whereIn('id', ids).where({ status: 'open' })
  await database.write((knex) => open(knex).update({ due_at: dueAt }), { patient: false })
}

/**
 * Notes where a transaction was seen mined, also in its steps; resolves with whether any of these shows something new
 * now. Null: the chain does not have it any more.
 */
export async function noteMined(
  database: Database,
  transactionId: number,
  mined: { hash: Hash; blockNumber: number; blockHash: Hash; confirmations: number } | null,
  now: number,
): Promise<boolean> {
  return database.transact(
    async (trx) => {
      const row = await trx.lock(trx<TransactionRow>('transactions').where({ id: transactionId })).first()
      if (row?.status !== 'open') return false
      const place = {
        mined_hash: mined?.hash ?? null,
        mined_block: mined?.blockNumber ?? null,
        mined_block_hash: mined?.blockHash ?? null,
        updated_at: now,
      }
      trx.later(trx('transactions').where({ id: transactionId }).update(place))
      const seen = {
        ...(mined && { transaction_hash: mined.hash }),
        block_number: mined?.blockNumber ?? null,
        confirmations: mined?.confirmations ?? 0,
      }
      const steps = await trx<StepRow>('steps').where({ transaction_id: transactionId, status: 'executing' })
      const isSameBlock = mined !== null && row.mined_hash === mined.hash && row.mined_block_hash === mined.blockHash
      const news = steps.filter((step) => {
        // As in `noteDepths`: in the same block only what lies deeper is news.
        if (isSameBlock && isPlacedAs(step, mined) && step.confirmations >= mined.confirmations) return false
        return Object.entries(seen).some(([name, value]) => step[name as keyof typeof seen] !== value)
      })
      await changeSteps(
        trx,
        news.map((step) => ({ ref: refOf(step), change: seen })),
        now,
      )
      return news.length > 0
    },
    { patient: false },
  )
}

/** The row of a transaction that no node has been sent yet; without the id, which the database gives it. */
export function newRow(
  entry: {
    chainId: number
    signer: Address
    nonce: number
    to: Address
    data: Hex
    authorizations: ChainAuthorization[]
    gasLimit: bigint
    signedFor: StepRef[]
  },
  now: number,
): Omit<TransactionRow, 'id'> {
  return {
    chain_id: entry.chainId,
    signer: entry.signer,
    nonce: entry.nonce,
    to_address: entry.to,
    data: entry.data,
    authorizations: JSON.stringify(entry.authorizations),
    gas_limit: Number(entry.gasLimit),
    signed_for: JSON.stringify(entry.signedFor),
    status: 'open',
    mined_hash: null,
    mined_block: null,
    mined_block_hash: null,
    send_outcome: null,
    sent_at: null,
    signed_at: now,
    due_at: now + longestPutOffMs.transactions,
    created_at: now,
    updated_at: now,
  }
}

export function formColumns(transactionId: number | Knex.QueryBuilder, form: SignedForm, now: number) {
  return {
    hash: form.hash,
    transaction_id: transactionId,
    raw: form.raw,
    max_fee_per_gas: form.maxFeePerGas.toString(),
    max_priority_fee_per_gas: form.maxPriorityFeePerGas.toString(),
    is_cancel: form.isCancel,
    created_at: now,
  }
}
