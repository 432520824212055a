/** Bare Koa that answers a step's bytes: after one read by primary key through Knex, and on `/static/…` without any. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { presentStep } from '../../../server/api/present.js'
import { type StepRow, toStepView } from '../../../server/store/rows.js'
import { openPlain } from './openPlain.js'

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
