import type { Knex } from 'knex'
import { columns } from '../columns.js'
import { createTable } from '../createTable.js'

/** What clients report and ask for beside actions. */
export async function createRecordsTables(knex: Knex): Promise<void> {
  const column = columns(knex)

  // Deposits and withdrawals as clients report them, until the chain has confirmed or refuted them.
  await createTable(knex, 'deposits', (t) => {
    t.bigIncrements('id')
    // keccak256 of what was reported: the same report again is the same row.
    column.hash(t, 'report_hash').notNullable()
    // 0, 1, 2 …: counts rows of the same report, of which each is for a further movement of the transaction.
    t.integer('occurrence').notNullable()
    column.address(t, 'user').notNullable()
    t.bigInteger('chain_id').notNullable()
    column.hash(t, 'transaction_hash').notNullable()
    column.address(t, 'sender').notNullable()
    column.address(t, 'token').notNullable()
    column.amount(t, 'amount').notNullable()
    t.boolean('is_deposit').notNullable()
    // `pending`, `recorded` or `refused`
    column.word(t, 'status').notNullable()
    // `vault` or `wallet`; null until recorded.
    column.word(t, 'custody').nullable()
    // The block that the record rests on; null until recorded.
    t.bigInteger('block_number').nullable()
    column.hash(t, 'block_hash').nullable()
    // How often a reorganisation deeper than the confirmations has undone the record.
    t.integer('reopenings').notNullable().defaultTo(0)
    t.integer('confirmations').notNullable().defaultTo(0)
    t.integer('required_confirmations').notNullable()
    // Milliseconds for which the chain has answered that it does not know the transaction; outages don't count.
    t.integer('unseen_ms').notNullable().defaultTo(0)
    // True: recorded, and the transaction holds further movements that the same report fits.
    t.boolean('may_repeat').notNullable().defaultTo(false)
    column.word(t, 'error_code').nullable()
    column.message(t, 'error_message').nullable()
    // When the engine is to look at it next, by the database's clock; null: nothing to do.
    column.time(t, 'due_at').nullable()
    // When it was last reported, and when it was recorded; null: not yet.
    column.time(t, 'reported_at').notNullable()
    column.time(t, 'recorded_at').nullable()
    t.unique(['report_hash', 'occurrence'])
    t.index(['due_at', 'chain_id'])
    t.index(['chain_id', 'transaction_hash'])
    t.index(['chain_id', 'block_number'])
    t.index(['status', 'reported_at'])
  })

  // The movements that the records stand for. The key lets each be recorded once per direction and custody.
  await createTable(knex, 'deposit_logs', (t) => {
    // `{in|out}:{vault|wallet}:{chainId}:{hash}:{logIndex}`
    column.word(t, 'log_key', 120).primary()
    t.bigInteger('deposit_id').notNullable().index()
  })

  // One row per airdrop; the one of a wallet's highest round is its newest.
  await createTable(knex, 'airdrops', (t) => {
    t.bigInteger('chain_id').notNullable()
    column.address(t, 'token').notNullable()
    column.address(t, 'wallet').notNullable()
    // 1, 2, 3 … per (chain, token, wallet); the vault's key binds it, so that each is paid once.
    t.integer('round').notNullable()
    column.amount(t, 'amount').notNullable()
    // `executing`, `success` or `error`
    column.word(t, 'status').notNullable()
    column.hash(t, 'transaction_hash').nullable()
    // The journal's transaction that carries it. Null: none yet, or another transaction has paid it.
    t.bigInteger('transaction_id').nullable().index()
    // The block that the payment rests on; null until it is paid.
    t.bigInteger('block_number').nullable()
    column.hash(t, 'block_hash').nullable()
    column.message(t, 'error_message').nullable()
    // When the engine is to look at it next, by the database's clock; null: nothing to do.
    column.time(t, 'due_at').nullable()
    // When it was asked for. If it is paid, the wallet's period begins then.
    column.time(t, 'asked_at').notNullable()
    t.primary(['chain_id', 'token', 'wallet', 'round'])
    t.index(['due_at', 'chain_id'])
    t.index(['chain_id', 'block_number'])
  })

  await createTable(knex, 'venue_tx_hashes', (t) => {
    t.bigIncrements('id')
    column.address(t, 'address').notNullable()
    column.hash(t, 'tx_hash').notNullable()
    column.label(t, 'action_type').notNullable()
    column.label(t, 'venue').notNullable()
    t.bigInteger('chain_id').notNullable()
    column.time(t, 'created_at').notNullable()
    t.unique(['address', 'tx_hash', 'action_type', 'venue', 'chain_id'], { indexName: 'venue_tx_hashes_once' })
    // With the labels at the end, by which records are filtered, so that no row is read that does not fit.
    t.index(['address', 'created_at', 'id', 'venue', 'action_type'])
    t.index(['tx_hash', 'created_at', 'id', 'venue', 'action_type'])
  })
}
