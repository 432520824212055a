import { expect } from 'chai'
import type { StepRef } from '../../../server/domain/action.js'
import { aStepRequest } from '../../support/aStepRequest.js'
import {
  aNewAction,
  aNewTransaction,
  aSignedIntent,
  randomAddress,
  randomHash,
  stepOf,
} from '../../support/builders.js'
import { moneyScene, need } from '../money/moneyScene.js'

/** A lane of which the chain knows more than the journal: the credit in this database may be spent. */
describe('payouts on credit while a lane is ahead of the journal', () => {
  const scene = moneyScene()
  const [signer, other] = [randomAddress(), randomAddress()]
  const ahead = { chainId: 1, signer: other, reason: 'test', found: { chainNonce: 5 } }
  const resumed = { chainId: 1, signer: other, chainNonce: 5, lost: [] }

  beforeEach(async () => {
    await scene.store.openLane({ chainId: 2, signer, chainNonce: 7, ifLedgerIsNew: null }, Date.now())
    await scene.store.openLane({ chainId: 1, signer: other, chainNonce: 4, ifLedgerIsNew: null }, Date.now())
  })

  /** A payout on credit that was asked for. */
  async function aPayout() {
    const entry = await scene.paidAction(randomAddress(), 100n)
    const ref = stepOf(entry, 0, 1)
    await scene.ask(ref, { needs: [need(10n)] })
    return ref
  }

  const reserve = async (ref: StepRef, isPaid = false) =>
    (await scene.store.reserveForStep((await scene.store.readStepWork(ref))!, [need(10n)], { isPaid }, Date.now()))
      .outcome

  async function record(ref: StepRef): Promise<string> {
    const entry = aNewTransaction({ chainId: 2, signer, steps: [{ ref, attempt: '1' }] })
    return (await scene.store.recordTransaction(entry, Date.now())).outcome
  }

  it('are neither prepared nor signed on any lane of any chain, until it is resumed', async () => {
    const ref = await aPayout()
    expect(await reserve(ref)).to.equal('reserved')
    await scene.store.fixStepKey(ref, randomHash())
    expect(await scene.store.noteLaneAhead(ahead, Date.now())).to.equal(true)
    expect(await reserve(ref)).to.equal('held')
    expect(await record(ref)).to.equal('held')
    // An operator's pause in between does not let go of it.
    await scene.store.pauseLane({ chainId: 1, signer: other, reason: 'by an operator' }, Date.now())
    expect(await record(ref)).to.equal('held')
    expect(await scene.store.resumeLane(resumed, Date.now())).to.equal('paused')
    expect(await reserve(ref)).to.equal('reserved')
    expect(await record(ref)).to.equal('recorded')
  })

  it('are looked at at once when it is resumed, and when it is retired', async () => {
    const claimed = async () =>
      (await scene.store.claimDueSteps({ limit: 10, leaseMs: 60_000 })).map((work) => work.ref)
    const ref = await aPayout()
    await scene.store.noteLaneAhead(ahead, Date.now())
    expect(await claimed()).to.deep.equal([ref])
    await scene.store.postponeStep(ref, 30_000)
    expect(await claimed()).to.deep.equal([])
    await scene.store.resumeLane(resumed, Date.now())
    expect(await claimed()).to.deep.equal([ref])
    await scene.store.noteLaneAhead({ ...ahead, found: { chainNonce: 6 } }, Date.now())
    await scene.store.postponeStep(ref, 30_000)
    await scene.store.retireLane({ chainId: 1, signer: other, givesUp: false }, Date.now())
    expect(await claimed()).to.deep.equal([ref])
  })

  it('are held for one that was paused too, which is paused as before once it is resumed', async () => {
    const ref = await aPayout()
    const lane = async () => (await scene.store.readLanes(1))[0]
    await scene.store.pauseLane({ chainId: 1, signer: other, reason: 'changed' }, Date.now())
    // By two replicas.
    for (const _replica of [1, 2]) await scene.store.noteLaneAhead(ahead, Date.now())
    expect(await lane()).to.include({ status: 'paused', isAhead: true, reason: 'test' })
    expect(await reserve(ref)).to.equal('held')
    expect(await scene.store.resumeLane(resumed, Date.now())).to.equal('paused')
    expect(await lane()).to.include({ status: 'paused', isAhead: false, nextNonce: 5 })
    expect(await reserve(ref)).to.equal('reserved')
    expect(await scene.store.resumeLane(resumed, Date.now())).to.equal('active')
  })

  it('are not held for one that is retired, which is for good', async () => {
    const ref = await aPayout()
    await scene.store.noteLaneAhead(ahead, Date.now())
    const key = { chainId: 1, signer: other }
    const retire = (lane: typeof key) => scene.store.retireLane({ ...lane, givesUp: false }, Date.now())
    expect(await retire(key)).to.deep.equal({ outcome: 'retired', givenUp: 0 })
    await scene.store.pauseLane({ ...key, reason: 'test' }, Date.now())
    expect(await scene.store.noteLaneAhead(ahead, Date.now())).to.equal(false)
    expect((await scene.store.readLanes(1))[0]).to.include({ status: 'paused', isAhead: false, isRetired: true })
    expect(await reserve(ref)).to.equal('reserved')
    await scene.store.fixStepKey(ref, randomHash())
    expect(await record(ref)).to.equal('recorded')
    expect(await retire({ chainId: 2, signer })).to.deep.equal({ outcome: 'open', open: 1, mined: 0 })
    expect(await retire({ chainId: 3, signer })).to.deep.equal({ outcome: 'noLane' })
    const refused = await scene.store.resumeLane(resumed, Date.now()).catch((error: Error) => error.message)
    expect(refused).to.contain('retired for good')
  })

  it('are prepared anew when the lane that has signed them is given up, unless they are mined', async () => {
    const ref = await aPayout()
    expect(await reserve(ref)).to.equal('reserved')
    await scene.store.fixStepKey(ref, randomHash())
    expect(await record(ref)).to.equal('recorded')
    const retire = () => scene.store.retireLane({ chainId: 2, signer, givesUp: true }, Date.now())
    const { knex } = scene.database
    const { id } = await knex('transactions').first('id')
    const mined = { hash: randomHash(), blockNumber: 9, blockHash: randomHash(), confirmations: 1 }
    await scene.store.noteMined(id, mined, Date.now())
    expect(await retire()).to.deep.equal({ outcome: 'open', open: 1, mined: 1 })
    await scene.store.noteMined(id, null, Date.now())
    expect(await retire()).to.deep.equal({ outcome: 'retired', givenUp: 1 })
    expect((await knex('transactions').first('status')).status).to.equal('lost')
    expect(await scene.store.claimDueSteps({ limit: 10, leaseMs: 60_000 })).to.have.length(1)
  })

  it('are spent all the same where the vault has paid them already', async () => {
    const ref = await aPayout()
    await scene.store.noteLaneAhead(ahead, Date.now())
    expect(await reserve(ref, true)).to.equal('reserved')
  })

  it('are not held for a lane that an operator has paused, nor for one that has moved on since it was looked at', async () => {
    const ref = await aPayout()
    await scene.store.pauseLane({ chainId: 1, signer: other, reason: 'by an operator' }, Date.now())
    expect(await scene.store.noteLaneAhead({ ...ahead, found: { chainNonce: 4 } }, Date.now())).to.equal(false)
    expect(await reserve(ref)).to.equal('reserved')
  })

  it('are held for one of whose nonces something else has used, though it has signed more since', async () => {
    const ref = await aPayout()
    for (const _nonce of [4, 5]) {
      const entry = aNewAction({ intents: [aSignedIntent()] })
      await scene.store.insertAction(entry)
      const asked = stepOf(entry, 0, 0)
      await scene.ask(asked)
      const carried = aNewTransaction({ chainId: 1, signer: other, steps: [{ ref: asked, attempt: '1' }] })
      expect((await scene.store.recordTransaction(carried, Date.now())).outcome).to.equal('recorded')
    }
    const note = (usedNonce: number) => scene.store.noteLaneAhead({ ...ahead, found: { usedNonce } }, Date.now())
    expect(await note(6), 'which it does not have').to.equal(false)
    expect(await note(4)).to.equal(true)
    expect(await reserve(ref)).to.equal('held')
  })

  it('leave what is paid on nobody’s credit to go on', async () => {
    const entry = aNewAction({ intents: [aSignedIntent()] })
    await scene.store.insertAction(entry)
    const ref = stepOf(entry, 0, 0)
    await scene.store.requestStep(
      aStepRequest({ ref, order: { action: 'execute', hash: null, signed: false }, needs: [] }),
      Date.now(),
    )
    await scene.store.noteLaneAhead(ahead, Date.now())
    expect(await record(ref)).to.equal('recorded')
  })
})
