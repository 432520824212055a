import type { Knex } from 'knex'
import { columns } from '../columns.js'
import { createTable } from '../createTable.js'

/** Actions, their intents and steps, and what clients have seen of them. */
export async function createActionsTables(knex: Knex): Promise<void> {
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
    // The block that the step's end rests on: after a success, or after a failure that was paid by a transaction which
    // the journal does not have. Null otherwise.
    column.hash(t, 'block_hash').nullable()
    t.integer('confirmations').notNullable().defaultTo(0)
    t.integer('required_confirmations').notNullable()
    // How often the step's end was undone: by a reorganisation deeper than the confirmations, or by a late transaction.
    t.integer('reopenings').notNullable().defaultTo(0)
    // How often the step has been asked for and tried.
    t.integer('attempts').notNullable().defaultTo(0)
    // How many of the attempts ended for a reason that was not the step's own; these don't count against the limit.
    t.integer('excused').notNullable().defaultTo(0)
    // How often setting credit aside for the step was begun. It exists to be changed: two nodes of a cluster that set
    // credit aside at once then conflict at COMMIT, which their row locks do not.
    t.integer('reservation_rounds').notNullable().defaultTo(0)
    column.word(t, 'error_code').nullable()
    column.message(t, 'error_message').nullable()
    t.boolean('error_retryable').nullable()
    // The key by which the vault remembers the step's payout. Null until first prepared, and again where its payment
    // goes over to another step, or the vault has paid under the key for another.
    column.hash(t, 'step_key').nullable().unique()
    // The journal's transaction that carries the step, or that the step has ended with.
    // Null: none yet, or none any more.
    t.bigInteger('transaction_id').nullable()
    // True: the step came to nothing in a bundle, or by an operator's key without its right, and
    // shares no transaction any more.
    t.boolean('alone').notNullable().defaultTo(false)
    // The account, `{chainId}:{user}`, while this is the user's one open 7702 step on the chain. Null otherwise.
    column.word(t, 'open_account', 80).nullable().unique()
    // True: once it succeeds, the solver's steps that directly follow are asked for too.
    t.boolean('follow').notNullable().defaultTo(false)
    // W3C `traceparent` of the request that asked for the step last, with that request's own span. Null: none has yet.
    column.word(t, 'traceparent', 55).nullable()
    // Milliseconds for which the chain has answered that it does not know the transaction; outages don't count.
    t.integer('unseen_ms').notNullable().defaultTo(0)
    // When the engine is to look at the step next, by the database's clock; pushed forward by whoever
    // claims it. Null: nothing to do.
    column.time(t, 'due_at').nullable()
    column.time(t, 'created_at').notNullable()
    column.time(t, 'updated_at').notNullable()
    t.primary(['action_id', 'intent_index', 'step_index'])
    t.index(['due_at', 'chain_id'])
    t.index(['transaction_id'])
    t.index(['transaction_hash'])
    t.index(['chain_id', 'block_number'])
  })

  await createTable(knex, 'events', (t) => {
    column.actionId(t)
    // 1, 2, 3 … per action, without a gap.
    t.integer('sequence').notNullable()
    // JSON: the step as clients saw it then, and its `traceparent`.
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
}
