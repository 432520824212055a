import { compare, type Result } from './compare.js'
import type { DatabaseKind } from './databases.js'
import { type Bench, startChains, startServiceProcess } from './environment.js'
import { type LoadGenerator, startLoadGenerator } from './generateLoad.js'
import { inScope } from './inScope.js'
import type { Load } from './load.js'
import { signBodies } from './signedBodies.js'

/** To each process. */
const connections = 20
const amount = 1_500
const users = 100

/**
 * `POST /actions` taken by two processes (`ROLE=api`) on one database, beside one: as far as there are cores for them.
 * Nothing on SQLite, whose file belongs to one process.
 */
export async function processes(bench: Bench, kind: DatabaseKind): Promise<Result[]> {
  if (kind === 'sqlite') return []
  return inScope(async (keep) => {
    const chains = await keep(startChains())
    const { url } = await keep(bench.databases.fresh(kind))
    const env = { ...chains.env, DATABASE_URL: url, ROLE: 'api' }
    const loads = [bench.load, await keep(startLoadGenerator())]
    const services = [await keep(startServiceProcess(env)), await keep(startServiceProcess(env))]
    const bodies = await signBodies(chains.devnet.chains, { bodies: 3 * amount * (bench.rounds + 1), users })
    const take = (load: LoadGenerator, service: { url: string }) => {
      const requests: Load['requests'] = bodies.splice(0, amount).map(({ body }) => ({
        method: 'POST',
        path: '/actions',
        body,
        headers: { 'content-type': 'application/json' },
      }))
      return load.run({ url: service.url, connections, requests, seconds: null })
    }
    const round = (count: number) => async () => {
      const runs = await Promise.all(services.slice(0, count).map((service, index) => take(loads[index]!, service)))
      return runs.reduce((sum, { perSecond }) => sum + perSecond, 0)
    }
    const [two, one] = [round(2), round(1)]
    for (const warmUp of [two, one]) await warmUp()
    return compare({
      benchmark: 'processes',
      database: kind,
      unit: 'requests/s',
      rounds: bench.rounds,
      ours: { name: 'POST /actions to 2 processes', round: two },
      others: [{ name: 'to 1 process', round: one, target: null }],
    })
  })
}
