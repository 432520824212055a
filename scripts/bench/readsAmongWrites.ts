import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { randomHash } from '../../test/support/builders.js'
import { newUser, onDemandIntent, tokenOf } from '../../test/support/wallets.js'
import { compare, type Result } from './compare.js'
import type { DatabaseKind } from './databases.js'
import { type Bench, startChains, startServiceProcess } from './environment.js'
import { startLoadGenerator } from './generateLoad.js'
import { inScope } from './inScope.js'
import type { Load } from './load.js'
import { createActions } from './steps.js'

/** Of each kind: those who read, and those who write. */
const clients = 100
const intents = 16
/** How many payments each client registers; then it sends the same again, which takes a transaction as well. */
const payments = 16
const warmUpSeconds = 2
/** So much longer clients write, so that they do from the first read to the last. */
const moreSeconds = 1

/**
 * `GET` of a step while clients register payments, each of which takes a transaction of its own and work of the engine.
 */
export function readsAmongWrites(bench: Bench, kind: DatabaseKind): Promise<Result[]> {
  return inScope(async (keep) => {
    const chains = await keep(startChains())
    const database = await keep(bench.databases.fresh(kind))
    const service = await keep(startServiceProcess({ ...chains.env, DATABASE_URL: database.url }))
    const others = await keep(startLoadGenerator())
    const chain = chains.devnet.chains[0]!
    const { url } = service
    const polled = await createPayments(url, chain, clients)
    const requests: Load['requests'] = polled.map((path) => ({ method: 'GET', path }))
    const read = async (seconds = bench.seconds) =>
      (await bench.load.run({ url, connections: clients, requests, seconds })).perSecond
    const readAmongWrites = async () => {
      const writes = (await createPayments(url, chain, clients * payments)).map(registration)
      const load = { url, connections: clients, requests: writes, seconds: bench.seconds + 2 * moreSeconds }
      const writing = others.run(load)
      await new Promise((resolve) => setTimeout(resolve, moreSeconds * 1_000))
      const [perSecond] = await Promise.all([read(), writing])
      return perSecond
    }
    await read(warmUpSeconds)
    return compare({
      ...{ benchmark: 'crowd', database: kind, unit: 'requests/s', rounds: bench.rounds },
      ours: { name: `GET of a step beside ${clients} clients who register payments`, round: readAmongWrites },
      others: [{ name: 'GET of a step beside nobody', round: read, target: { atLeast: 0.1 } }],
    })
  })
}

/** The paths of steps that users pay, of actions of a few intents each. */
async function createPayments(url: string, chain: ChainConfig, steps: number): Promise<string[]> {
  const token = tokenOf(chain, 'usd').address
  const bodies = Array.from({ length: Math.ceil(steps / intents) }, () => {
    const user = newUser().address
    const payment = { from: user, to: chain.vault, token, amount: 1n }
    const intent = onDemandIntent([{ chainId: chain.chainId, tokenTransfers: [payment] }])
    return JSON.stringify({ user, intents: Array.from({ length: intents }, () => intent) })
  })
  const firsts = await createActions(url, bodies)
  return firsts
    .flatMap((path) => Array.from({ length: intents }, (_none, index) => path.replace('intents/0', `intents/${index}`)))
    .slice(0, steps)
}

function registration(path: string): Load['requests'][number] {
  const headers = { 'content-type': 'application/json', prefer: 'wait=0' }
  return { method: 'POST', path, headers, body: JSON.stringify({ action: 'register', hash: randomHash() }) }
}
