import type { Knex } from 'knex'
import { columns } from '../columns.js'
import { createTable } from '../createTable.js'

/** Whose money the vaults hold, and what has been paid out on it. */
export async function createMoneyTables(knex: Knex): Promise<void> {
  const column = columns(knex)

  // Which step a user's transaction backs. A transaction has one sender, so of its rows one at most can be verified.
  await createTable(knex, 'payments', (t) => {
    t.bigInteger('chain_id').notNullable()
    column.hash(t, 'hash').notNullable()
    column.address(t, 'user').notNullable()
    column.actionId(t).notNullable()
    t.integer('intent_index').notNullable()
    t.integer('step_index').notNullable()
    // True when the registration carried the user's signature.
    t.boolean('signed').notNullable()
    column.time(t, 'created_at').notNullable()
    t.primary(['chain_id', 'hash', 'user'])
    t.unique(['action_id', 'intent_index', 'step_index'])
  })

  // What arrived in the vault for a user; one row per log, ever.
  await createTable(knex, 'credits', (t) => {
    t.bigIncrements('id')
    t.bigInteger('chain_id').notNullable()
    column.hash(t, 'transaction_hash').notNullable()
    t.integer('log_index').notNullable()
    column.address(t, 'user').notNullable()
    column.address(t, 'token').notNullable()
    // In the token's smallest unit: what arrived, what of it can be used, and what is set aside. The rest was spent or
    // withdrawn, or has made an exposure good.
    column.amount(t, 'amount').notNullable()
    column.amount(t, 'available').notNullable()
    column.amount(t, 'reserved').notNullable()
    // The action that the credit was earned in; null: it was recorded by itself, as a deposit.
    column.actionId(t).nullable()
    // True while anything is available or reserved.
    t.boolean('is_open').notNullable()
    t.bigInteger('block_number').notNullable()
    column.hash(t, 'block_hash').notNullable()
    // True once a reorganisation has taken the log away; `log_index` is then below 0, so that the log may come again.
    t.boolean('is_lost').notNullable().defaultTo(false)
    column.time(t, 'created_at').notNullable()
    t.unique(['chain_id', 'transaction_hash', 'log_index'])
    t.index(['user', 'is_open', 'id'])
    t.index(['action_id'])
    t.index(['chain_id', 'block_number'])
  })

  // What a step has taken of a credit.
  await createTable(knex, 'reservations', (t) => {
    column.actionId(t)
    t.integer('intent_index').notNullable()
    t.integer('step_index').notNullable()
    t.bigInteger('credit_id').notNullable().index()
    // In the credit's token.
    column.amount(t, 'amount').notNullable()
    // `reserved` or `spent`; a released one is deleted.
    column.word(t, 'status').notNullable()
    column.time(t, 'created_at').notNullable()
    t.primary(['action_id', 'intent_index', 'step_index', 'credit_id'])
  })

  // What the solver has given a user without credit on a day, where a test deployment allows it.
  await createTable(knex, 'open_funding', (t) => {
    column.address(t, 'user').notNullable()
    t.bigInteger('chain_id').notNullable()
    column.address(t, 'token').notNullable()
    // Unix days.
    t.integer('day').notNullable()
    column.amount(t, 'amount').notNullable()
    t.primary(['user', 'chain_id', 'token', 'day'])
  })

  // What a step has taken of open funding; given back when the step fails.
  await createTable(knex, 'open_grants', (t) => {
    column.actionId(t)
    t.integer('intent_index').notNullable()
    t.integer('step_index').notNullable()
    // The transfer's position among the step's solver transfers.
    t.integer('transfer_index').notNullable()
    column.address(t, 'user').notNullable()
    t.bigInteger('chain_id').notNullable()
    column.address(t, 'token').notNullable()
    t.integer('day').notNullable()
    column.amount(t, 'amount').notNullable()
    // `reserved` or `spent`; one that was given back is deleted.
    column.word(t, 'status').notNullable()
    t.primary(['action_id', 'intent_index', 'step_index', 'transfer_index'])
  })

  // What the solver has paid on the strength of something that a reorganisation took away afterwards.
  await createTable(knex, 'exposures', (t) => {
    t.bigIncrements('id')
    // `credit`: a user's payment is gone and was drawn on. `payout`: a payout happened after
    // all whose credit was released.
    column.word(t, 'kind').notNullable()
    t.bigInteger('chain_id').notNullable()
    column.hash(t, 'transaction_hash').notNullable()
    column.address(t, 'user').notNullable()
    column.address(t, 'token').notNullable()
    // In the token's smallest unit: the whole exposure, and the part that is not made good yet.
    column.amount(t, 'amount').notNullable()
    column.amount(t, 'open_amount').notNullable()
    // The credit that is gone; null for `payout`.
    t.bigInteger('credit_id').nullable().index()
    column.time(t, 'found_at').notNullable()
    // When nothing was open any more, or an operator had settled the rest; null: something is open.
    column.time(t, 'resolved_at').nullable().index()
    t.index(['chain_id', 'transaction_hash'])
  })

  // The sums of the ledger per user and token, kept in the same database transactions as its entries.
  await createTable(knex, 'balances', (t) => {
    column.address(t, 'user').notNullable()
    t.bigInteger('chain_id').notNullable()
    column.address(t, 'token').notNullable()
    // Credit in the vault that can fund solver transfers, and what is set aside of it.
    column.amount(t, 'available').notNullable()
    column.amount(t, 'reserved').notNullable()
    // Recorded in the user's own account; funds nothing. Below zero while a reorganisation has taken away a deposit
    // that the user has withdrawn since.
    column.amount(t, 'wallet').notNullable()
    t.primary(['user', 'chain_id', 'token'])
  })

  // Double entry: each row moves `amount` from one account to another, and names what caused it.
  await createTable(knex, 'ledger', (t) => {
    t.bigIncrements('id')
    column.word(t, 'cause', 191).notNullable().unique()
    column.word(t, 'debit').notNullable()
    column.word(t, 'credit').notNullable()
    column.address(t, 'user').nullable()
    t.bigInteger('chain_id').notNullable()
    column.address(t, 'token').notNullable()
    column.amount(t, 'amount').notNullable()
    column.time(t, 'created_at').notNullable()
    t.index(['chain_id', 'token', 'id'])
    t.index(['user', 'id'])
  })
}
