import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'
import type { Address } from 'viem'
import type { Database } from './connection/database.js'
import { isWriteRefused } from './connection/databaseErrors.js'
import { ownAccount, type TransactionRow } from './rows.js'

/** As long as several of SQLite's pages, for which a file that can't grow has no room. */
const sqliteProbe = 'x'.repeat(16_384)
/** How long a refused write counts for more than an accepted probe: on a full disk a small write may still fit. */
const doubtfulMs = 4_000

/**
 * Whether the database takes writes: none was refused a moment ago, and a probe row is written and deleted.
 * The probe need not be durable, and has a random name, so that replicas don't wait for each other. Throws
 * where the database does not answer.
 */
export async function takesWrites(database: Database, now: number): Promise<boolean> {
  if (database.notRefusedForMs() < doubtfulMs) return false
  const row = { name: randomUUID(), value: database.kind === 'sqlite' ? sqliteProbe : 'probe', updated_at: now }
  try {
    await database.transact(
      async (trx) => {
        await trx('service_state').insert(row)
        await trx('service_state').where({ name: row.name }).delete()
      },
      { durable: false, patient: false },
    )
    return true
  } catch (error) {
    if (isWriteRefused(error)) return false
    throw error
  }
}

/**
 * How many executing steps and airdrops of a chain no transaction carries yet, how many reported deposits nobody has
 * looked at though they are due, and since when the oldest of them all has waited, in unix milliseconds. A payment
 * waits for its user; it counts only where it is due and the engine has not looked for it.
 */
export type WaitingWork = { chainId: number; steps: number; airdrops: number; deposits: number; oldestAt: number }

/** What waits, for every chain on which something does. */
export async function readWaiting(database: Database): Promise<WaitingWork[]> {
  const { knex } = database
  const [steps, airdrops, deposits] = await Promise.all([
    countByChain(waitingSteps(database), "case when kind = 'payment' then due_at else updated_at end"),
    countByChain(knex('airdrops').where(...isDue), 'asked_at'),
    countByChain(
      knex('deposits')
        .where(...isDue)
        .where('due_at', '<=', database.atOnce()),
      'due_at',
    ),
  ])
  const chains = new Map<number, WaitingWork>()
  for (const [kind, counts] of Object.entries({ steps, airdrops, deposits })) {
    for (const { chainId, found, oldestAt } of counts) {
      const before = chains.get(chainId) ?? { chainId, steps: 0, airdrops: 0, deposits: 0, oldestAt }
      chains.set(chainId, { ...before, [kind]: found, oldestAt: Math.min(before.oldestAt, oldestAt) })
    }
  }
  return [...chains.values()]

  /** `oldest`: the column, or expression, that says since when a row has waited. */
  async function countByChain(query: Knex.QueryBuilder, oldest: string) {
    const rows = (await query
      // `+` keeps SQLite from walking through the whole table by an index on the column.
      .groupByRaw('+chain_id')
      .select(knex.raw(`min(chain_id) as chain_id, count(*) as found, min(${oldest}) as oldest`))) as {
      chain_id: number | string
      found: number | string
      oldest: number | string
    }[]
    return rows.map((row) => ({
      chainId: Number(row.chain_id),
      found: Number(row.found),
      oldestAt: Number(row.oldest),
    }))
  }
}

/** What the engine is to look at some time. Not `is not null`, for which SQLite would not use the index. */
const isDue = ['due_at', '>=', 0] as const

function waitingSteps(database: Database) {
  const { knex } = database
  return (
    knex('steps')
      .where(...isDue)
      .where((these) => these.whereNot({ kind: 'payment' }).orWhere('due_at', '<=', database.atOnce()))
      // A step that waits for the one before it, perhaps a payment by the user, is not late itself.
      .whereNotExists((previous) =>
        previous
          .select(knex.raw('1'))
          .from('steps as before')
          .where('before.action_id', knex.ref('steps.action_id'))
          .where('before.intent_index', knex.ref('steps.intent_index'))
          .where('before.step_index', knex.raw('steps.step_index - 1'))
          .where('before.status', 'executing'),
      )
      // Nor is one that waits for its user's account, which another of his steps has.
      .whereNotExists((holder) =>
        holder
          .select(knex.raw('1'))
          .from('steps as holder')
          .where('holder.open_account', ownAccount(knex))
          .where('steps.kind', 'delegated')
          .whereNull('steps.open_account'),
      )
  )
}

/**
 * Transactions of a chain that are mined in this block or before, and are not settled: ours that were signed before
 * this time, and users' payments of which nothing new was seen since.
 */
export async function readUnsettled(
  database: Database,
  chainId: number,
  until: { since: number; block: number },
): Promise<{ count: number; lowestBlock: number | null }> {
  const { knex } = database
  const ours = knex('transactions')
    .where({ chain_id: chainId, status: 'open' })
    .where('mined_block', '<=', until.block)
    .where('created_at', '<', until.since)
    .first(knex.raw('count(*) as found, min(mined_block) as lowest'))
  // Whoever is to be looked at is due at some time, and few are; by their blocks all steps of the chain would be read,
  // which took SQLite, and so the process, three seconds and more among a million actions.
  const payments = knex(database.by('steps', 'steps_due_at_chain_id_index'))
    .where('due_at', '>=', 0)
    .where({ chain_id: chainId, kind: 'payment', status: 'executing' })
    .where('block_number', '<=', until.block)
    .where('updated_at', '<', until.since)
    .first(knex.raw('count(*) as found, min(block_number) as lowest'))
  const rows = (await Promise.all([ours, payments])) as { found: number | string; lowest: number | string | null }[]
  const lowest = rows.flatMap((row) => (row.lowest === null ? [] : Number(row.lowest)))
  return {
    count: rows.reduce((sum, row) => sum + Number(row.found), 0),
    lowestBlock: lowest.length === 0 ? null : Math.min(...lowest),
  }
}

/**
 * Transactions of a chain that were signed before this time and have not been seen mined. Grouped by signer here and
 * not by the database, for the reason given in `countOpenTransactions`.
 */
export async function readStuck(
  database: Database,
  chainId: number,
  before: number,
): Promise<{
  open: number
  count: number
  lowestNonce: number | null
  signers: Address[]
  /** Those of the signers that could not pay for a transaction as it was sent last. */
  unfunded: Address[]
}> {
  const open = database.knex('transactions').where({ chain_id: chainId, status: 'open' })
  const [all, stuck] = await Promise.all([
    open.clone().count({ found: '*' }).first(),
    open
      .clone()
      .whereNull('mined_block')
      .where('created_at', '<', before)
      .select<Pick<TransactionRow, 'signer' | 'nonce' | 'send_outcome'>[]>('signer', 'nonce', 'send_outcome'),
  ])
  const lowestNonce = stuck.reduce((lowest, { nonce }) => Math.min(lowest, nonce), Infinity)
  return {
    open: Number(all?.['found'] ?? 0),
    count: stuck.length,
    lowestNonce: stuck.length > 0 ? lowestNonce : null,
    signers: signersOf(stuck),
    unfunded: signersOf(stuck.filter(({ send_outcome }) => send_outcome === 'unfunded')),
  }
}

function signersOf(transactions: readonly Pick<TransactionRow, 'signer'>[]): Address[] {
  return [...new Set(transactions.map(({ signer }) => signer))]
}
