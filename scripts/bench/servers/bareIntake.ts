/**
 * Koa, a body parser and the service's own insert, without any check of what it is given: each by itself, or several in
 * a transaction (`BENCH_TOGETHER`).
 */
import { createHash, randomInt, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import bodyParser from 'koa-bodyparser'
import type { Hash } from 'viem'
import type { Action, SignedIntent } from '../../../server/domain/action.js'
import { uuidV7 } from '../../../server/domain/uuid.js'
import { createActionIntake, insertAll, type NewAction, writingOf } from '../../../server/store/actions/newActions.js'
import { openDatabase } from '../databases.js'

const database = openDatabase(process.env.DATABASE_URL!)
await database.migrate()
const alone = (entry: NewAction) => insertAll(database, [writingOf(entry)])
const insert = process.env.BENCH_TOGETHER ? createActionIntake(database) : alone

const app = new Koa()
app.use(bodyParser())
app.use(async (ctx) => {
  const now = Date.now()
  const body = ctx.request.body as Omit<Action, 'actionId' | 'intents'> & { intents: SignedIntent[] }
  const action: Action = { actionId: uuidV7(now, randomInt(0x1000), randomUUID()), ...body }
  const keys = body.intents.map((intent) => hash(intent.signature))
  await insert({
    action,
    bodyHash: hash(String(ctx.request.rawBody)),
    signedKeys: keys,
    signatureHashes: keys,
    idempotencyKeyHash: null,
    requiredConfirmations: () => 1,
    now,
  })
  ctx.status = 201
  ctx.body = {
    actionId: action.actionId,
    intentIds: action.intents.map((_intent, index) => `${action.actionId}/${index}`),
  }
})
const server = createServer(app.callback() as Parameters<typeof createServer>[1])
server.listen(0, '127.0.0.1', () => {
  process.send!({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
})
process.once('disconnect', () => void database.close().then(() => process.exit(0)))

function hash(text: string): Hash {
  return `0x${createHash('sha256').update(text).digest('hex')}`
}
