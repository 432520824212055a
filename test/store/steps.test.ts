import { expect } from 'chai'
import type { Database } from '../../server/store/database.js'
import type { NewAction } from '../../server/store/newActions.js'
import { lockSteps } from '../../server/store/steps.js'
import type { Store } from '../../server/store/store.js'
import { aNewAction, anOnDemandIntent, aSignedIntent, randomAddress, randomHash, stepOf } from '../support/builders.js'
import { until } from '../support/until.js'
import { moneyScene } from './moneyScene.js'
import { useStore } from './useStore.js'

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

// Locks of rows are MariaDB's; SQLite has one connection.
if (process.env.TEST_DATABASE === 'mysql') {
  describe('a step that somebody else is at', () => {
    let database: Database
    let store: Store
    useStore((fresh) => ({ database, store } = fresh))

    it('keeps no other waiting that is asked for together with it', async () => {
      const entries = Array.from({ length: 5 }, () => aNewAction({ intents: [aSignedIntent()] }))
      for (const entry of entries) await store.insertAction(entry)
      const ask = (entry: NewAction) => {
        const order = { action: 'execute', hash: null, signed: false } as const
        return store.requestStep({ ref: stepOf(entry, 0, 0), order, needs: [], intentSigned: true }, Date.now())
      }
      let letGo = () => {}
      let isLocked = false
      const elsewhere = database.transact(async (trx) => {
        await lockSteps(database, trx, [stepOf(entries[2]!, 0, 0)])
        isLocked = true
        await new Promise<void>((resolve) => (letGo = resolve))
        isLocked = false
      })
      await until(() => isLocked, 'the lock')
      const asked = entries.map(ask)

      const others = await Promise.all(asked.filter((_asked, index) => index !== 2))
      expect(isLocked).to.equal(true)
      expect(others.map(({ status }) => status)).to.deep.equal(others.map(() => 'executing'))
      letGo()
      await elsewhere
      expect(await asked[2]).to.include({ status: 'executing', attempts: 1 })
    })
  })
}
