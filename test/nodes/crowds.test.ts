import { expect } from 'chai'
import { inParallel } from '../chaos/client.js'
import { largest, muchGas } from '../e2e/load/crowdShapes.js'
import { createGoodClient } from '../e2e/load/goodClient.js'
import { judgeLedger, judgePayouts } from '../e2e/load/judge.js'
import { useLoadWorld } from '../e2e/load/loadWorld.js'
import { plansOf } from '../e2e/load/prepare.js'
import { type Draft, type Plan, sceneOf, type Shape } from '../e2e/load/scene.js'

/** How many come at the same moment, each with an account of his own. */
const crowd = 24

describe('crowds that all bring the same', () => {
  const world = useLoadWorld()
  const all: Plan[] = []

  const crowds: Record<string, Shape> = {
    'the longest bodies, of which a node takes a few in one request': largest,
    'steps of much gas and many forms, whose estimates take a node long': muchGas,
  }
  for (const [what, shape] of Object.entries(crowds)) {
    it(`are all carried out: ${what}`, async () => {
      const drafts = Array.from({ length: crowd }, (_, index) => draftOf(shape, all.length + index))
      const plans = await plansOf(world, drafts)
      all.push(...plans)
      const good = createGoodClient(world.url)
      await inParallel(plans, crowd, (plan) => good.carryOut(plan))
    }).timeout(150_000)
  }

  it('leave recipients, ledger and chains as they have to be', async () => {
    const { code, database } = await world.close()
    expect(code, world.output()).to.equal(0)
    await judgePayouts(world, all)
    await judgeLedger(world, database, all)
  }).timeout(60_000)

  function draftOf(shape: Shape, index: number): Draft {
    const scene = sceneOf(world, `crowd-${index}`, index)
    const { cents = [0, 0], make } = shape(scene)
    const finish = async () => ({
      deposit: null,
      payouts: [],
      paid: [0n, 0n] as [bigint, bigint],
      ...(await make(null)),
    })
    return { name: scene.name, shape: shape.name, user: scene.own, cents, payment: null, finish }
  }
})
