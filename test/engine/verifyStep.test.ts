import { expect } from 'chai'
import { verifyStep } from '../../server/engine/steps/verifyStep.js'
import * as verifyPayment from '../../server/chain/verifyPayment.js'
import { aNewAction, anOnDemandIntent, randomAddress, randomHash, stepOf } from '../support/builders.js'
import { moneyScene } from '../store/moneyScene.js'

const tenMinutesMs = 10 * 60 * 1000

describe('a step whose transaction no node knows', () => {
  const scene = moneyScene()

  /** Registered, and looked for so long already. */
  async function unseenFor(unseenMs: number) {
    const user = randomAddress()
    const entry = aNewAction({ user, intents: [anOnDemandIntent(user)] })
    await scene.store.insertAction(entry)
    const ref = stepOf(entry, 0, 0)
    const hash = randomHash()
    await scene.ask(ref, { hash, action: 'register' })
    await scene.store.noteUnseen(ref, hash, unseenMs)
    const chain = {
      config: { chainId: 1, pollIntervalMs: 1_000, confirmations: 1, tokens: [] },
      transaction: async () => ({ transaction: null, receipt: null, head: { number: 9n } }),
    }
    const visit = await verifyStep((await scene.store.readStepWork(ref))!, {
      store: scene.store,
      chains: new Map([[1, chain]]),
      codec: verifyPayment,
      accounts: { freed: async () => {} },
      changed: () => {},
      countStep: () => {},
      now: Date.now,
      log: { info: () => {} },
    } as never)
    return { ref, hash, visit, step: (await scene.store.readStep(ref))! }
  }

  it('is looked for again for ten minutes, ever later', async () => {
    const { ref, visit, step } = await unseenFor(tenMinutesMs - 1)
    expect(visit).to.deep.equal({ outcome: 'waits', delayMs: 15_000 })
    expect(step).to.include({ status: 'executing', error: null })
    expect((await scene.store.readStepWork(ref))!.unseenMs).to.equal(tenMinutesMs - 1 + 15_000)
  })

  it('fails then, says so, and may be asked for again, for ten minutes more', async () => {
    const { ref, hash, step } = await unseenFor(tenMinutesMs)
    expect(step).to.deep.include({
      status: 'error',
      error: {
        code: 'transaction_not_found',
        message: `No transaction ${hash} has appeared on chain 1 within 10 minutes.`,
        retryable: true,
      },
    })
    expect((await scene.ask(ref, { hash, action: 'register' })).status).to.equal('executing')
    expect((await scene.store.readStepWork(ref))!.unseenMs).to.equal(0)
  })
})
