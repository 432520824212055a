import { expect } from 'chai'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { createSteps } from '../../server/services/steps.js'
import type { Store } from '../../server/store/store.js'
import type { StepWork } from '../../server/store/actions/steps.js'
import { aNewAction, aSignedIntent, stepOf } from '../support/builders.js'
import { until } from '../support/until.js'
import { useStore } from '../store/useStore.js'

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
    const steps = createSteps({
      store: {
        ...store,
        async requestStep(request, now) {
          const answer = await store.requestStep(request, now)
          if (losesAnswer) throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
          return answer
        },
      },
      settings: {
        chains: new Map([[1, { chainId: 1, tokens: [] } as unknown as ChainConfig]]),
        groups: {},
        operators: [],
        funders: new Set(),
        onDemandProof: 'required',
      },
      droppedTokens: [],
      recover: () => Promise.reject(new Error('nothing is signed here')),
      takeSeat: () => ({ leaseMs: 60_000, give: (work) => void given.push(work), leave: () => void (left += 1) }),
      isAccountAwaited: () => false,
      wake: () => void (wakes += 1),
      nextChange: () => Promise.resolve([]),
      now: Date.now,
    })
    const order = { action: 'execute', hash: null, signature: null, countFor: null } as const
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
    const asked = steps.request(ref, { ...order, traceparent }, 0, new AbortController().signal)
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
