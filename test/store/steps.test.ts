import { expect } from 'chai'
import { aNewAction, anOnDemandIntent, randomAddress, randomHash, stepOf } from '../support/builders.js'
import { moneyScene } from './moneyScene.js'

describe('the steps', () => {
  const scene = moneyScene()

  it('that are asked for together come each to whoever asked for it', async () => {
    const user = randomAddress()
    const entries = Array.from({ length: 40 }, () => aNewAction({ user, intents: [anOnDemandIntent(user, 5n)] }))
    for (const entry of entries) await scene.store.insertAction(entry)
    const known = entries.flatMap((entry) => [stepOf(entry, 0, 0), stepOf(entry, 0, 1)])
    const unknown = { ...known[0]!, stepIndex: 7 }
    const asked = [...known, unknown, ...known.toReversed()]

    const views = await Promise.all(asked.map((ref) => scene.store.readStep(ref)))

    for (const [index, ref] of asked.entries()) {
      if (ref === unknown) expect(views[index]).to.equal(null)
      else expect(views[index]).to.include(ref)
    }
  })

  it('show what was stored before they were asked for', async () => {
    const user = randomAddress()
    const entry = aNewAction({ user, intents: [anOnDemandIntent(user, 5n)] })
    await scene.store.insertAction(entry)
    const ref = stepOf(entry, 0, 0)
    const before = scene.store.readStep(ref)
    const hash = randomHash()
    await scene.ask(ref, { hash, action: 'register' })

    expect(await scene.store.readStep(ref)).to.include({ status: 'executing', transactionHash: hash })
    expect(await before).to.include(ref)
  })
})
