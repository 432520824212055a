import { createPublicClient, type Hash, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { minedReceipt } from '../../server/devnet/minedReceipt.js'
import { barePayload, type BarePayload, bareSender, signBare } from './bareTransactions.js'
import { compare, type Result, spread } from './compare.js'
import type { DatabaseKind } from './databases.js'
import { type Bench, startChains, startServiceProcess } from './environment.js'
import { inScope } from './inScope.js'
import type { BareRequest } from './servers/bareExecution.js'
import { signBodies } from './signedBodies.js'
import { startProcess } from './startProcess.js'
import { createActions, heatUp } from './steps.js'

const stepsPerRound = 100
/** Carried out before anything is measured: code just loaded is slow. */
const warmUp = 200
/**
 * What the bare service carries out before that on another chain, as ours does: a chain is the slower the longer it is.
 */
const heatingSends = 1_000
const minedWithinMs = 20_000

/**
 * From the request for a step to its success, one after the other, beside what viem needs to sign, to send and to have
 * the receipt, and beside the least that a service can do for it.
 */
export function latency(bench: Bench, kind: DatabaseKind): Promise<Result[]> {
  return inScope(async (keep) => {
    const chains = await keep(startChains())
    const [database, bareDatabase] = [await keep(bench.databases.fresh(kind)), await keep(bench.databases.fresh(kind))]
    const [ourKey, bareKey, plainKey, serviceKey] = chains.devnet.operatorKeys
    const env = { ...chains.env, SOLVER_PRIVATE_KEYS: ourKey!, DATABASE_URL: database.url }
    const service = await keep(startServiceProcess(env))
    const [chain, beside] = chains.devnet.chains as [ChainConfig, ChainConfig]
    await heatUp(bench.load, service, beside)
    const bodies = await bodiesFor(chain, (stepsPerRound * bench.rounds + warmUp) * 4)
    const { chainId } = chain
    const url = chain.rpcUrls[0]!

    const ourRound = async (steps = stepsPerRound) => {
      const paths = await createActions(service.url, bodies.splice(0, steps))
      return medianTime(paths, async (path) =>
        requireSuccess(await fetch(service.url + path, { method: 'POST', headers: { prefer: 'wait=20' } })),
      )
    }

    const client = createPublicClient({ transport: http(url, { retryCount: 0 }) })
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
    const sendPlain = bareSender(privateKeyToAccount(plainKey!), url)

    const bareService = await keep(
      startProcess<{ url: string }>('servers/bareExecution.ts', {
        DATABASE_URL: bareDatabase.url,
        BENCH_CHAINS: JSON.stringify([chain, beside].map(({ chainId, rpcUrls }) => ({ chainId, url: rpcUrls[0] }))),
        BENCH_KEY: serviceKey!,
      }),
    )
    const askBareService = (on: ChainConfig, asked: readonly string[]) => {
      const payloads = asked.map((body): BareRequest => ({ chainId: on.chainId, ...barePayload(body, on.chainId) }))
      const headers = { 'content-type': 'application/json' }
      return medianTime(payloads, async (payload) =>
        requireSuccess(await fetch(bareService.ready.url, { method: 'POST', headers, body: JSON.stringify(payload) })),
      )
    }
    const serviceRound = (steps = stepsPerRound) => askBareService(chain, bodies.splice(0, steps))

    await askBareService(beside, await bodiesFor(beside, heatingSends))
    await ourRound(warmUp)
    await bareRound(sendSigned, warmUp)
    await bareRound(sendPlain, warmUp)
    await serviceRound(warmUp)
    const target = { atMost: 1.5 }
    return compare({
      benchmark: 'latency',
      database: kind,
      unit: 'ms',
      rounds: bench.rounds,
      ours: { name: 'request to success', round: () => ourRound() },
      others: [
        { name: 'sign + send + receipt with viem', round: () => bareRound(sendSigned), target },
        { name: 'the same with nonce, fees and gas asked for', round: () => bareRound(sendPlain), target },
        { name: 'the least of a service that loses nothing', round: () => serviceRound(), target },
      ],
    })
  })
}

/** Each by a user of its own. */
async function bodiesFor(chain: ChainConfig, count: number): Promise<string[]> {
  return (await signBodies([chain], { bodies: count, users: count })).map(({ body }) => body)
}

async function requireSuccess(response: Response): Promise<void> {
  const { status } = (await response.json()) as { status: string }
  if (status !== 'success') throw new Error(`A step ended as ${status}`)
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
