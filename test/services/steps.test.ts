import { expect } from 'chai'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { ServiceError } from '../../server/domain/errors.js'
import { forbiddenRecipient } from '../../server/domain/recipients.js'
import { createChanges } from '../../server/services/changes.js'
import { createSteps } from '../../server/services/steps.js'
import type { StepView } from '../../server/domain/views.js'
import type { Database } from '../../server/store/connection/database.js'
import type { Store } from '../../server/store/store.js'
import type { StepWork } from '../../server/store/actions/steps.js'
import { aBatch, aNewAction, aSignedIntent, aTransfer, stepOf } from '../support/builders.js'
import { until } from '../support/until.js'
import { useStore } from '../store/useStore.js'

const order = {
  action: 'execute',
  hash: null,
  signature: null,
  countFor: null,
  behindFailed: false,
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
} as const

function stepsOn(deps: { store: Store } & Partial<Parameters<typeof createSteps>[0]>) {
  return createSteps({
    settings: {
      chains: new Map([[1, { chainId: 1, tokens: [] } as unknown as ChainConfig]]),
      groups: {},
      operators: [],
      funders: new Set(),
      onDemandProof: 'required',
    },
    droppedTokens: [],
    recover: () => Promise.reject(new Error('nothing is signed here')),
    takeSeat: () => null,
    isAccountAwaited: () => false,
    wake: () => undefined,
    nextChange: () => Promise.resolve([]),
    now: Date.now,
    ...deps,
  })
}

describe('requests that wait for steps of one action', () => {
  const count = 16
  let database: Database
  let store: Store
  let end: () => Promise<unknown> = async () => undefined
  // Before the database is closed, which those who hang up still look at.
  afterEach(() => end())
  useStore((fresh) => ({ database, store } = fresh))

  /** Each waits for its own step for as long as a test may take, and looks by itself only when `timeMs` has gone by. */
  async function waitForAll() {
    const entry = aNewAction({ intents: Array.from({ length: count }, () => aSignedIntent()) })
    await store.insertAction(entry)
    const refs = Array.from({ length: count }, (_none, index) => stepOf(entry, index, 0))
    const changes = createChanges()
    const scene = { timeMs: 0, looks: 0, answered: [] as StepView[], changes, refs }
    let listening = 0
    const steps = stepsOn({
      store: {
        ...store,
        readStep: async (ref) => {
          const view = await store.readStep(ref)
          scene.looks++
          return view
        },
      },
      nextChange(topic, _timeoutMs, signal, isWanted) {
        listening++
        return changes.next(topic, 600_000, signal, isWanted)
      },
      now: () => scene.timeMs,
    })
    const hangUp = new AbortController()
    const all = refs.map(async (ref) => scene.answered.push(await steps.request(ref, order, 600_000, hangUp.signal)))
    end = () => {
      hangUp.abort()
      return Promise.all(all)
    }
    await until(() => listening === count, 'all to listen')
    return scene
  }

  it('read nothing while others’ steps are told, and are answered by what is told of their own', async () => {
    const scene = await waitForAll()
    const { changes, refs, answered } = scene
    const views = await Promise.all(refs.map(async (ref) => (await store.readStep(ref))!))
    for (const view of views) changes.tell(view.actionId, [view])
    await settled()
    for (const [index, view] of views.entries()) {
      changes.tell(view.actionId, [{ ...view, status: 'success' }])
      await until(() => answered.length === index + 1, 'the answer')
      expect(answered[index]).to.deep.equal({ ...view, status: 'success' })
    }
    expect(scene.looks).to.equal(0)
  })

  it('look when it is not told which step has changed, and after a while at the change of another’s', async () => {
    const scene = await waitForAll()
    const { changes, refs, answered } = scene
    const first = (await store.readStep(refs[0]!))!
    const tellFirst = () => changes.tell(first.actionId, [first])
    const others = count - 1
    tellFirst()
    await settled()
    expect(scene.looks).to.equal(0)
    changes.tell(first.actionId)
    await until(() => scene.looks === count, 'all to look')
    // Another replica has ended them.
    await database.knex('steps').update({ status: 'success' })
    scene.timeMs += 250
    tellFirst()
    await until(() => answered.length === others, 'the answers of the others')
    expect(scene.looks).to.equal(count + others)
  })
})

