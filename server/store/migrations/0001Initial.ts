import type { Knex } from 'knex'
import { columns } from './columns.js'
import { createTable } from './createTable.js'

export async function up(knex: Knex): Promise<void> {
  const column = columns(knex)

  await createTable(knex, 'actions', (t) => {
    column.actionId(t, 'id').primary()
    column.address(t, 'user').notNullable()
    // SHA-256 of the normalised request; tells a repeated request from another one.
    column.hash(t, 'body_hash').notNullable()
    // JSON list of EIP-7702 tuples.
    column.large(t, 'authorizations').notNullable()
    column.word(t, 'status').notNullable()
    // How many events the action has; the last one's sequence number.
    t.integer('event_count').notNullable().defaultTo(0)
    column.time(t, 'created_at').notNullable()
    column.time(t, 'updated_at').notNullable()
    t.index(['user', 'id'])
    t.index(['user', 'status', 'id'])
    t.index(['status', 'id'])
  })

  await createTable(knex, 'intents', (t) => {
    column.actionId(t)
    t.integer('intent_index').notNullable()
    column.word(t, 'mode').notNullable()
    // JSON of the whole intent as the domain knows it, signatures included.
    column.large(t, 'intent').notNullable()
    // JSON list of the batches as anyone may see them: chain and token transfers, without calls and signatures.
    column.large(t, 'batches').notNullable()
    // Mode 7702: keccak256(user, digest); one signed intent exists once. Null in the other modes.
    column.hash(t, 'signed_key').nullable().unique()
    // Mode 7702: keccak256 of the signature, by which legacy clients ask. Null in the other modes.
    column.hash(t, 'signature_hash').nullable()
    column.word(t, 'status').notNullable()
    column.time(t, 'created_at').notNullable()
    column.time(t, 'updated_at').notNullable()
    t.primary(['action_id', 'intent_index'])
    t.index(['signature_hash'])
  })

  await createTable(knex, 'steps', (t) => {
    column.actionId(t)
    t.integer('intent_index').notNullable()
    t.integer('step_index').notNullable()
    column.address(t, 'user').notNullable()
    column.word(t, 'mode').notNullable()
    column.word(t, 'kind').notNullable()
    t.bigInteger('chain_id').notNullable()
    column.word(t, 'status').notNullable()
    // The transaction that carries the step, or that the user registered. Null until one exists.
    column.hash(t, 'transaction_hash').nullable()
    t.bigInteger('block_number').nullable()
    // The block that its end rests on; null until it has succeeded.
    column.hash(t, 'block_hash').nullable()
    t.integer('confirmations').notNullable().defaultTo(0)
    t.integer('required_confirmations').notNullable()
    // How often a reorganisation deeper than the confirmations has undone its success.
    t.integer('reopenings').notNullable().defaultTo(0)
    // How often the step has been asked for and tried.
    t.integer('attempts').notNullable().defaultTo(0)
    // How many of them ended for a reason that was not the step's own; they don't count against the limit.
    t.integer('excused').notNullable().defaultTo(0)
    // How often setting credit aside for it was begun. It is there to be changed: two nodes of a cluster that do so at
    // once then meet at COMMIT, where their locks do not.
    t.integer('reservation_rounds').notNullable().defaultTo(0)
    column.word(t, 'error_code').nullable()
    column.message(t, 'error_message').nullable()
    t.boolean('error_retryable').nullable()
    // What the vault remembers the payout by. Null until first prepared, then fixed.
    column.hash(t, 'step_key').nullable().unique()
    // The journal's transaction that carries the step now. Null: none yet, or the last one is settled.
    t.bigInteger('transaction_id').nullable()
    // `{chainId}:{user}` while a 7702 step is open there, so that only one is. Null otherwise.
    column.word(t, 'open_account', 80).nullable().unique()
    // True: once it succeeds, the solver's steps that directly follow are asked for too.
    t.boolean('follow').notNullable().defaultTo(false)
    // When the user's transaction was last registered; null for other kinds.
    column.time(t, 'registered_at').nullable()
    // For how long the chain has answered that it does not know the transaction; outages don't count.
    t.integer('unseen_ms').notNullable().defaultTo(0)
    // When the engine is to look at the step next; pushed forward by whoever claims it. Null: nothing to do.
    column.time(t, 'due_at').nullable()
    column.time(t, 'created_at').notNullable()
    column.time(t, 'updated_at').notNullable()
    t.primary(['action_id', 'intent_index', 'step_index'])
    t.index(['due_at'])
    t.index(['transaction_id'])
    t.index(['transaction_hash'])
    t.index(['chain_id', 'block_number'])
  })

  await createTable(knex, 'events', (t) => {
    column.actionId(t)
    // 1, 2, 3 … per action, without a gap.
    t.integer('sequence').notNullable()
    // JSON: the step as it was then.
    column.large(t, 'step').notNullable()
    column.time(t, 'created_at').notNullable()
    t.primary(['action_id', 'sequence'])
  })

  await createTable(knex, 'idempotency_keys', (t) => {
    // keccak256(user, key)
    column.hash(t, 'key_hash').primary()
    column.hash(t, 'body_hash').notNullable()
    column.actionId(t).notNullable()
    column.time(t, 'created_at').notNullable().index()
  })

  // One row per (chain, signer): the next nonce to sign.
  await createTable(knex, 'lanes', (t) => {
    t.bigInteger('chain_id').notNullable()
    column.address(t, 'signer').notNullable()
    t.bigInteger('next_nonce').notNullable()
    // `active` or `paused`
    column.word(t, 'status').notNullable()
    // Why it is paused; null while active.
    column.message(t, 'reason').nullable()
    column.time(t, 'updated_at').notNullable()
    t.primary(['chain_id', 'signer'])
  })

  // One row per nonce ever taken. What it carries never changes, but for a cancel.
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
    // `open` until it is `final`, or `lost`: something else has used its nonce, as an operator has found
    column.word(t, 'status').notNullable()
    // Where it was last seen mined; null while it is not.
    column.hash(t, 'mined_hash').nullable()
    t.bigInteger('mined_block').nullable()
    column.hash(t, 'mined_block_hash').nullable()
    // What the node said to the last send; null before the first answer.
    column.word(t, 'send_outcome').nullable()
    column.time(t, 'sent_at').nullable()
    // When its newest form was signed.
    column.time(t, 'signed_at').notNullable()
    // When the engine is to look at it next even if no block mentions it.
    column.time(t, 'due_at').nullable()
    column.time(t, 'created_at').notNullable()
    column.time(t, 'updated_at').notNullable()
    t.unique(['chain_id', 'signer', 'nonce'])
    t.index(['chain_id', 'status', 'due_at'])
    t.index(['chain_id', 'status', 'mined_block'])
  })

  // Every signed form of a transaction, stored before it is sent.
  await createTable(knex, 'attempts', (t) => {
    column.hash(t, 'hash').primary()
    t.bigInteger('transaction_id').notNullable().index()
    column.large(t, 'raw').notNullable()
    column.amount(t, 'max_fee_per_gas').notNullable()
    column.amount(t, 'max_priority_fee_per_gas').notNullable()
    t.boolean('is_cancel').notNullable()
    column.time(t, 'created_at').notNullable()
  })

  // Which step a user's transaction backs. A transaction has one sender, so at most one of its rows can be verified.
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
    // amount = available + reserved + spent, in the token's smallest unit
    column.amount(t, 'amount').notNullable()
    column.amount(t, 'available').notNullable()
    column.amount(t, 'reserved').notNullable()
    // The action it was earned in; null when it was recorded by itself.
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

  // Kept in the same transaction as the ledger, of which it is the sum per user and token.
  await createTable(knex, 'balances', (t) => {
    column.address(t, 'user').notNullable()
    t.bigInteger('chain_id').notNullable()
    column.address(t, 'token').notNullable()
    // Credit in the vault that can fund solver transfers, and what is set aside of it.
    column.amount(t, 'available').notNullable()
    column.amount(t, 'reserved').notNullable()
    // Recorded in the user's own account; funds nothing.
    column.amount(t, 'wallet').notNullable()
    t.primary(['user', 'chain_id', 'token'])
  })

  // Deposits and withdrawals as clients report them, until the chain has confirmed or refuted them.
  await createTable(knex, 'deposits', (t) => {
    t.bigIncrements('id')
    // keccak256 of what was reported: the same report again is the same row.
    column.hash(t, 'report_hash').notNullable()
    // 0, 1, 2 …: the same report again, for a further movement of the transaction.
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
    t.integer('confirmations').notNullable().defaultTo(0)
    t.integer('required_confirmations').notNullable()
    // True: recorded, and the transaction holds further movements that the same report fits.
    t.boolean('may_repeat').notNullable().defaultTo(false)
    column.word(t, 'error_code').nullable()
    column.message(t, 'error_message').nullable()
    // When the engine is to look at it next; null: nothing to do.
    column.time(t, 'due_at').nullable().index()
    // When it was last reported, and when it was recorded; null: not yet.
    column.time(t, 'reported_at').notNullable()
    column.time(t, 'recorded_at').nullable()
    t.unique(['report_hash', 'occurrence'])
    t.index(['chain_id', 'transaction_hash'])
  })

  // The movements that the records stand for; each is recorded once as what it is.
  await createTable(knex, 'deposit_logs', (t) => {
    // `{in|out}:{vault|wallet}:{chainId}:{hash}:{logIndex}`
    column.word(t, 'log_key', 120).primary()
    t.bigInteger('deposit_id').notNullable().index()
  })

  // One row per (chain, token, wallet): its newest airdrop.
  await createTable(knex, 'airdrops', (t) => {
    t.bigInteger('chain_id').notNullable()
    column.address(t, 'token').notNullable()
    column.address(t, 'wallet').notNullable()
    // 1, 2, 3 … per row; the vault's key binds it, so that each is paid once.
    t.integer('round').notNullable()
    column.amount(t, 'amount').notNullable()
    // When the period began in which this round counts, and what earlier rounds have paid in it.
    column.time(t, 'period_start').notNullable()
    column.amount(t, 'paid_before').notNullable()
    // `executing`, `success` or `error`
    column.word(t, 'status').notNullable()
    column.hash(t, 'transaction_hash').nullable()
    t.bigInteger('transaction_id').nullable().index()
    column.message(t, 'error_message').nullable()
    column.time(t, 'due_at').nullable().index()
    column.time(t, 'asked_at').notNullable()
    t.primary(['chain_id', 'token', 'wallet'])
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

  // What a step has taken of it; given back when the step fails.
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
    // `credit`: a user's payment is gone and was drawn on. `payout`: a payout happened after all whose credit was released.
    column.word(t, 'kind').notNullable()
    t.bigInteger('chain_id').notNullable()
    column.hash(t, 'transaction_hash').notNullable()
    column.address(t, 'user').notNullable()
    column.address(t, 'token').notNullable()
    // In the token's smallest unit: what it was, and what is not made good yet.
    column.amount(t, 'amount').notNullable()
    column.amount(t, 'open_amount').notNullable()
    // The credit that is gone; null for `payout`.
    t.bigInteger('credit_id').nullable().index()
    column.time(t, 'found_at').notNullable()
    // When nothing was open any more; null: something is.
    column.time(t, 'resolved_at').nullable().index()
    t.index(['chain_id', 'transaction_hash'])
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

  await createTable(knex, 'venue_tx_hashes', (t) => {
    t.bigIncrements('id')
    column.address(t, 'address').notNullable()
    column.hash(t, 'tx_hash').notNullable()
    column.label(t, 'action_type').notNullable()
    column.label(t, 'venue').notNullable()
    t.bigInteger('chain_id').notNullable()
    column.time(t, 'created_at').notNullable()
    t.unique(['address', 'tx_hash', 'action_type', 'venue', 'chain_id'], { indexName: 'venue_tx_hashes_once' })
    t.index(['address', 'created_at', 'id'])
    t.index(['address', 'venue', 'created_at', 'id'])
    t.index(['address', 'action_type', 'created_at', 'id'])
    t.index(['tx_hash', 'created_at', 'id'])
  })

  // Points that clients have used up, in the form that rate-limiter-flexible keeps them.
  await createTable(knex, 'rate_limits', (t) => {
    t.string('key', 255).primary()
    t.integer('points').notNullable()
    // Unix milliseconds; null: never.
    t.bigInteger('expire').nullable().index()
  })

  // What all replicas keep to, set by an operator: `drain` is `on` or `off`.
  await createTable(knex, 'service_state', (t) => {
    column.word(t, 'name').primary()
    column.word(t, 'value').notNullable()
    column.time(t, 'updated_at').notNullable()
  })

  // The first block of each chain, to notice that another chain answers under its id.
  await createTable(knex, 'chain_identities', (t) => {
    t.bigInteger('chain_id').primary()
    column.hash(t, 'genesis_hash').notNullable()
  })
}

export async function down(): Promise<void> {
  throw new Error('Migrations go forward only; restore a backup instead.')
}
