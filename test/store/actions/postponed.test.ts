import { expect } from 'chai'
import { createStore } from '../../../server/store/store.js'
import { aStepRequest } from '../../support/aStepRequest.js'
import { aNewAction, aSignedIntent, stepOf } from '../../support/builders.js'
import { freshDatabase } from '../../support/database.js'

describe('steps that are postponed', () => {
  it('share a transaction when they are so together, each for its own time', async () => {
    const { database, drop } = await freshDatabase()
    const store = createStore(database)
    try {
      const refs = []
      for (let count = 0; count < 3; count++) {
        const entry = aNewAction({ intents: [aSignedIntent()] })
        await store.insertAction(entry)
        const ref = stepOf(entry, 0, 0)
        const order = { action: 'execute', hash: null, signed: false } as const
        await store.requestStep(aStepRequest({ ref, order, needs: [] }), Date.now())
        refs.push(ref)
      }
      const claim = () => store.claimDueSteps({ limit: 10, leaseMs: 60_000 })
      expect(await claim()).to.have.length(3)
      let transactions = 0
      const transact = database.transact.bind(database)
      database.transact = (...given) => {
        transactions += 1
        return transact(...given)
      }
      await Promise.all(refs.map((ref, index) => store.postponeStep(ref, index === 1 ? -1 : 60_000)))
      expect(transactions).to.equal(1)
      expect((await claim()).map(({ ref }) => ref)).to.deep.equal([refs[1]])
    } finally {
      await drop()
    }
  })
})
