/**
 * Preloaded into a service's process (`--import killPoints.js server/main.js`), it makes every
 * moment at which something becomes lasting a point: before and after each commit that writes, each write outside a
 * transaction, and each broadcast. At the point that KILL_POINT names the process ends itself by SIGKILL; nothing runs
 * after it, no handler and no finally. The points passed are written to KILL_POINTS_FILE, one a line.
 *
 * A point's name is what happens there and the how-manieth time that is (`after commit of steps,
 * events #2`): the engine's polls come between in another order each time, so that a bare position
 * would mean another moment in every run.
 */
import { appendFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { request } from 'undici'

type Client = { transacting?: boolean }
type Query = (this: Client, connection: object, query: string | { sql: string }) => Promise<unknown>

const file = process.env.KILL_POINTS_FILE
if (!file) throw new Error('KILL_POINTS_FILE is not set')
const wanted = process.env.KILL_POINT ?? null
/** Points count from the start, or from the parent's first message on, which leaves the start out. */
let counting = process.env.KILL_POINTS_FROM === 'start'
const seen = new Map<string, number>()

if (!counting) {
  process.once('message', () => {
    counting = true
    process.stdout.write('kill points count\n')
  })
}
patchDatabase()
patchRequests()

function pass(what: string): void {
  if (!counting) return
  const times = (seen.get(what) ?? 0) + 1
  seen.set(what, times)
  const point = `${what} #${times}`
  appendFileSync(file!, `${point}\n`)
  if (point === wanted) process.kill(process.pid, 'SIGKILL')
}

async function around<T>(what: string, work: () => Promise<T>): Promise<T> {
  pass(`before ${what}`)
  const result = await work()
  pass(`after ${what}`)
  return result
}

/** Every statement of both dialects goes through the base client, COMMIT and what runs outside of transactions too. */
function patchDatabase(): void {
  const { prototype } = createRequire(import.meta.url)('knex/lib/client.js') as { prototype: { query: Query } }
  const query = prototype.query
  /** What the open transaction of a connection has written. */
  const written = new WeakMap<object, Set<string>>()

  prototype.query = function (connection, given) {
    const sql = typeof given === 'string' ? given : given.sql
    const run = () => query.call(this, connection, given)
    // On MySQL a transaction's statements share trips.
    const statements = sql.split(';\n')
    const now = statements.flatMap((statement) => tableWritten(statement) ?? [])
    if (!this.transacting) return now.length > 0 ? around(`write of ${now.join(', ')}`, run) : run()
    if (/^BEGIN/i.test(sql)) written.set(connection, new Set())
    const tables = written.get(connection) ?? new Set()
    // MySQL commits before and after each statement that changes the schema.
    if (now.length > 0 && isSchemaChange(sql)) return around(`change of schema ${now.join(', ')}`, run)
    for (const table of now) tables.add(table)
    // A transaction that only read leaves nothing behind, however it ends.
    const isLast = /^COMMIT/i.test(statements.at(-1)!)
    return isLast && tables.size > 0 ? around(`commit of ${[...tables].join(', ')}`, run) : run()
  }
}

/** The table that a statement writes to; null for one that reads. */
function tableWritten(sql: string): string | null {
  const match =
    /^\s*(?:insert\s+(?:ignore\s+)?into|replace\s+into|update|delete\s+from|(?:create|alter|drop)\s+table(?:\s+if\s+(?:not\s+)?exists)?|create\s+(?:unique\s+)?index\s+\S+\s+on)\s+[`"]?(\w+)/i.exec(
      sql,
    )
  return match?.[1] ?? null
}

function isSchemaChange(sql: string): boolean {
  return /^\s*(create|alter|drop)\s/i.test(sql)
}

/** A broadcast is over once the node has answered; whoever is killed then never learns what it said. */
function patchRequests(): void {
  const undici = createRequire(import.meta.url)('undici') as { request: typeof request }
  const original = undici.request
  undici.request = (url, options) => {
    const body = typeof options?.body === 'string' ? options.body : ''
    const sends = body.split('"eth_sendRawTransaction"').length - 1
    const run = () => original(url, options)
    return sends === 0 ? run() : around(`send of ${sends}`, run)
  }
}
