import { compare, type Result } from './compare.js'
import type { DatabaseKind } from './databases.js'
import { type Bench, startChains, startServiceProcess } from './environment.js'
import { inScope } from './inScope.js'
import { askForSteps, createOn, heatUp, untilSucceeded } from './steps.js'

const maxRounds = 3
/** Fewer than elsewhere, since one by one they take their time. */
const heatingSteps = 1_000

/** Steps per second of one lane with many steps in a transaction, beside the same service with one in each. */
export function bundles(bench: Bench, kind: DatabaseKind): Promise<Result[]> {
  return compare({
    benchmark: 'bundles',
    database: kind,
    unit: 'steps/s',
    rounds: Math.min(bench.rounds, maxRounds),
    ours: { name: 'a backlog on 1 lane, bundled', round: () => workOff(bench, kind, '20') },
    others: [
      { name: 'a backlog on 1 lane, one by one', round: () => workOff(bench, kind, '1'), target: { atLeast: 2.5 } },
    ],
  })
}

/**
 * Has everything asked for while no engine runs, so that the lane alone is measured and not how fast requests come:
 * from the engine's start to the last success, in a process that has carried out others before.
 */
function workOff(bench: Bench, kind: DatabaseKind, maxSteps: string): Promise<number> {
  return inScope(async (keep) => {
    const chains = await keep(startChains())
    const { url: databaseUrl } = await keep(bench.databases.fresh(kind))
    const keys = chains.devnet.operatorKeys.slice(0, 1)
    const env = { ...chains.env, SOLVER_PRIVATE_KEYS: keys.join(','), DATABASE_URL: databaseUrl }
    const steps = Number(process.env.BENCH_STEPS ?? 1_000)
    const service = await keep(startServiceProcess({ ...env, BUNDLE_MAX_STEPS: maxSteps }))
    const [chain, beside] = chains.devnet.chains
    const before = await heatUp(bench.load, service, beside!, heatingSteps)
    const paths = await createOn(chain!, steps, service.url)
    await service.pause()
    const api = await startServiceProcess({ ...env, ROLE: 'api' })
    await askForSteps(bench.load, api.url, paths).finally(api.stop)
    const startedAt = await service.resumeEngine()
    return (steps / ((await untilSucceeded(service, before + steps)) - startedAt)) * 1000
  })
}
