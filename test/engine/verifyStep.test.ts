import { expect } from 'chai'
import { verifyStep } from '../../server/engine/steps/verifyStep.js'
import * as verifyPayment from '../../server/chain/verifyPayment.js'
import { aNewAction, anOnDemandIntent, randomAddress, randomHash, stepOf, usdOn1 } from '../support/builders.js'
import { moneyScene } from '../store/moneyScene.js'

const tenMinutesMs = 10 * 60 * 1000

describe('a step whose transaction is in no block', () => {
  const scene = moneyScene()

  /** Registered, and looked for so long already. */
  async function unseenFor(unseenMs: number, { isKnown = false, laterMs = 0 } = {}) {
    const user = randomAddress()
    const entry = aNewAction({ user, intents: [anOnDemandIntent(user)] })
    await scene.store.insertAction(entry)
    const ref = stepOf(entry, 0, 0)
    const hash = randomHash()
    await scene.ask(ref, { hash, action: 'register' })
    await scene.store.noteUnseen(ref, hash, unseenMs)
    const chain = {
      config: { chainId: 1, pollIntervalMs: 1_000, confirmations: 1, tokens: [] },
      transaction: async () => ({
        transaction: isKnown ? { from: user, to: usdOn1, value: 0n, input: '0x' } : null,
        receipt: null,
        head: { number: 9n },
      }),
    }
    const visit = await verifyStep((await scene.store.readStepWork(ref))!, {
      store: scene.store,
      chains: new Map([[1, chain]]),
      codec: verifyPayment,
      accounts: { freed: async () => {} },
      changed: () => {},
      countStep: () => {},
      now: () => Date.now() + laterMs,
      log: { info: () => {} },
    } as never)
    return { ref, hash, visit, step: (await scene.store.readStep(ref))! }
  }

  it('is looked for again for ten minutes where no node knows it, ever later', async () => {
    const { ref, visit, step } = await unseenFor(tenMinutesMs - 1)
    expect(visit).to.deep.equal({ outcome: 'waits', delayMs: 15_000 })
    expect(step).to.include({ status: 'executing', error: null })
    expect((await scene.store.readStepWork(ref))!.unseenMs).to.equal(tenMinutesMs - 1 + 15_000)
  })

  it('waits for its block for a day once a node knows it, and may be asked for again', async () => {
    const hourMs = 3_600_000
    const early = await unseenFor(0, { isKnown: true, laterMs: 23 * hourMs })
    expect(early.visit).to.deep.equal({ outcome: 'waits', delayMs: 15_000 })
    expect(early.step).to.include({ status: 'executing', error: null })
    const { ref, hash, step } = await unseenFor(0, { isKnown: true, laterMs: 25 * hourMs })
    expect(step).to.deep.include({
      status: 'error',
      error: {
        code: 'transaction_not_found',
        message: `No block of chain 1 has had the transaction ${hash} within a day. Ask again once it is mined.`,
        retryable: true,
      },
    })
    expect((await scene.ask(ref, { hash, action: 'register' })).status).to.equal('executing')
  })

  it('fails after that, says so, and may be asked for again, for ten minutes more', async () => {
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
