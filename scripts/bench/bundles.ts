import { compare, type Result } from './compare.js'
import { ourRound, type Shape } from './engine.js'
import type { Bench } from './environment.js'

const maxRounds = 3
const shapes: Shape[] = [
  { lanes: 1, blockSeconds: null },
  { lanes: 1, blockSeconds: 1 },
]

/** Steps per second of one lane with many steps in a transaction, beside the same service with one in each. */
export async function bundles(bench: Bench): Promise<Result[]> {
  const results: Result[] = []
  for (const kind of bench.kinds) {
    for (const shape of shapes) {
      const blocks = shape.blockSeconds === null ? 'mined at once' : `${shape.blockSeconds} s blocks`
      results.push(
        ...(await compare({
          benchmark: 'bundles',
          database: kind,
          unit: 'steps/s',
          rounds: Math.min(bench.rounds, maxRounds),
          ours: { name: `bundled, 1 lane, ${blocks}`, round: () => ourRound(bench, kind, shape) },
          others: [
            {
              name: `one by one, 1 lane, ${blocks}`,
              round: () => ourRound(bench, kind, shape, { BUNDLE_MAX_STEPS: '1' }),
              bound: { atLeast: 2.5 },
            },
          ],
        })),
      )
    }
  }
  return results
}
