import { expect } from 'chai'
import type { Hash } from 'viem'
import type { StepResult } from '../../../server/store/journal/bookResult.js'
import { createStore } from '../../../server/store/store.js'
import { aStepRequest } from '../../support/aStepRequest.js'
import { rethrow } from '../../support/rethrow.js'
import { anOnDemandIntent, randomHash, stepOf, usdOn2 } from '../../support/builders.js'
import { reorganisationScene } from './reorganisationScene.js'

describe('a payment whose block has gone', () => {
  const scene = reorganisationScene()
  const { now, need, available, ask, anotherAction, verify, registeredAction, paidAction, record, prepared } = scene

  it('sends nothing that was prepared on a payment which is gone, though its step was asked for again', async () => {
    const { payout, block } = await paidAction()
    await ask(payout, null, [need])
    const old = await prepared(payout)
    const undone = await scene.store.undoBlock(1, block, now, rethrow)
    expect((await scene.store.readStep(payout))!.error?.code).to.equal('insufficient_credit')
    const ended = { ref: payout, chainId: 2, traceparent: null, code: 'insufficient_credit' }
    expect(undone[0], 'it is told which steps that ends').to.deep.include({ kind: 'credit', ended: [ended] })
    expect((await ask(payout, null, [need])).status, 'it waits for the payment').to.equal('executing')
    expect(await record(old).catch((error: Error) => error.message)).to.equal('stale')
  })

  it('tells the step after a payout that it stops, which would look by itself in a minute only', async () => {
    const intent = anOnDemandIntent(scene.user)
    const entry = await anotherAction({ ...intent, chainBatches: [...intent.chainBatches, intent.chainBatches[1]!] })
    const [payment, payout, next] = [0, 1, 2].map((index) => stepOf(entry, 0, index))
    const [hash, block] = [randomHash(), { number: 7, hash: randomHash() }]
    await ask(payment!, hash)
    await verify(payment!, hash, block)
    await ask(payout!, null, [need])
    await ask(next!, null)
    const third = scene.database.knex('steps').where({ step_index: 2 })
    await third.clone().update({ due_at: Date.now() + 60_000 })
    const due = async () => Number((await third.clone().first('due_at')).due_at) <= Date.now() + 1_000
    expect(await due()).to.equal(false)
    await scene.store.undoBlock(1, block, now, rethrow)
    expect((await scene.store.readStep(payout!))!.error?.code).to.equal('insufficient_credit')
    expect(await due()).to.equal(true)
  })

  for (const status of ['success', 'error'] as const) {
    it(`gives its credit back to what another transaction has paid, gone with its block: ${status}`, async () => {
      const { payout } = await paidAction()
      await ask(payout, null, [need])
      const block = { number: 40, hash: randomHash() }
      const place = {
        transactionHash: randomHash(),
        blockNumber: block.number,
        blockHash: block.hash,
        confirmations: 1,
      }
      const payouts = [{ chainId: 2, token: usdOn2, amount: 100n }]
      const error = { code: 'batch_not_executed', message: 'no', retryable: false } as const
      const result: StepResult =
        status === 'success' ? { status, ...place, arrivals: [], payouts } : { status, error, ...place, payouts }
      expect(await scene.store.settleStep((await scene.store.readStepWork(payout))!, result, now)).to.equal('settled')
      expect(await scene.paid()).to.equal(100n)
      expect(await scene.store.readSettledBlocks(2, { from: 0, to: 100 }, 100)).to.deep.equal([block])
      expect(await scene.store.undoBlock(2, block, now, rethrow)).to.have.length(1)
      expect(await scene.store.undoBlock(2, block, now, rethrow), 'again').to.deep.equal([])
      expect(await scene.paid()).to.equal(0n)
      expect(await scene.store.readStep(payout)).to.include({ status: 'executing', error: null })
      expect(await scene.store.readSettledBlocks(2, { from: 0, to: 100 }, 100)).to.deep.equal([])
    })
  }

  it('remembers of each chain up to which block all was held against it', async () => {
    const checked = () => Promise.all([1, 2].map((chainId) => scene.store.readCheckedBlock(chainId)))
    expect(await checked()).to.deep.equal([null, null])
    for (const number of [70, 71]) await scene.store.noteCheckedBlock({ chainId: 2, number }, now)
    expect(await checked()).to.deep.equal([null, 71])
  })

  it('takes a payment’s credit back with every block that it has been in', async () => {
    const { payment, hash } = await registeredAction()
    for (const number of [7, 8, 9]) {
      const block = { number, hash: randomHash() }
      expect(await verify(payment, hash, block)).to.equal('settled')
      expect(await available()).to.equal(100n)
      await scene.store.undoBlock(1, block, now, rethrow)
      expect(await available(), `after block ${number}`).to.equal(0n)
    }
  })

  it('lets a payment that comes again back another step, once its own has given it up', async () => {
    const { payment, hash, block } = await registeredAction()
    await verify(payment, hash, block)
    await scene.store.undoBlock(1, block, now, rethrow)
    const error = { code: 'transaction_not_found', message: 'no', retryable: true } as const
    const failed = { status: 'error', error, transactionHash: hash, blockNumber: null } as const
    expect(await scene.store.settleStep((await scene.store.readStepWork(payment))!, failed, now)).to.equal('settled')
    const other = await anotherAction()
    expect((await ask(stepOf(other, 0, 0), hash)).status).to.equal('executing')
    expect(await verify(stepOf(other, 0, 0), hash, { number: 8, hash: randomHash() })).to.equal('settled')
    expect(await available()).to.equal(100n)
  })

  it('pays out on a payment that came again for another step, though a payout that failed has had its key', async () => {
    const { payment, payout, hash, block } = await paidAction()
    const stepKey = randomHash()
    await ask(payout, null, [need])
    expect(await scene.store.fixStepKey(payout, stepKey)).to.equal(true)
    const failed = (code: 'transaction_not_found' | 'solver_liquidity', transactionHash: Hash | null) =>
      ({
        status: 'error',
        error: { code, message: 'no', retryable: true },
        transactionHash,
        blockNumber: null,
      }) as const
    const other = await anotherAction()
    expect(await scene.store.fixStepKey(stepOf(other, 0, 1), stepKey), 'it is under way').to.equal(false)
    await scene.store.settleStep((await scene.store.readStepWork(payout))!, failed('solver_liquidity', null), now)
    await scene.store.undoBlock(1, block, now, rethrow)
    await scene.store.settleStep((await scene.store.readStepWork(payment))!, failed('transaction_not_found', hash), now)

    await ask(stepOf(other, 0, 0), hash)
    await verify(stepOf(other, 0, 0), hash, { number: 8, hash: randomHash() })
    await ask(stepOf(other, 0, 1), null, [need])
    expect(await scene.store.fixStepKey(stepOf(other, 0, 1), stepKey)).to.equal(true)
    expect((await scene.store.readStepWork(payout))!.stepKey).to.equal(null)
  })

  it('leaves a payout its key while the transaction that had failed may yet pay', async () => {
    const { payout } = await paidAction()
    await ask(payout, null, [need])
    const stepKey = randomHash()
    await scene.store.fixStepKey(payout, stepKey)
    const transactionId = await record(await prepared(payout))
    const mined = { hash: randomHash(), blockNumber: 9, blockHash: randomHash() }
    const error = { code: 'execution_reverted', message: 'no', retryable: true } as const
    const result = { status: 'reverted', error, transactionHash: mined.hash, blockNumber: 9 } as const
    await scene.store.settleTransaction(
      { transactionId, mined, results: [{ ref: payout, result, needs: [need] }], airdrop: null },
      now,
    )
    await scene.store.undoBlock(2, { number: 9, hash: mined.blockHash }, now, rethrow)
    expect((await scene.store.readStep(payout))!.status).to.equal('reverted')
    const other = await anotherAction()
    expect(await scene.store.fixStepKey(stepOf(other, 0, 1), stepKey)).to.equal(false)
  })

  it('leaves a payout its key once a transaction was signed with it, whatever its later attempts come to', async () => {
    const { payout, hash } = await paidAction()
    await ask(payout, null, [need])
    const stepKey = randomHash()
    await scene.store.fixStepKey(payout, stepKey)
    const settle = scene.settling(payout, await record(await prepared(payout)))
    const error = { code: 'execution_reverted', message: 'no', retryable: true } as const
    await settle(9, { status: 'reverted', error, transactionHash: randomHash(), blockNumber: 9 })
    await ask(payout, null, [need])
    const unsent = { status: 'error', error, transactionHash: null, blockNumber: null } as const
    await scene.store.settleStep((await scene.store.readStepWork(payout))!, unsent, now)

    const other = await anotherAction()
    expect(await scene.store.fixStepKey(stepOf(other, 0, 1), stepKey)).to.equal(false)
    const order = { action: 'register', hash, signed: true } as const
    const takeOver = aStepRequest({ ref: stepOf(other, 0, 0), order })
    const refusal = await scene.store.requestStep(takeOver, now).catch((reason: { code?: string }) => reason.code)
    expect(refusal).to.equal('transaction_already_used')
  })

  it('opens no step again whose transaction the user has registered for another one since', async () => {
    const { payment, hash, block } = await paidAction()
    const other = stepOf(await anotherAction(), 0, 0)
    const order = { action: 'register', hash, signed: true } as const
    await scene.store.requestStep(aStepRequest({ ref: other, order, needs: [] }), now)
    await verify(other, hash, block)
    const undone = await scene.store.undoBlock(1, block, now, rethrow)
    expect(undone.flatMap(({ steps }) => steps)).to.deep.equal([other])
    expect(await scene.store.readStep(payment)).to.deep.include({
      status: 'error',
      blockNumber: null,
      confirmations: 0,
    })
    expect(await scene.store.readStep(other)).to.include({ status: 'executing' })
  })

  it('asks for a payout anew without what its last attempt has left, once the payment has come again', async () => {
    const entry = await anotherAction()
    const [payment, payout] = [stepOf(entry, 0, 0), stepOf(entry, 0, 1)]
    const [hash, block] = [randomHash(), { number: 7, hash: randomHash() }]
    const order = { action: 'execute', hash, signed: false } as const
    await scene.store.requestStep(aStepRequest({ ref: payment, order, needs: [] }), now)
    await verify(payment, hash, block)
    const settle = scene.settling(payout, await record(await prepared(payout)))
    const error = { code: 'execution_reverted', message: 'no', retryable: true } as const
    await settle(9, { status: 'reverted', error, transactionHash: randomHash(), blockNumber: 9 })
    await scene.store.undoBlock(1, block, now, rethrow)
    await verify(payment, hash, { number: 8, hash: randomHash() })
    const step = (await scene.store.readStep(payout))!
    expect(step).to.include({ status: 'executing', attempts: 2, transactionHash: null, blockNumber: null })
  })

  it('fixes no other key for a step that has one, so that nothing is signed with it', async () => {
    const { payout } = await paidAction()
    await ask(payout, null, [need])
    const stepKey = randomHash()
    for (const _visit of ['first', 'again']) expect(await scene.store.fixStepKey(payout, stepKey)).to.equal(true)
    const fixed = await scene.store.fixStepKey(payout, randomHash()).catch((reason: Error) => reason.message)
    expect(fixed).to.equal('The step has got another key meanwhile')
    expect((await scene.store.readStepWork(payout))!.stepKey).to.equal(stepKey)
  })

  it('signs nothing anew on a payment that is gone, when what was signed before has come to nothing', async () => {
    const { payout, block } = await paidAction()
    await ask(payout, null, [need])
    const transactionId = await record(await prepared(payout))
    await scene.store.undoBlock(1, block, now, rethrow)
    const mined = { hash: randomHash(), blockNumber: 9, blockHash: randomHash() }
    const results = [{ ref: payout, result: { status: 'alone' } as const, needs: [need] }]
    await scene.store.settleTransaction({ transactionId, mined, results, airdrop: null }, now)
    const work = (await scene.store.readStepWork(payout))!
    expect(work.view.status).to.equal('executing')
    const { token, amount: required } = need
    const reserved = await scene.store.reserveForStep(work, [need], { isPaid: false }, now)
    expect(reserved).to.deep.equal({ outcome: 'insufficient', token, required, available: 0n, signed: false })
    const error = { code: 'insufficient_credit', message: 'no', retryable: true } as const
    const failed = { status: 'error', error, transactionHash: null, blockNumber: null } as const
    expect(await scene.store.settleStep(work, failed, now)).to.equal('settled')
    expect(await scene.store.readOpenExposures()).to.deep.equal([])
  })

  /** Its payment is gone, and somebody else has paid its payout. */
  async function paidByAnother() {
    const { payment, payout, hash, block } = await paidAction()
    await ask(payout, null, [need])
    const transactionId = await record(await prepared(payout))
    await scene.store.undoBlock(1, block, now, rethrow)
    await scene.settling(payout, transactionId)(9, { status: 'alone' })
    const place = { transactionHash: randomHash(), blockNumber: 9, blockHash: randomHash() }
    const payouts = [{ chainId: need.chainId, token: need.token, amount: need.amount }]
    const success = { status: 'success', ...place, confirmations: 1, arrivals: [], payouts } satisfies StepResult
    const work = (await scene.store.readStepWork(payout))!
    expect(await scene.store.settleStep(work, success, now)).to.equal('settled')
    return { payment, hash }
  }

  it('exposes once what another has paid on a payment that is gone', async () => {
    await paidByAnother()
    const exposures = await scene.store.readOpenExposures()
    expect(exposures.map(({ kind, amount }) => [kind, amount])).to.deep.equal([['credit', need.amount]])
  })

  it('is whole when it comes again once an operator has settled with the user what was paid out on it', async () => {
    const { payment, hash } = await paidByAnother()
    const [exposure] = await scene.store.readOpenExposures()
    const settle = () => scene.store.settleExposure(exposure!.id, now)
    expect((await Promise.all([settle(), settle()])).sort(), 'once').to.deep.equal([false, true])
    expect(await scene.store.readOpenExposures()).to.deep.equal([])
    await verify(payment, hash, { number: 8, hash: randomHash() })
    expect(await available()).to.equal(100n)
  })

  it('books nothing of the gone block for a visit that has outlived the settlement and its undoing', async () => {
    const { payment, hash, block: gone } = await registeredAction()
    const visit = (await scene.store.readStepWork(payment))!
    expect(await verify(payment, hash, gone, visit)).to.equal('settled')
    await scene.store.undoBlock(1, gone, now, rethrow)

    expect(await verify(payment, hash, gone, visit)).to.equal('stale')
    expect((await scene.store.readStep(payment))!.status).to.equal('executing')
    expect(await available()).to.equal(0n)
    expect(await verify(payment, hash, { number: 8, hash: randomHash() })).to.equal('settled')
    expect(await available()).to.equal(100n)
  })

  it('gives back what was set aside of a payment that came again, when the payout fails after that', async () => {
    const { payment, payout, hash, block } = await paidAction()
    await ask(payout, null, [need])
    const transactionId = await record(await prepared(payout))
    await scene.store.undoBlock(1, block, now, rethrow)
    await verify(payment, hash, { number: 8, hash: randomHash() })
    expect(await available(), 'the payout may still happen').to.equal(0n)
    const error = { code: 'execution_reverted', message: 'no', retryable: true } as const
    const mined = { hash: randomHash(), blockNumber: 3, blockHash: randomHash() }
    const result = { status: 'reverted', error, transactionHash: mined.hash, blockNumber: 3 } as const
    await scene.store.settleTransaction(
      { transactionId, mined, results: [{ ref: payout, result, needs: [need] }], airdrop: null },
      now,
    )
    expect(await available(), 'he has paid, and nothing was paid out').to.equal(100n)
    expect((await ask(payout, null, [need])).status).to.equal('executing')
  })

  it('gives nothing back of a payment that stays away, and closes the exposure', async () => {
    const { payout, block } = await paidAction()
    await ask(payout, null, [need])
    const transactionId = await record(await prepared(payout))
    await scene.store.undoBlock(1, block, now, rethrow)
    const error = { code: 'execution_reverted', message: 'no', retryable: true } as const
    const mined = { hash: randomHash(), blockNumber: 3, blockHash: randomHash() }
    const result = { status: 'reverted', error, transactionHash: mined.hash, blockNumber: 3 } as const
    await scene.store.settleTransaction(
      { transactionId, mined, results: [{ ref: payout, result, needs: [need] }], airdrop: null },
      now,
    )
    expect(await available()).to.equal(0n)
    expect(await scene.store.readOpenExposures()).to.deep.equal([])
  })

  it('keeps a payment’s credit when the process dies in the middle and the payment is verified again before', async () => {
    const { payment, hash, block } = await paidAction()
    let left = 1
    const dying = createStore({
      ...scene.database,
      transact: (work) => (left-- > 0 ? scene.database.transact(work) : Promise.reject(new Error('killed'))),
    })
    await dying.undoBlock(1, block, now, rethrow).catch(() => undefined)
    const again = { number: 8, hash: randomHash() }
    await verify(payment, hash, again).catch(() => undefined)
    await scene.store.undoBlock(1, block, now, rethrow)
    if ((await scene.store.readStep(payment))?.status !== 'success') await verify(payment, hash, again)
    expect((await scene.store.readStep(payment))?.status).to.equal('success')
    expect(await available()).to.equal(100n)
  })
})
