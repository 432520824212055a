import { createStore } from '../../server/store/store.js'
import { compare, type Result } from './compare.js'
import { type DatabaseKind, openDatabase } from './databases.js'
import { type Bench, startChains, startServiceProcess } from './environment.js'
import type { Grown, Growth } from './grow.js'
import { inScope, type Keep } from './inScope.js'
import type { Load } from './load.js'
import { signBodies } from './signedBodies.js'
import { startProcess } from './startProcess.js'

const actions = 1_000
/** Six times as much each: 1,296,000 actions after four. */
const growthRounds = Number(process.env.BENCH_GROWTH_ROUNDS ?? 4)
const connections = 8
/** Slower than this beside a thousand actions, nothing may be. */
const atMost = 1.3
const claimsPerRound = 300

type Place = { grown: Grown; url: string; service: { url: string; stop(): Promise<void> } }

/** Every endpoint, and the engine's claim, with more than a million stored actions beside a thousand. */
export async function growth(bench: Bench): Promise<Result[]> {
  const results: Result[] = []
  for (const kind of bench.kinds) results.push(...(await inScope((keep) => growthOn(bench, kind, keep))))
  return results
}

async function growthOn(bench: Bench, kind: DatabaseKind, keep: Keep): Promise<Result[]> {
  const chains = await keep(startChains())
  const place = async (rounds: number): Promise<Place> => {
    const { url } = await keep(bench.databases.fresh(kind))
    const seed = await startProcess('grow.ts', { DATABASE_URL: url })
    const grown = await seed.ask<Grown>({ actions, rounds } satisfies Growth)
    await seed.stop()
    const service = await keep(startServiceProcess({ ...chains.env, DATABASE_URL: url }))
    return { grown, url, service }
  }
  const [large, small] = [await place(growthRounds), await place(0)]
  const bodies = async () =>
    (await signBodies(chains.devnet.chains, { bodies: 2_000, users: 50 })).map(({ body }) => body)
  const label = { benchmark: 'growth', database: kind, rounds: bench.rounds }
  const results: Result[] = []
  const signed = { large: await bodies(), small: await bodies() }
  for (const [name, requestsOf] of Object.entries(endpoints)) {
    const contender = ({ grown, service }: Place, own: string[]) => ({
      name: `${name} at ${grown.actions} actions`,
      round: async () => {
        const requests = requestsOf(grown, own)
        const count = requests.length < actions ? null : bench.seconds
        const { perSecond, statuses } = await bench.load.run({
          url: service.url,
          connections,
          requests,
          seconds: count,
        })
        const failed = Object.keys(statuses).filter((status) => Number(status) < 200 || Number(status) > 299)
        if (failed.length > 0) throw new Error(`${name} was answered ${JSON.stringify(statuses)}`)
        return (connections * 1000) / perSecond
      },
    })
    const [ours, other] = [contender(large, signed.large), contender(small, signed.small)]
    for (const { round } of [ours, other]) await round()
    results.push(...(await compare({ ...label, unit: 'ms', ours, others: [{ ...other, bound: { atMost } }] })))
  }
  for (const { service } of [large, small]) await service.stop()
  results.push(...(await claims(large, small, label)))
  return results
}

const get = (paths: string[]): Load['requests'] => paths.map((path) => ({ method: 'GET', path }))

const endpoints: Record<string, (grown: Grown, signed: string[]) => Load['requests']> = {
  'GET step': ({ actionIds }) => get(actionIds.map((id) => `/actions/${id}/intents/0/steps/1`)),
  'GET action': ({ actionIds }) => get(actionIds.map((id) => `/actions/${id}`)),
  'GET actions of a user': ({ users }) => get(users.map((user) => `/actions?user=${user}`)),
  'GET actions by hash': ({ hashes }) => get(hashes.map((hash) => `/actions?transactionHash=${hash}`)),
  'GET newest actions': ({ users }) => get(users.map(() => '/actions?limit=10')),
  'GET balances': ({ users }) => get(users.map((user) => `/coredeposit/${user}`)),
  'GET venue records': ({ users }) => get(users.map((user) => `/venue-tx-hashes?address=${user}`)),
  'GET health': ({ users }) => get(users.map(() => '/health')),
  // Each once, since the same again is only read.
  'POST actions': (_grown, signed) =>
    signed.splice(0, 200).map((body) => ({
      method: 'POST',
      path: '/actions',
      body,
      headers: { 'content-type': 'application/json' },
    })),
}

/** The engine's claim, straight from the store. */
async function claims(
  large: Place,
  small: Place,
  label: object & { benchmark: string; database: string; rounds: number },
) {
  const databases = [large, small].map(({ url }) => openDatabase(url))
  try {
    const contender = (index: number, { grown }: Place) => ({
      name: `the engine's claim at ${grown.actions} actions`,
      round: async () => {
        const store = createStore(databases[index]!)
        const startedAt = performance.now()
        for (let claim = 0; claim < claimsPerRound; claim++) await store.claimDueSteps(10, 1_000)
        return (performance.now() - startedAt) / claimsPerRound
      },
    })
    const [ours, other] = [contender(0, large), contender(1, small)]
    return await compare({ ...label, unit: 'ms', ours, others: [{ ...other, bound: { atMost } }] })
  } finally {
    for (const database of databases) await database.close()
  }
}
