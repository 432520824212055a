import { createPublicClient, type Hash, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { minedReceipt } from '../../server/devnet/minedReceipt.js'
import { barePayload, type BarePayload, bareSender, signBare } from './bareTransactions.js'
import { compare, type Result, spread } from './compare.js'
import type { DatabaseKind } from './databases.js'
import { type Bench, startChains, startServiceProcess } from './environment.js'
import { inScope } from './inScope.js'
import { signBodies } from './signedBodies.js'
import { createActions, heatUp } from './steps.js'

const stepsPerRound = 100
/** Carried out before anything is measured: code just loaded is slow. */
const warmUp = 200
const minedWithinMs = 20_000

/** From the request for a step to its success, one after the other, beside sign + send + receipt with viem. */
export function latency(bench: Bench, kind: DatabaseKind): Promise<Result[]> {
  return inScope(async (keep) => {
    const chains = await keep(startChains())
    const database = await keep(bench.databases.fresh(kind))
    const [ourKey, bareKey, plainKey] = chains.devnet.operatorKeys
    const env = { ...chains.env, SOLVER_PRIVATE_KEYS: ourKey!, DATABASE_URL: database.url }
    const service = await keep(startServiceProcess(env))
    const [chain, beside] = chains.devnet.chains
    await heatUp(bench.load, service, beside!)
    const count = (stepsPerRound * bench.rounds + warmUp) * 3
    const bodies = (await signBodies([chain!], { bodies: count, users: count })).map(({ body }) => body)
    const client = createPublicClient({ transport: http(chain!.rpcUrls[0], { retryCount: 0 }) })

    const ourRound = async (steps = stepsPerRound) => {
      const paths = await createActions(service.url, bodies.splice(0, steps))
      return medianTime(paths, async (path) => {
        const response = await fetch(service.url + path, { method: 'POST', headers: { prefer: 'wait=20' } })
        const { status } = (await response.json()) as { status: string }
        if (status !== 'success') throw new Error(`A step ended as ${status}`)
      })
    }
    const { chainId } = chain!
    const bareRound = (send: (payload: BarePayload) => Promise<Hash>, steps = stepsPerRound) => {
      const payloads = bodies.splice(0, steps).map((body) => barePayload(body, chainId))
      return medianTime(payloads, async (payload) => {
        const { status } = await minedReceipt(client, await send(payload), { withinMs: minedWithinMs, everyMs: 1 })
        if (status !== 'success') throw new Error('A bare transaction was reverted')
      })
    }
    const account = privateKeyToAccount(bareKey!)
    let nonce = await client.getTransactionCount(account)
    const sendSigned = async (payload: BarePayload) => {
      const serializedTransaction = await signBare(payload, { account, chainId, nonce: nonce++ })
      return client.sendRawTransaction({ serializedTransaction })
    }
    const sendPlain = bareSender(privateKeyToAccount(plainKey!), chain!.rpcUrls[0]!)
    await ourRound(warmUp)
    await bareRound(sendSigned, warmUp)
    await bareRound(sendPlain, warmUp)
    return compare({
      benchmark: 'latency',
      database: kind,
      unit: 'ms',
      rounds: bench.rounds,
      ours: { name: 'request to success', round: () => ourRound() },
      others: [
        { name: 'sign + send + receipt with viem', round: () => bareRound(sendSigned), bound: { atMost: 1.5 } },
        {
          name: 'the same with nonce, fees and gas asked for',
          round: () => bareRound(sendPlain),
          bound: { atMost: 1.5 },
        },
      ],
    })
  })
}

async function medianTime<T>(items: readonly T[], run: (item: T) => Promise<void>): Promise<number> {
  const times: number[] = []
  for (const item of items) {
    const startedAt = performance.now()
    await run(item)
    times.push(performance.now() - startedAt)
  }
  return spread(times).median
}
