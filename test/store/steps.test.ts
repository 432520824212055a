import { expect } from 'chai'
import type { StepRef } from '../../server/domain/action.js'
import type { Database, Transaction } from '../../server/store/database.js'
import { lockedSteps } from '../../server/store/steps.js'
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

    /** Asks for a step of each of five actions at once, while somebody has locked what is told of the third. */
    async function askBeside(lock: (trx: Transaction, ref: StepRef) => Promise<unknown>) {
      const entries = Array.from({ length: 5 }, () => aNewAction({ intents: [aSignedIntent()] }))
      for (const entry of entries) await store.insertAction(entry)
      const refs = entries.map((entry) => stepOf(entry, 0, 0))
      let isLocked = false
      let letGo = () => {}
      const elsewhere = database.transact(async (trx) => {
        await lock(trx, refs[2]!)
        isLocked = true
        await new Promise<void>((resolve) => (letGo = resolve))
      })
      await until(() => isLocked, 'the lock')
      const order = { action: 'execute', hash: null, signed: false } as const
      const asked = refs.map((ref) => store.requestStep({ ref, order, needs: [], intentSigned: true }, Date.now()))

      const others = await Promise.all(asked.filter((_asked, index) => index !== 2))
      letGo()
      await elsewhere
      return [...others, await asked[2]!]
    }

    it('keeps no other waiting that is asked for together with it', async () => {
      const asked = await askBeside((trx, ref) => lockedSteps(database, trx, [ref]))
      expect(asked.map(({ status, attempts }) => `${status} ${attempts}`)).to.deep.equal(Array(5).fill('executing 1'))
    })

    it('keeps none waiting either when it is another step of the same action', async () => {
      const asked = await askBeside((trx, { actionId }) => trx('actions').where({ id: actionId }).forUpdate())
      expect(asked.map(({ status, attempts }) => `${status} ${attempts}`)).to.deep.equal(Array(5).fill('executing 1'))
    })
  })
}
