import { aNewAction } from '../../test/support/builders.js'
import { compare, type Result } from './compare.js'
import type { DatabaseKind } from './databases.js'
import { type Bench, startChains, startServiceProcess } from './environment.js'
import { inScope, type Keep } from './inScope.js'
import type { Load } from './load.js'
import type { Seed } from './seed.js'
import { startProcess } from './startProcess.js'

const actions = 1_000
const connections = 50
const warmUpSeconds = 2

/** `GET` of a step beside bare Koa that reads the same row and answers the same bytes. */
export function read(bench: Bench, kind: DatabaseKind): Promise<Result[]> {
  return inScope((keep) => readOn(bench, kind, keep))
}

async function readOn(bench: Bench, kind: DatabaseKind, keep: Keep): Promise<Result[]> {
  const chains = await keep(startChains())
  const ours = await keep(bench.databases.fresh(kind))
  const entries = Array.from({ length: actions }, (): Seed => {
    const { requiredConfirmations: _none, ...entry } = aNewAction()
    return entry
  })
  // A SQLite file belongs to one process, so each server has its own; on MariaDB they share one.
  const bares = kind === 'sqlite' ? await keep(bench.databases.fresh(kind)) : ours
  for (const { url } of new Set([ours, bares])) {
    const seed = await startProcess('seed.ts', { DATABASE_URL: url })
    await seed.ask(entries)
    await seed.stop()
  }
  const service = await keep(startServiceProcess({ ...chains.env, DATABASE_URL: ours.url }))
  const bare = await keep(startProcess<{ url: string }>('servers/bareRead.ts', { DATABASE_URL: bares.url }))
  const paths = entries.map((entry) => `/actions/${entry.action.actionId}/intents/0/steps/0`)
  await requireSameBytes(service.url + paths[0]!, bare.ready.url + paths[0]!)
  const requests = (prefix: string, headers?: Record<string, string>): Load['requests'] =>
    paths.map((path) => ({ method: 'GET', path: prefix + path, ...(headers && { headers }) }))
  const round = (url: string, prefix = '') => {
    const load = { url, connections, requests: requests(prefix) }
    return {
      warmUp: () => bench.load.run({ ...load, seconds: warmUpSeconds }),
      round: async () => (await bench.load.run({ ...load, seconds: bench.seconds })).perSecond,
    }
  }
  const contenders = {
    ours: { name: 'GET of a step', ...round(service.url) },
    bare: { name: 'bare Koa, one Knex read', ...round(bare.ready.url), target: { atLeast: 0.7 } },
    static: { name: 'bare Koa, no read', ...round(bare.ready.url, '/static'), target: null },
  }
  for (const { warmUp } of Object.values(contenders)) await warmUp()
  return compare({
    benchmark: 'read',
    database: kind,
    unit: 'requests/s',
    rounds: bench.rounds,
    ours: contenders.ours,
    others: [contenders.bare, contenders.static],
  })
}

async function requireSameBytes(one: string, other: string): Promise<void> {
  const [a, b] = await Promise.all([one, other].map(async (url) => (await fetch(url)).text()))
  if (a !== b || !a) throw new Error(`The baseline does not answer the same: ${a} and ${b}`)
}
