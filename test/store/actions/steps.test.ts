import { expect } from 'chai'
import type { StepRef } from '../../../server/domain/action.js'
import type { Database, Transaction } from '../../../server/store/connection/database.js'
import { lockedSteps } from '../../../server/store/actions/steps.js'
import { createStore, type Store } from '../../../server/store/store.js'
import { aStepRequest } from '../../support/aStepRequest.js'
import { rethrow } from '../../support/rethrow.js'
import {
  aBatch,
  aNewAction,
  anOnDemandIntent,
  aSignedIntent,
  randomAddress,
  randomHash,
  stepOf,
} from '../../support/builders.js'
import { until } from '../../support/until.js'
import { moneyScene } from '../money/moneyScene.js'
import { useStore } from '../useStore.js'

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

  it('lie no less deep in a block than was seen before, whichever node is asked', async () => {
    const user = randomAddress()
    const entry = aNewAction({ user, intents: [anOnDemandIntent(user, 5n)] })
    await scene.store.insertAction(entry)
    const ref = stepOf(entry, 0, 0)
    const hash = randomHash()
    await scene.ask(ref, { hash, action: 'register' })
    for (const [blockNumber, confirmations] of [
      [7, 5],
      [7, 3],
      [7, 6],
      [null, 0],
      [8, 1],
    ] as const) {
      await scene.store.noteConfirmations(ref, { hash, blockNumber, confirmations }, Date.now())
    }
    const events = await scene.store.readEvents(ref.actionId, 0, 100)
    expect(events.map(({ step }) => step.confirmations)).to.deep.equal([0, 5, 6, 0, 1])
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

describe('a step that is left to who asks for it', () => {
  let database: Database
  let store: Store
  useStore((fresh) => ({ database, store } = fresh))

  const twoBatches = () => aSignedIntent([aBatch({ hash: randomHash() }), aBatch({ hash: randomHash() })])

  async function request(leaseMs?: number) {
    const entry = await stored()
    return ask(stepOf(entry, 0, 0), leaseMs)
  }

  async function stored(user = randomAddress(), intent = aSignedIntent()) {
    const entry = aNewAction({ user, intents: [intent] })
    await store.insertAction(entry)
    return entry
  }

  async function ask(ref: StepRef, leaseMs?: number, where = store) {
    const before = (await store.readStepWork(ref))!
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
    const order = { action: 'execute', hash: null, signed: false } as const
    const leftTo = leaseMs === undefined ? null : { work: before, leaseMs, takesAccount: true }
    const asked = aStepRequest({ ref, order, traceparent, leftTo })
    return { asked, ...(await where.requestStep(asked, Date.now())) }
  }
  const due = async () => (await store.claimDueSteps({ limit: 10, leaseMs: 60_000 })).map(({ ref }) => ref)

  it('is as somebody else would find it', async () => {
    const { asked, view, left } = await request(60_000)
    await store.postponeStep(asked.ref, 0)
    const [claimed] = await store.claimDueSteps({ limit: 10, leaseMs: 60_000 })
    expect(left).to.deep.equal(claimed)
    expect(view).to.deep.equal(claimed!.view)
  })

  it('is found by nobody else before his time is over', async () => {
    await request(60_000)
    expect(await due()).to.deep.equal([])
  })

  it('is found by others afterwards, as if he had died', async () => {
    const { asked } = await request(1)
    await until(async () => (await due()).some(({ actionId }) => actionId === asked.ref.actionId), 'the step')
  })

  it('is not left to who asks for it while it is under way', async () => {
    const { asked, view } = await request(60_000)
    const { view: again, left } = await store.requestStep(asked, Date.now())
    expect(left).to.equal(null)
    expect(again).to.deep.equal(view)
  })

  it('has its user’s account at once, which nobody else has then', async () => {
    const user = randomAddress()
    const [first, second] = [await stored(user), await stored(user)]
    expect((await ask(stepOf(first, 0, 0), 60_000)).left).to.include({ hasAccount: true })
    const { left } = await ask(stepOf(second, 0, 0), 60_000)
    expect(left).to.include({ hasAccount: false })
    expect(await store.takeAccounts([left!])).to.deep.equal([false])
  })

  it('is the only one with the account of those that are asked for together, by several processes too', async () => {
    const user = randomAddress()
    const stores = [store, createStore(database), createStore(database)]
    const entries = await Promise.all(Array.from({ length: 12 }, () => stored(user)))
    const asked = entries.map((entry, index) => ask(stepOf(entry, 0, 0), 60_000, stores[index % stores.length]))
    const answers = await Promise.all(asked)
    expect(answers.filter(({ left }) => left?.hasAccount)).to.have.length(1)
    expect(answers.map(({ view }) => view.status)).to.deep.equal(Array(12).fill('executing'))
  })

  it('leaves the account to the step before it, which has to end first', async () => {
    const entry = await stored(randomAddress(), twoBatches())
    expect((await ask(stepOf(entry, 0, 0))).left, 'left to nobody').to.equal(null)
    expect((await ask(stepOf(entry, 0, 1), 60_000)).left).to.include({ hasAccount: false })
    const before = (await store.readStepWork(stepOf(entry, 0, 0)))!
    expect(await store.takeAccounts([before])).to.deep.equal([true])
  })

  it('gives the account to the step before it when that is undone', async () => {
    const entry = await stored(randomAddress(), twoBatches())
    const [first, second] = [stepOf(entry, 0, 0), stepOf(entry, 0, 1)]
    await ask(first, 60_000)
    const block = { blockNumber: 7, blockHash: randomHash() }
    const success = { status: 'success' as const, confirmations: 1, arrivals: [], payouts: [] }
    await store.settleStep(
      { ref: first, attempt: '1' },
      { ...success, transactionHash: randomHash(), ...block },
      Date.now(),
    )
    expect((await ask(second, 60_000)).left).to.include({ hasAccount: true })
    await store.undoBlock(1, { number: 7, hash: block.blockHash }, Date.now(), rethrow)
    const undone = (await store.readStepWork(first))!
    expect(undone.view.status).to.equal('executing')

    await store.giveAccountBack(second)
    expect(await store.takeAccounts([undone])).to.deep.equal([true])
    expect((await store.readStepWork(second))!.hasAccount).to.equal(false)
  })

  it('is left only to those of several who have asked for that', async () => {
    const [, other] = await Promise.all([request(60_000), request()])
    expect(await due()).to.deep.equal([other.asked.ref])
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
      const asked = refs.map((ref) => store.requestStep(aStepRequest({ ref, order, needs: [] }), Date.now()))

      const others = await Promise.all(asked.filter((_asked, index) => index !== 2))
      letGo()
      await elsewhere
      return [...others, await asked[2]!]
    }

    it('keeps no other waiting that is asked for together with it', async () => {
      const asked = await askBeside((trx, ref) => lockedSteps(trx, [ref]))
      expect(asked.map(({ view: { status, attempts } }) => `${status} ${attempts}`)).to.deep.equal(
        Array(5).fill('executing 1'),
      )
    })

    it('keeps none waiting either when it is another step of the same action', async () => {
      const asked = await askBeside((trx, { actionId }) => trx('actions').where({ id: actionId }).forUpdate())
      expect(asked.map(({ view: { status, attempts } }) => `${status} ${attempts}`)).to.deep.equal(
        Array(5).fill('executing 1'),
      )
    })
  })
}
