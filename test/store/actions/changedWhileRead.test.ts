import { expect } from 'chai'
import type { StepRef } from '../../../server/domain/action.js'
import { statusOf } from '../../../server/domain/status.js'
import type { ActionView, IntentView } from '../../../server/domain/views.js'
import type { Database } from '../../../server/store/connection/database.js'
import { changeSteps, type StepChange } from '../../../server/store/actions/stepChange.js'
import type { Store } from '../../../server/store/store.js'
import { aNewAction, aSignedIntent, stepOf } from '../../support/builders.js'
import { useStore } from '../useStore.js'

/** Where several statements read what one describes, a change may come between any two of them. */
const rounds = 20

describe('an action that changes while it is read', () => {
  let database: Database
  let store: Store
  useStore((fresh) => ({ database, store } = fresh))

  const change = (ref: StepRef, status: StepChange['status']) =>
    database.transact((trx) => changeSteps(trx, [{ ref, change: { status } }], Date.now()))

  /** Of its two steps one has failed, and the other is under way. */
  async function anAction(): Promise<{ actionId: string; last: StepRef }> {
    const entry = aNewAction({ intents: [aSignedIntent(), aSignedIntent()] })
    await store.insertAction(entry)
    const last = stepOf(entry, 1, 0)
    await change(stepOf(entry, 0, 0), 'reverted')
    await change(last, 'executing')
    return { actionId: entry.action.actionId, last }
  }

  it('has not ended for those who have not been told its last event', async () => {
    for (let round = 0; round < rounds; round++) {
      const { actionId, last } = await anAction()
      const [progress] = await Promise.all([store.readProgress(actionId), change(last, 'success')])
      expect([
        { status: 'reverted', events: 2, isMoving: true },
        { status: 'reverted', events: 3, isMoving: false },
      ]).to.deep.include(progress)
    }
  })

  it('has words that fit the steps that are told with them', async () => {
    const fits = (intent: IntentView) => intent.status === statusOf(intent.steps.map(({ status }) => status))
    const isSound = (action: ActionView) =>
      action.status === statusOf(action.intents.map(({ status }) => status)) && action.intents.every(fits)
    for (let round = 0; round < rounds; round++) {
      const { actionId, last } = await anAction()
      const reads = Array.from(
        { length: 4 },
        () => [store.readAction(actionId), store.readIntent(actionId, 1)] as const,
      )
      await change(last, 'success')
      for (const [action, intent] of reads) {
        expect((await action)!).to.satisfy(isSound)
        expect((await intent)!).to.satisfy(fits)
      }
    }
  })

  it('is on a list what the list was asked for', async () => {
    const nothing = { user: null, transactionHash: null, before: null, limit: 1 }
    for (let round = 0; round < rounds; round++) {
      const entry = aNewAction({ intents: [aSignedIntent()] })
      await store.insertAction(entry)
      await change(stepOf(entry, 0, 0), 'executing')
      const [listed] = (await store.listActions({ ...nothing, status: 'executing' })).actions
      expect(listed?.actionId).to.equal(entry.action.actionId)
      const list = store.listActions({ ...nothing, status: 'executing' })
      await change(stepOf(entry, 0, 0), 'success')
      for (const action of (await list).actions) {
        expect([action.status, action.intents[0]!.steps[0]!.status]).to.deep.equal(['executing', 'executing'])
      }
    }
  })
})
