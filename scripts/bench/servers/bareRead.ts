/** Bare Koa that answers a step's bytes: after one read by primary key through Knex, and on `/static/…` without any. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import knexFactory, { type Knex } from 'knex'
import Koa from 'koa'
import { presentStep } from '../../../server/api/present.js'
import { type StepRow, toStepView } from '../../../server/store/rows.js'

const knex = openPlain(process.env.DATABASE_URL!)
const rows = await knex<StepRow>('steps').select()
// Written beforehand, so that the server does the read and nothing else.
const bodies = new Map(
  rows.map((row) => [
    `/actions/${row.action_id}/intents/${row.intent_index}/steps/${row.step_index}`,
    JSON.stringify(presentStep(toStepView(row))),
  ]),
)

const app = new Koa()
app.use(async (ctx) => {
  const isStatic = ctx.path.startsWith('/static')
  const path = isStatic ? ctx.path.slice('/static'.length) : ctx.path
  const [, , actionId, , intentIndex, , stepIndex] = path.split('/')
  const key = { action_id: actionId!, intent_index: Number(intentIndex), step_index: Number(stepIndex) }
  if (!isStatic && !(await knex<StepRow>('steps').where(key).first())) return
  ctx.type = 'application/json'
  ctx.body = bodies.get(path)
})
const server = createServer(app.callback() as Parameters<typeof createServer>[1])
server.listen(0, '127.0.0.1', () => {
  process.send!({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
})
process.once('disconnect', () => void knex.destroy().then(() => process.exit(0)))

/** Knex as it comes. SQLite reads as the service does, by one process and without locks, or each read would lock the file. */
function openPlain(url: string): Knex {
  if (!url.startsWith('sqlite:')) return knexFactory({ client: 'mysql2', connection: url })
  return knexFactory({
    client: 'better-sqlite3',
    connection: { filename: url.slice('sqlite:'.length) },
    useNullAsDefault: true,
    pool: {
      afterCreate(connection: { pragma(text: string): unknown }, done: (error: unknown, connection: unknown) => void) {
        for (const pragma of ['locking_mode = EXCLUSIVE', 'journal_mode = WAL']) connection.pragma(pragma)
        done(null, connection)
      },
    },
  })
}
