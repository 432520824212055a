import { expect } from 'chai'
import { freshDatabase } from '../support/database.js'
import { checkAlways, checkAtRest } from './invariants.js'
import { createOperations } from './operations.js'
import { createWorld, type RareThing, rareThings } from './world.js'

const usual = { from: 1, seeds: 5, length: 200 }
const from = Number(process.env.MODEL_FROM ?? usual.from)
const seeds = Number(process.env.MODEL_SEEDS ?? usual.seeds)
const length = Number(process.env.MODEL_LENGTH ?? usual.length)
const toldOnFailure = 60

describe(`the store’s money under random use (${seeds} seeds from ${from}, ${length} operations)`, function () {
  this.timeout(Math.max(120_000, seeds * length * 100))
  const met = new Set<RareThing>()

  for (const hasOpenFunding of [false, true]) {
    it(`is what the chains say, ${hasOpenFunding ? 'with' : 'without'} open funding`, async () => {
      for (let seed = from; seed < from + seeds; seed += 1) {
        for (const thing of await walk(seed, hasOpenFunding)) met.add(thing)
      }
    })
  }

  // The usual walks do; a few of one's own choice need not.
  if (from === usual.from && seeds >= usual.seeds && length >= usual.length) {
    it('has met what is rare and proves the most', () => {
      expect(rareThings.filter((thing) => !met.has(thing))).to.deep.equal([])
    })
  }
})

/** One run, from an empty database until nothing is under way any more. */
async function walk(seed: number, hasOpenFunding: boolean): Promise<Set<RareThing>> {
  const log: string[] = []
  const fresh = await freshDatabase()
  try {
    const world = await createWorld(fresh.database, { seed, hasOpenFunding, log })
    const operations = createOperations(world, () => checkAlways(world))
    for (let count = 0; count < length; count += 1) await operations.next()
    await operations.rest()
    await checkAtRest(world)
    return world.met
  } catch (error) {
    throw new Error(failureText({ seed, hasOpenFunding, log, error }), { cause: error })
  } finally {
    await fresh.drop()
  }
}

function failureText(failed: { seed: number; hasOpenFunding: boolean; log: string[]; error: unknown }): string {
  const { seed, hasOpenFunding, log, error } = failed
  return [
    error instanceof Error ? error.message : String(error),
    `in seed ${seed} ${hasOpenFunding ? 'with' : 'without'} open funding, after:`,
    ...log.slice(-toldOnFailure).map((line) => `  ${line}`),
    `Again: MODEL_SEEDS=1 MODEL_FROM=${seed} MODEL_LENGTH=${length} npx mocha test/model/money.test.ts`,
  ].join('\n')
}
