import { compare, type Result } from './compare.js'
import { type DatabaseKind, openDatabase } from './databases.js'
import { type Bench, startChains, startServiceProcess } from './environment.js'
import { inScope } from './inScope.js'
import { signBodies } from './signedBodies.js'
import { askForSteps, createActions, untilSucceeded } from './steps.js'

const maxRounds = 3

/** Steps per second of one lane with many steps in a transaction, beside the same service with one in each. */
export async function bundles(bench: Bench): Promise<Result[]> {
  const results: Result[] = []
  for (const kind of bench.kinds) {
    results.push(
      ...(await compare({
        benchmark: 'bundles',
        database: kind,
        unit: 'steps/s',
        rounds: Math.min(bench.rounds, maxRounds),
        ours: { name: 'a backlog on 1 lane, bundled', round: () => workOff(bench, kind, '20') },
        others: [
          { name: 'a backlog on 1 lane, one by one', round: () => workOff(bench, kind, '1'), bound: { atLeast: 2.5 } },
        ],
      })),
    )
  }
  return results
}

/**
 * Has everything asked for while no engine runs, so that the lane alone is measured and not how fast requests come. The
 * first half is not counted: code just loaded is slow, and is compiled for a second and more of both cores.
 */
function workOff(bench: Bench, kind: DatabaseKind, maxSteps: string): Promise<number> {
  return inScope(async (keep) => {
    const chains = await keep(startChains())
    const { url: databaseUrl } = await keep(bench.databases.fresh(kind))
    const keys = chains.devnet.operatorKeys.slice(0, 1)
    const env = { ...chains.env, SOLVER_PRIVATE_KEYS: keys.join(','), DATABASE_URL: databaseUrl }
    const steps = Number(process.env.BENCH_STEPS ?? 2_000)
    const bodies = await signBodies([chains.devnet.chains[0]!], { bodies: steps, users: steps })
    const api = await startServiceProcess({ ...env, ROLE: 'api' })
    try {
      const paths = await createActions(
        api.url,
        bodies.map(({ body }) => body),
      )
      await askForSteps(bench.load, api.url, paths)
    } finally {
      await api.stop()
    }
    const service = await startServiceProcess({ ...env, BUNDLE_MAX_STEPS: maxSteps })
    try {
      await untilSucceeded(service, steps)
    } finally {
      await service.stop()
    }
    return rateOf(databaseUrl, steps)
  })
}

async function rateOf(databaseUrl: string, steps: number): Promise<number> {
  const database = openDatabase(databaseUrl)
  try {
    const ends = (await database.knex('steps').orderBy('updated_at').pluck('updated_at')).map(Number)
    const half = ends[Math.floor(steps / 2)]!
    // Those that ended together with it are not counted, or what was done before would be.
    const counted = ends.filter((end) => end > half).length
    if (counted === 0) throw new Error(`${steps} steps are too few: half of them ended together with the last`)
    return (counted / (ends.at(-1)! - half)) * 1000
  } finally {
    await database.close()
  }
}
