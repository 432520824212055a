/**
 * Fills a database as years of work would, in a process of its own: a thousand finished actions through the store, and
 * then copies of their rows under other ids, made by the database itself.
 */
import { randomHash, aNewAction, stepOf } from '../../test/support/builders.js'
import type { Database } from '../../server/store/database.js'
import { createStore } from '../../server/store/store.js'
import { openDatabase } from './databases.js'

export type Growth = {
  actions: number
  /** Copies of copies: each round makes the tables six times as large. */
  rounds: number
}

export type Grown = { users: string[]; actionIds: string[]; hashes: string[]; actions: number }

/** How many copies a round makes of each row. */
const copies = [1, 2, 3, 4, 5]
const digits = '0123456789abcdef'
/** Columns that a copy needs others of. */
const varied: Record<string, string[]> = {
  actions: ['id', 'user'],
  intents: ['action_id', 'signed_key', 'signature_hash'],
  steps: ['action_id', 'user', 'transaction_hash', 'step_key'],
  events: ['action_id'],
  payments: ['action_id', 'hash', 'user'],
  credits: ['transaction_hash', 'user', 'action_id'],
  balances: ['user'],
  ledger: ['cause', 'user'],
  venue_tx_hashes: ['address', 'tx_hash'],
}

const database = openDatabase(process.env.DATABASE_URL!)
await database.migrate()

async function grow({ actions, rounds }: Growth): Promise<Grown> {
  const grown: Grown = { users: [], actionIds: [], hashes: [], actions: 0 }
  for (let index = 0; index < actions; index++) {
    const finished = await finishedAction(database)
    grown.users.push(finished.user)
    grown.actionIds.push(finished.actionId)
    grown.hashes.push(finished.hash)
  }
  for (let round = 0; round < rounds; round++) {
    for (const [table, columns] of Object.entries(varied)) await copy(database, table, columns, round)
  }
  if (database.kind === 'mysql') await database.knex.raw(`ANALYZE TABLE ${Object.keys(varied).join(', ')}`)
  const counted = await database.knex('actions').count({ found: '*' }).first()
  await database.close()
  return { ...grown, actions: Number(counted!['found']) }
}

/** Paid, and the solver's step not asked for. */
async function finishedAction(on: Database) {
  const store = createStore(on)
  const entry = aNewAction()
  const { user, actionId } = entry.action
  await store.insertAction(entry)
  const [ref, hash, now] = [stepOf(entry, 0, 0), randomHash(), Date.now()]
  const order = { action: 'register', hash, signed: false } as const
  await store.requestStep({ ref, order, needs: [], intentSigned: false }, now)
  const place = { transactionHash: hash, blockNumber: 7, blockHash: randomHash() }
  const token = entry.action.intents[0]!.chainBatches[0]!.tokenTransfers[0]!.token
  const arrivals = [{ chainId: 1, logIndex: 0, user, token, amount: 100n, ...place }]
  await store.settleStep(ref, { status: 'success', confirmations: 1, arrivals, payouts: [], ...place }, now)
  const venue = { address: user, txHash: hash, actionType: 'trade', venue: 'somewhere', chainId: 1 }
  await store.venueTxHashes.insert(venue, now)
  return { user, actionId, hash }
}

async function copy(on: Database, table: string, columns: string[], round: number): Promise<void> {
  const names = Object.keys(await on.knex(table).columnInfo()).filter((name) => name !== 'id' || columns.includes('id'))
  const quoted = names.map((name) => on.knex.ref(name).toString())
  // All in one statement, so that none copies what another has made.
  const selects = copies.map((by) => {
    const values = names.map((name, index) =>
      columns.includes(name) ? other(on, name, quoted[index]!, round, by) : quoted[index]!,
    )
    return `SELECT ${values.join(', ')} FROM ${table}`
  })
  await on.knex.raw(`INSERT INTO ${table} (${quoted.join(', ')}) ${selects.join(' UNION ALL ')}`)
}

/** The column with one digit raised by so much, modulo 16; null stays null. A cause is told apart by what is added. */
function other(on: Database, name: string, column: string, round: number, by: number): string {
  const place = placeOf(name, round)
  const digit = `substr('${digits.slice(by)}${digits}', instr('${digits}', substr(${column}, ${place}, 1)), 1)`
  const parts =
    name === 'cause'
      ? [column, `':${round}.${by}'`]
      : [`substr(${column}, 1, ${place - 1})`, digit, `substr(${column}, ${place + 1})`]
  return on.kind === 'mysql' ? `CONCAT(${parts.join(', ')})` : parts.join(' || ')
}

/** Which digit, counted from 1: behind `0x`, or behind the time that an id begins with, which lists go by. */
function placeOf(column: string, round: number): number {
  return column === 'id' || column === 'action_id' ? 26 + round : 3 + round
}

process.on('message', (growth: Growth) => {
  void grow(growth).then((grown) => process.send!(grown))
})
process.once('disconnect', () => process.exit(0))
process.send!('ready')
