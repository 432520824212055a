/**
 * Fills a database as years of work would, in a process of its own: a thousand actions with all that becomes of them,
 * and then copies of their rows under other ids, made by the database itself.
 */
import type { Address } from 'viem'
import type { Database } from '../../server/store/connection/database.js'
import { createStore } from '../../server/store/store.js'
import { openDatabase } from './databases.js'
import { finishAction, openSeededLane, type SeededAction, type SeededChain } from './finishAction.js'

export type Growth = {
  actions: number
  /** Copies of copies: each round makes the tables ten times as large. */
  rounds: number
  /** Whose ids and tokens the rows name. */
  chains: [SeededChain, SeededChain]
}

export type Grown = {
  /** The actions that were not copied. */
  seeded: SeededAction[]
  /** Of the lane that has carried the steps. */
  signer: Address
  /** How many there are in all. */
  actions: number
}

/** How many actions are made at once. */
const together = 10
/** How many copies a round makes of each row. */
const copies = [1, 2, 3, 4, 5, 6, 7, 8, 9]
const digits = '0123456789abcdef'
const writeWithinMs = 300_000
/** So many are always about to be written. */
const fewPages = 200

/** What a copy needs others of: identifiers by a digit, texts by a suffix, and numbers by the highest id of a table. */
type Varied = { digits?: string[]; suffixes?: string[]; numbers?: Record<string, string> }

const varied: Record<string, Varied> = {
  actions: { digits: ['id', 'user'] },
  intents: { digits: ['action_id', 'signed_key', 'signature_hash'] },
  steps: { digits: ['action_id', 'user', 'transaction_hash', 'step_key'], numbers: { transaction_id: 'transactions' } },
  events: { digits: ['action_id'] },
  idempotency_keys: { digits: ['key_hash', 'action_id'] },
  transactions: { digits: ['mined_hash'], numbers: { id: 'transactions', nonce: 'transactions' } },
  attempts: { digits: ['hash'], numbers: { transaction_id: 'transactions' } },
  payments: { digits: ['action_id', 'hash', 'user'] },
  credits: { digits: ['transaction_hash', 'user', 'action_id'], numbers: { id: 'credits' } },
  reservations: { digits: ['action_id'], numbers: { credit_id: 'credits' } },
  balances: { digits: ['user'] },
  ledger: { digits: ['user'], suffixes: ['cause'], numbers: { id: 'ledger' } },
  deposits: { digits: ['report_hash', 'transaction_hash', 'user', 'sender'], numbers: { id: 'deposits' } },
  deposit_logs: { suffixes: ['log_key'], numbers: { deposit_id: 'deposits' } },
  airdrops: { digits: ['wallet', 'transaction_hash'] },
  venue_tx_hashes: { digits: ['address', 'tx_hash'], numbers: { id: 'venue_tx_hashes' } },
}

const database = openDatabase(process.env.DATABASE_URL!)
await database.migrate()

async function grow({ actions, rounds, chains }: Growth): Promise<Grown> {
  const seeded: SeededAction[] = []
  const store = createStore(database)
  const signer = await openSeededLane(store, chains)
  if (database.kind === 'sqlite') await database.knex.raw('PRAGMA synchronous = OFF')
  for (let index = 0; index < actions; index += together) {
    const indices = Array.from({ length: Math.min(together, actions - index) }, (_, offset) => index + offset)
    seeded.push(...(await Promise.all(indices.map((one) => finishAction(store, { index: one, chains, signer })))))
  }
  // Of today, or the first sweeps would have all of them to remove.
  await database.knex('idempotency_keys').update({ created_at: Date.now() })
  await writeUnsafely(database)
  for (let round = 0; round < rounds; round++) {
    const highest = await highestIds(database)
    for (const [table, columns] of Object.entries(varied)) await copy(database, { table, ...columns, highest }, round)
  }
  await settle(database)
  const counted = await database.knex('actions').count({ found: '*' }).first()
  await database.close()
  return { seeded, signer, actions: Number(counted!['found']) }
}

