import type { Hash } from 'viem'
import type { Random } from '../../support/random.js'
import * as failing from './failingShapes.js'
import * as good from './goodShapes.js'
import type { LoadWorld } from './loadWorld.js'
import { type Draft, sceneOf } from './scene.js'

/** How often each shape comes, beside the others. */
const shapes = {
  plain: { weight: 30, draft: good.plain },
  across: { weight: 14, draft: good.across },
  widest: { weight: 6, draft: good.widest },
  longest: { weight: 6, draft: good.longest },
  deepest: { weight: 2, draft: good.deepest },
  manyIntents: { weight: 2, draft: good.manyIntents },
  giant: { weight: 1, draft: good.giant },
  manyAuthorizations: { weight: 2, draft: good.manyAuthorizations },
  onDemand: { weight: 10, draft: good.onDemand },
  onCredit: { weight: 8, draft: good.onCredit },
  hungry: { weight: 4, draft: good.hungry },
  poor: { weight: 4, draft: failing.poor },
  burning: { weight: 4, draft: failing.burning },
  broken: { weight: 3, draft: failing.broken },
  early: { weight: 2, draft: failing.early },
  contested: { weight: 3, draft: failing.contested },
  uncovered: { weight: 3, draft: failing.uncovered },
  mismatched: { weight: 2, draft: failing.mismatched },
}
export type ShapeName = keyof typeof shapes
const shapeNames = Object.keys(shapes) as ShapeName[]

/** Follows from the seed and the index. Each shape comes at least once in a run that has room for them. */
export function draftOf(world: LoadWorld, index: number): Draft {
  const name = `action-${index}`
  const scene = sceneOf(world, name, index)
  const shape = shapeNames[index] ?? pickShape(scene.random)
  const { cents = [0, 0], payment = null, make } = shapes[shape].draft(scene)
  const finish = async (hash: Hash | null) => ({
    deposit: null,
    payouts: [],
    paid: [0n, 0n] as [bigint, bigint],
    ...(await make(hash)),
  })
  return { name, shape, user: scene.userFor(payment !== null), cents, payment, finish }
}

function pickShape(random: Random): ShapeName {
  const total = shapeNames.reduce((sum, name) => sum + shapes[name].weight, 0)
  let left = random.below(total)
  return shapeNames.find((name) => (left -= shapes[name].weight) < 0)!
}
