import { compare, type Result } from './compare.js'
import type { DatabaseKind } from './databases.js'
import { type Bench, startChains, startServiceProcess } from './environment.js'
import { startLoadGenerator } from './generateLoad.js'
import { inScope } from './inScope.js'
import type { Load } from './load.js'
import { readsAmongWrites } from './readsAmongWrites.js'
import { signBodies } from './signedBodies.js'
import { askForSteps, createActions, createOn, heatUp, untilSucceeded } from './steps.js'

const steps = 300
const clients = 24
/** Of each action that they post or read; each that is posted has its signature checked. */
const intents = 16
/** Per intent and chain, of the actions that they read: 256 steps each, the most that one may have. */
const batches = 8
const heatingSteps = 1_000
/** How long the clients ask before it is looked whether the steps have ended. */
const turnSeconds = 1

/** What clients who ask without a pause leave to the engine, and to others who only read. */
export async function crowd(bench: Bench, kind: DatabaseKind): Promise<Result[]> {
  return [...(await stepsAmongClients(bench, kind)), ...(await readsAmongWrites(bench, kind))]
}

/**
 * Steps per second while clients ask as fast as they are answered, which is what a process gives its engine
 * when it could answer requests all the time: by posting actions that are stored already, each with all its
 * checks, and by reading large ones.
 */
function stepsAmongClients(bench: Bench, kind: DatabaseKind): Promise<Result[]> {
  return inScope(async (keep) => {
    const chains = await keep(startChains())
    const { url: databaseUrl } = await keep(bench.databases.fresh(kind))
    const keys = chains.devnet.operatorKeys.slice(0, 1)
    const env = { ...chains.env, SOLVER_PRIVATE_KEYS: keys.join(','), DATABASE_URL: databaseUrl }
    const service = await keep(startServiceProcess(env))
    const others = await keep(startLoadGenerator())
    const [chain, other] = chains.devnet.chains
    let asked = await heatUp(bench.load, service, other!, heatingSteps)
    const stored = async (more: { batches?: number }) => {
      const signed = await signBodies(chains.devnet.chains, { bodies: clients, users: clients, intents, ...more })
      const bodies = signed.map(({ body }) => body)
      const paths = await createActions(service.url, bodies)
      return { bodies, actions: paths.map((path) => path.split('/').slice(0, 3).join('/')) }
    }
    const { bodies } = await stored({})
    const { actions } = await stored({ batches })
    const headers = { 'content-type': 'application/json' }
    const posts: Load['requests'] = bodies.map((body) => ({ method: 'POST', path: '/actions', body, headers }))
    const reads: Load['requests'] = actions.map((path) => ({ method: 'GET', path }))

    const carryOut = async (): Promise<number> => {
      const paths = await createOn(chain!, steps, service.url)
      asked += steps
      const startedAt = Date.now()
      await askForSteps(bench.load, service.url, paths)
      return (steps / ((await untilSucceeded(service, asked)) - startedAt)) * 1000
    }
    const among = async (requests: Load['requests']): Promise<number> => {
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
    const beside = async (what: string, requests: Load['requests'], atLeast: number) =>
      compare({
        ...{ benchmark: 'crowd', database: kind, unit: 'steps/s', rounds: bench.rounds },
        ours: { name: `steps beside ${clients} clients who ${what}`, round: () => among(requests) },
        others: [{ name: 'steps beside nobody', round: carryOut, target: { atLeast } }],
      })
    return [...(await beside('post actions', posts, 0.2)), ...(await beside('read actions of 256 steps', reads, 0.1))]
  })
}
