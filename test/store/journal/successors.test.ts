import { expect } from 'chai'
import type { StepRef } from '../../../server/domain/action.js'
import type { StepResult } from '../../../server/store/journal/bookResult.js'
import { aNewAction, anOnDemandIntent, randomAddress, randomHash, stepOf, usdOn2 } from '../../support/builders.js'
import { moneyScene } from '../money/moneyScene.js'

describe('what follows a payment', () => {
  const scene = moneyScene()
  const { ask, settlePayment } = scene
  const statusOf = async (ref: StepRef) => (await scene.store.readStep(ref))!.status

  /** A payment of 100, and two payouts of 50 on it. */
  async function anAction() {
    const user = randomAddress()
    const intent = anOnDemandIntent(user, 100n)
    const [pays, gets] = intent.chainBatches
    const half = { ...gets!, tokenTransfers: gets!.tokenTransfers.map((transfer) => ({ ...transfer, amount: 50n })) }
    const entry = aNewAction({ user, intents: [{ ...intent, chainBatches: [pays!, half, half] }] })
    await scene.store.insertAction(entry)
    const hash = randomHash()
    const [payment, first, second] = [0, 1, 2].map((index) => stepOf(entry, 0, index)) as [StepRef, StepRef, StepRef]
    const verify = () => settlePayment(payment, { user, hash, amount: 100n })
    return { payment, first, second, hash, verify }
  }

  async function payOut(ref: StepRef) {
    const place = { transactionHash: randomHash(), blockNumber: 8, blockHash: randomHash() }
    const payouts = [{ chainId: 2, token: usdOn2, amount: 50n }]
    const result: StepResult = { status: 'success', confirmations: 1, arrivals: [], payouts, ...place }
    expect(await scene.store.settleStep({ ref, attempt: '1' }, result, Date.now())).to.equal('settled')
  }

  it('is asked for one after the other where the payment was executed', async () => {
    const { payment, first, second, hash, verify } = await anAction()
    await ask(payment, { hash })
    await verify()
    expect([await statusOf(first), await statusOf(second)]).to.deep.equal(['executing', 'created'])
    await payOut(first)
    expect(await statusOf(second)).to.equal('executing')
  })

  it('is not asked for where one of it was asked for on its own', async () => {
    const { payment, first, second, hash, verify } = await anAction()
    await ask(payment, { hash, action: 'register' })
    await verify()
    await ask(first)
    await payOut(first)
    expect([await statusOf(first), await statusOf(second)]).to.deep.equal(['success', 'created'])
    expect((await ask(second)).status).to.equal('executing')
  })

  for (const [order, payThen] of [
    ['before', ['register', 'execute']],
    ['after', ['execute']],
  ] as const) {
    it(`is asked for where the payment was executed, and one of it on its own ${order} that`, async () => {
      const { payment, first, second, hash, verify } = await anAction()
      await ask(payment, { hash, action: payThen[0] })
      expect((await ask(first)).status).to.equal('executing')
      if (payThen.length > 1) await ask(payment, { hash })
      await verify()
      await payOut(first)
      expect(await statusOf(second)).to.equal('executing')
    })
  }
})