/** What is lost when the copying is cut short is thrown away anyway. */
async function writeUnsafely({ kind, knex }: Database): Promise<void> {
  if (kind === 'mysql') return
  for (const pragma of ['journal_mode = OFF', 'cache_size = -1000000']) {
    await knex.raw(`PRAGMA ${pragma}`)
  }
}

/**
 * Leaves the database as one is that has grown slowly: MariaDB knows its tables' sizes and has
 * written its pages, SQLite its log.
 */
async function settle({ kind, knex }: Database): Promise<void> {
  if (kind === 'mysql') {
    await knex.raw(`ANALYZE TABLE ${Object.keys(varied).join(', ')}`)
    await writePages(knex)
    return
  }
  await knex.raw('PRAGMA journal_mode = WAL')
  await knex.raw('PRAGMA wal_checkpoint(TRUNCATE)')
}

/**
 * Left to themselves they are written for minutes, and whoever needs room for another page meanwhile waits for that.
 */
async function writePages(knex: Database['knex']): Promise<void> {
  await knex.raw('SET GLOBAL innodb_max_dirty_pages_pct = 0')
  for (const deadline = Date.now() + writeWithinMs; ;) {
    const [[status]] = (await knex.raw("SHOW GLOBAL STATUS LIKE 'Innodb_buffer_pool_pages_dirty'")) as [
      [{ Value: string }],
    ]
    if (Number(status.Value) < fewPages) break
    if (Date.now() > deadline) throw new Error(`${status.Value} pages of the database are still to be written`)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  await knex.raw('SET GLOBAL innodb_max_dirty_pages_pct = 90')
}

/** By table, of those that number their rows. */
async function highestIds({ knex }: Database): Promise<Record<string, number>> {
  const tables = new Set(Object.values(varied).flatMap(({ numbers = {} }) => Object.values(numbers)))
  const highest: Record<string, number> = {}
  for (const table of tables) {
    const row = await knex(table).max({ id: 'id' }).first()
    highest[table] = Number(row!['id'])
  }
  return highest
}

type Copying = Varied & { table: string; highest: Record<string, number> }

async function copy(on: Database, { table, highest, ...columns }: Copying, round: number): Promise<void> {
  const { digits = [], suffixes = [], numbers = {} } = columns
  const names = Object.keys(await on.knex(table).columnInfo())
  const selects = copies.map((by) => {
    const values = names.map((name) => {
      const column = on.knex.ref(name).toString()
      if (digits.includes(name)) return otherDigit(on, name, column, round, by)
      if (suffixes.includes(name)) return joined(on, [column, `':${round}.${by}'`])
      return numbers[name] ? `${column} + ${by * highest[numbers[name]]!}` : column
    })
    return `SELECT ${values.join(', ')} FROM ${table}`
  })
  const quoted = names.map((name) => on.knex.ref(name).toString())
  // All in one statement, so that none copies what another has made.
  await on.knex.raw(`INSERT INTO ${table} (${quoted.join(', ')}) ${selects.join(' UNION ALL ')}`)
}

/** The column with one digit raised by so much, modulo 16; null stays null. */
function otherDigit(on: Database, name: string, column: string, round: number, by: number): string {
  const place = placeOf(name, round)
  const digit = `substr('${digits.slice(by)}${digits}', instr('${digits}', substr(${column}, ${place}, 1)), 1)`
  return joined(on, [`substr(${column}, 1, ${place - 1})`, digit, `substr(${column}, ${place + 1})`])
}

function joined(on: Database, parts: string[]): string {
  return on.kind === 'mysql' ? `CONCAT(${parts.join(', ')})` : parts.join(' || ')
}

/**
 * Which digit, counted from 1: behind `0x`, or of the time that an action's id begins with, minutes before months: so
 * the rows lie in the order in which they would have come, and what is listed together lies together.
 */
function placeOf(column: string, round: number): number {
  return column === 'id' || column === 'action_id' ? 7 - round : 3 + round
}

process.on('message', (growth: Growth) => {
  void grow(growth).then((grown) => process.send!(grown))
})
process.once('disconnect', () => process.exit(0))
process.send!('ready')
