import { compare, type Result } from './compare.js'
import type { DatabaseKind } from './databases.js'
import { type Bench, startChains, startServiceProcess } from './environment.js'
import { startLoadGenerator } from './generateLoad.js'
import { inScope } from './inScope.js'
import type { Load } from './load.js'
import { signBodies } from './signedBodies.js'
import { askForSteps, createActions, createOn, heatUp, untilSucceeded } from './steps.js'

const steps = 300
const clients = 24
/** Of each action that they post; each has its signature checked. */
const intents = 16
const heatingSteps = 1_000
/** How long the clients ask before it is looked whether the steps have ended. */
const turnSeconds = 1

/**
 * Steps per second while clients post actions that are stored already, each with all its checks, as fast as they are
 * answered: what a process gives its engine when it could answer requests all the time.
 */
export function crowd(bench: Bench, kind: DatabaseKind): Promise<Result[]> {
  return inScope(async (keep) => {
    const chains = await keep(startChains())
    const { url: databaseUrl } = await keep(bench.databases.fresh(kind))
    const keys = chains.devnet.operatorKeys.slice(0, 1)
    const env = { ...chains.env, SOLVER_PRIVATE_KEYS: keys.join(','), DATABASE_URL: databaseUrl }
    const service = await keep(startServiceProcess(env))
    const others = await keep(startLoadGenerator())
    const [chain, beside] = chains.devnet.chains
    let asked = await heatUp(bench.load, service, beside!, heatingSteps)
    const signed = await signBodies(chains.devnet.chains, { bodies: clients, users: clients, intents })
    const bodies = signed.map(({ body }) => body)
    await createActions(service.url, bodies)
    const requests: Load['requests'] = bodies.map((body) => ({
      method: 'POST',
      path: '/actions',
      body,
      headers: { 'content-type': 'application/json' },
    }))

    const carryOut = async (): Promise<number> => {
      const paths = await createOn(chain!, steps, service.url)
      asked += steps
      const startedAt = Date.now()
      await askForSteps(bench.load, service.url, paths)
      return (steps / ((await untilSucceeded(service, asked)) - startedAt)) * 1000
    }
    const amongClients = async (): Promise<number> => {
      let isOver = false
      const asking = (async () => {
        while (!isOver) {
          await others.run({ url: service.url, connections: clients, requests, seconds: turnSeconds })
        }
      })()
      const carriedOut = carryOut().finally(() => (isOver = true))
      const [perSecond] = await Promise.all([carriedOut, asking])
      return perSecond
    }
    return compare({
      benchmark: 'crowd',
      database: kind,
      unit: 'steps/s',
      rounds: bench.rounds,
      ours: { name: `steps beside ${clients} clients who post actions`, round: amongClients },
      others: [{ name: 'steps beside nobody', round: carryOut, bound: { atLeast: 0.2 } }],
    })
  })
}
