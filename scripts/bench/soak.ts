import { type Result, type Spread, spread } from './compare.js'
import type { DatabaseKind } from './databases.js'
import { type Bench, startChains, startServiceProcess } from './environment.js'
import { startLoadGenerator } from './generateLoad.js'
import { inScope } from './inScope.js'
import type { Load } from './load.js'
import { sampleMemory } from './processMemory.js'
import { createBodySigner } from './signedBodies.js'
import { createActions, untilSucceeded } from './steps.js'

const minutes = Number(process.env.BENCH_SOAK_MINUTES ?? 30)
const users = 500
/** Clients that wait for a step each, and those who read what has been carried out. */
const waiting = 200
const readers = 4
/** Which part of the time the first figures and the last are of; those before the first don't count. */
const part = 1 / 6

/**
 * Resident memory of the service after minutes of all that it can do: actions are posted, each of their steps is asked
 * for and waited for, and those before are read, all at once and as fast as they are answered. What is told are the
 * last minutes beside earlier ones of the same run; nothing may have failed.
 */
export function soak(bench: Bench, kind: DatabaseKind): Promise<Result[]> {
  return inScope(async (keep) => {
    const chains = await keep(startChains())
    const database = await keep(bench.databases.fresh(kind))
    const service = await keep(startServiceProcess({ ...chains.env, DATABASE_URL: database.url }))
    const reading = await keep(startLoadGenerator())
    const sign = await createBodySigner(chains.devnet.chains, { users })
    const post = async () => {
      const bodies = (await sign(users)).map(({ body }) => body)
      return (await createActions(service.url, bodies)).map((path) => path.replace(/\/intents.*/, ''))
    }
    let asked = 0
    const carryOut = async (actions: readonly string[]) => {
      const steps = actions.flatMap((action) =>
        chains.devnet.chains.map((_chain, step) => `${action}/intents/0/steps/${step}`),
      )
      const headers = { prefer: 'wait=60' }
      asked += steps.length
      const requests: Load['requests'] = steps.map((path) => ({ method: 'POST', path, headers }))
      await bench.load.run({ url: service.url, connections: waiting, requests, seconds: null })
    }
    const read = async (actions: readonly string[]) => {
      const requests: Load['requests'] = actions.map((path) => ({ method: 'GET', path }))
      await reading.run({ url: service.url, connections: readers, requests, seconds: null })
    }

    let isOver = false
    const load = async () => {
      let [before, next] = [await post(), await post()]
      await carryOut(before)
      while (!isOver) {
        const [posted] = await Promise.all([post(), carryOut(next), read(before)])
        ;[before, next] = [next, posted]
      }
    }
    const startedAt = Date.now()
    const [samples] = await Promise.all([
      sampleMemory(service.pid, minutes * 60).finally(() => (isOver = true)),
      load(),
    ])
    const seconds = (Date.now() - startedAt) / 1000
    await untilSucceeded(service, asked)

    const span = Math.floor(samples.length * part)
    const early = spread(samples.slice(span, 2 * span))
    const late = spread(samples.slice(-span))
    const common = { benchmark: 'soak', database: kind }
    return [
      {
        ...common,
        name: `steps in ${minutes} minutes of full load`,
        unit: 'steps/s',
        figures: single(asked / seconds),
        ratio: null,
        target: null,
      },
      { ...common, name: 'memory in the last sixth', unit: 'MB', figures: late, ratio: null, target: { atMost: 350 } },
      {
        ...common,
        name: 'memory in the second sixth',
        unit: 'MB',
        figures: early,
        ratio: growthOf(late, early),
        target: { atMost: 1.1 },
      },
    ]
  })
}

function single(figure: number): Spread {
  return { median: figure, min: figure, max: figure }
}

/** Of the medians; the least and the most that the samples could make of it. */
function growthOf(late: Spread, early: Spread): Spread {
  return { median: late.median / early.median, min: late.min / early.max, max: late.max / early.min }
}
