/**
 * Koa, Knex and viem as they come, and the least that a service may do which loses no step and sends
 * none in vain: store what was asked, simulate it, store what was signed, send it, wait for its receipt,
 * store what came of it, answer.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import bodyParser from 'koa-bodyparser'
import { createPublicClient, type Hex, http, keccak256, type PublicClient } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { minedReceipt } from '../../../server/devnet/minedReceipt.js'
import { type BarePayload, signBare } from '../bareTransactions.js'
import { openPlain } from './openPlain.js'

/** What a request carries. */
export type BareRequest = BarePayload & { chainId: number }

const account = privateKeyToAccount(process.env.BENCH_KEY as Hex)
const chains = new Map<number, { client: PublicClient; nonce: number }>()
for (const { chainId, url } of JSON.parse(process.env.BENCH_CHAINS!) as { chainId: number; url: string }[]) {
  const client = createPublicClient({ transport: http(url, { retryCount: 0 }) })
  chains.set(chainId, { client, nonce: await client.getTransactionCount(account) })
}

const knex = openPlain(process.env.DATABASE_URL!)
await knex.schema.createTable('sends', (table) => {
  table.increments('id')
  table.text('asked').notNullable()
  table.text('signed')
  table.string('hash', 66)
  table.string('status', 20).notNullable()
  table.bigInteger('block_number')
})

const app = new Koa()
app.use(bodyParser())
app.use(async (ctx) => {
  const { chainId, ...payload } = ctx.request.body as BareRequest
  const chain = chains.get(chainId)!
  const { client } = chain
  const [id] = await knex('sends').insert({ asked: ctx.request.rawBody, status: 'asked' })
  const { to, data, authorizations: authorizationList } = payload
  await client.call({ account: account.address, to, data, authorizationList })
  const signed = await signBare(payload, { account, chainId, nonce: chain.nonce++ })
  const hash = keccak256(signed)
  await knex('sends').where({ id }).update({ signed, hash, status: 'signed' })
  await client.sendRawTransaction({ serializedTransaction: signed })
  const { status, blockNumber } = await minedReceipt(client, hash, { everyMs: 1 })
  await knex('sends')
    .where({ id })
    .update({ status, block_number: Number(blockNumber) })
  ctx.body = { status }
})
const server = createServer(app.callback() as Parameters<typeof createServer>[1])
server.listen(0, '127.0.0.1', () => {
  process.send!({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
})
process.once('disconnect', () => void knex.destroy().then(() => process.exit(0)))
