import type { Knex } from 'knex'
import { columns } from '../columns.js'
import { createTable } from '../createTable.js'

/** The journal: lanes, the transactions on them, and every signed form. */
export async function createJournalTables(knex: Knex): Promise<void> {
  const column = columns(knex)

  // One row per (chain, signer): the next nonce to sign.
  await createTable(knex, 'lanes', (t) => {
    t.bigInteger('chain_id').notNullable()
    column.address(t, 'signer').notNullable()
    t.bigInteger('next_nonce').notNullable()
    // `active`, `paused`, `ahead`, `pausedAhead` or `retired`; see `store/journal/lanes.ts`
    column.word(t, 'status').notNullable()
    // Why it is paused; null while active.
    column.message(t, 'reason').nullable()
    column.time(t, 'updated_at').notNullable()
    t.primary(['chain_id', 'signer'])
  })

  // One row per nonce ever taken. What a transaction does never changes, but for its cancel, which does nothing.
  await createTable(knex, 'transactions', (t) => {
    t.bigIncrements('id')
    t.bigInteger('chain_id').notNullable()
    column.address(t, 'signer').notNullable()
    t.bigInteger('nonce').notNullable()
    column.address(t, 'to_address').notNullable()
    column.large(t, 'data').notNullable()
    // JSON list of EIP-7702 tuples, [] for a type-2 transaction.
    column.large(t, 'authorizations').notNullable()
    t.bigInteger('gas_limit').notNullable()
    // JSON list of the steps that it was signed for, [] for an airdrop and a filler;
    // `steps.transaction_id` names the newest.
    column.large(t, 'signed_for').notNullable()
    // `open` until it is `final`, or `lost`: something else has used its nonce, as an operator has found
    column.word(t, 'status').notNullable()
    // Which form was last seen mined, and where; null while none is.
    column.hash(t, 'mined_hash').nullable()
    t.bigInteger('mined_block').nullable()
    column.hash(t, 'mined_block_hash').nullable()
    // What the node said to the last send; null before the first answer.
    column.word(t, 'send_outcome').nullable()
    column.time(t, 'sent_at').nullable()
    // Since when the newest form waits for a block: since it was signed or, for the first
    // form, since it was first sent.
    column.time(t, 'signed_at').notNullable()
    // When the engine is to look at the transaction next even if no block mentions it, by the
    // clock of the process that sent it.
    column.time(t, 'due_at').nullable()
    column.time(t, 'created_at').notNullable()
    column.time(t, 'updated_at').notNullable()
    t.unique(['chain_id', 'signer', 'nonce'])
    t.index(['chain_id', 'status', 'due_at'])
    t.index(['chain_id', 'status', 'mined_block'])
  })

  // Every signed form of a transaction, stored before it is sent. (`steps.attempts` counts
  // something else: tries of a step.)
  await createTable(knex, 'attempts', (t) => {
    column.hash(t, 'hash').primary()
    t.bigInteger('transaction_id').notNullable().index()
    column.large(t, 'raw').notNullable()
    column.amount(t, 'max_fee_per_gas').notNullable()
    column.amount(t, 'max_priority_fee_per_gas').notNullable()
    t.boolean('is_cancel').notNullable()
    column.time(t, 'created_at').notNullable()
  })
}