/** By then all have heard of what was told. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 5; turns++) await new Promise(setImmediate)
}

describe('a step that is asked for beside an engine', () => {
  let store: Store
  useStore((fresh) => ({ store } = fresh))

  /** Asks for a step with a seat to be had, of a store that may lose the answer of its COMMIT. */
  async function ask({ losesAnswer }: { losesAnswer: boolean }) {
    const entry = aNewAction({ intents: [aSignedIntent()] })
    await store.insertAction(entry)
    const ref = stepOf(entry, 0, 0)
    const given: StepWork[] = []
    let left = 0
    let wakes = 0
    const steps = stepsOn({
      store: {
        ...store,
        async requestStep(request, now) {
          const answer = await store.requestStep(request, now)
          if (losesAnswer) throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
          return answer
        },
      },
      takeSeat: () => ({ leaseMs: 60_000, give: (work) => void given.push(work), leave: () => void (left += 1) }),
      wake: () => void (wakes += 1),
    })
    const asked = steps.request(ref, order, 0, new AbortController().signal)
    const outcome = await asked.then(
      ({ status }) => status,
      (error: Error) => error.message,
    )
    return { ref, outcome, given, left: () => left, wakes: () => wakes }
  }

  it('is given to it as it was accepted, and found by nobody else', async () => {
    const { ref, outcome, given, left } = await ask({ losesAnswer: false })
    expect(outcome).to.equal('executing')
    expect(given).to.deep.equal([await store.readStepWork(ref)])
    expect(left(), 'every seat is given up').to.equal(1)
    expect(await store.claimDueSteps({ limit: 10, leaseMs: 60_000 })).to.deep.equal([])
  })

  it('is looked at at once by whoever finds it where nobody knows whether it was accepted', async () => {
    const { ref, outcome, given, left, wakes } = await ask({ losesAnswer: true })
    expect(outcome).to.equal('read ECONNRESET')
    expect(given).to.deep.equal([])
    expect(left()).to.equal(1)
    await until(() => wakes() === 1, 'the engine to be woken')
    expect((await store.claimDueSteps({ limit: 10, leaseMs: 60_000 })).map((work) => work.ref)).to.deep.equal([ref])
  })
})

describe('a step in which the solver would pay whom the user has not signed', () => {
  let store: Store
  useStore((fresh) => ({ store } = fresh))

  it('is refused, and stays as it is', async () => {
    const batch = aBatch({ tokenTransfers: [aTransfer()] })
    const entry = aNewAction({ intents: [aSignedIntent([batch])] })
    await store.insertAction(entry)
    const ref = stepOf(entry, 0, 0)
    const asked = stepsOn({ store }).request(ref, order, 0, new AbortController().signal)
    const error = await asked.catch((reason: unknown) => reason)
    const { user } = entry.action
    const message = forbiddenRecipient(user, aSignedIntent(), batch)
    expect(error).to.be.instanceOf(ServiceError).and.include({ code: 'recipient_not_allowed', message })
    expect((await store.readStep(ref))?.status).to.equal('created')
  })
})

describe('requests for the same step at the same moment', () => {
  let store: Store
  useStore((fresh) => ({ store } = fresh))

  it('wait for it where they name no wait, and are answered at once where another was accepted', async () => {
    const entry = aNewAction({ intents: [aSignedIntent()] })
    await store.insertAction(entry)
    const hangUp = new AbortController()
    const steps = stepsOn({ store, nextChange: createChanges().next })
    const answered: string[] = []
    const asked = [1, 2, 3].map(async () => {
      const { status } = await steps.request(stepOf(entry, 0, 0), order, null, hangUp.signal)
      answered.push(status)
    })
    await until(() => answered.length === 2, 'those that found it under way', 5_000)
    expect(answered).to.deep.equal(['executing', 'executing'])
    hangUp.abort()
    await Promise.all(asked)
  })
})
