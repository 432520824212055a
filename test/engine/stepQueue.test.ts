import { expect } from 'chai'
import { stepQueue } from '../../server/engine/steps/stepQueue.js'
import type { EngineTools } from '../../server/engine/tools.js'
import type { Store } from '../../server/store/store.js'
import { aStepRequest } from '../support/aStepRequest.js'
import { aBatch, aNewAction, aSignedIntent, randomHash, stepOf } from '../support/builders.js'
import { useStore } from '../store/useStore.js'

describe('a step whose predecessor is under way again', () => {
  let store: Store
  useStore((fresh) => ({ store } = fresh))

  it('gives their account back to it and waits', async () => {
    const intent = aSignedIntent([aBatch({ hash: randomHash() }), aBatch({ hash: randomHash() })])
    const entry = aNewAction({ intents: [intent] })
    await store.insertAction(entry)
    const [first, second] = [stepOf(entry, 0, 0), stepOf(entry, 0, 1)]
    const order = { action: 'execute', hash: null, signed: false } as const
    for (const ref of [first, second]) {
      await store.requestStep(aStepRequest({ ref, order, needs: [] }), Date.now())
    }
    expect(await store.takeAccounts([(await store.readStepWork(second))!])).to.deep.equal([true])

    const accounts = { giveBack: ({ ref }: { ref: typeof second }) => store.giveAccountBack(ref) }
    const queue = stepQueue({ store, accounts, now: Date.now } as unknown as EngineTools)
    const visit = await queue.visit((await store.readStepWork(second))!)

    expect(visit.outcome).to.equal('waits')
    expect(await store.takeAccounts([(await store.readStepWork(first))!])).to.deep.equal([true])
  })
})
