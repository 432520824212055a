import { expect } from 'chai'
import type { StepResult } from '../../../server/store/journal/bookResult.js'
import { rethrow } from '../../support/rethrow.js'
import { aSignedForm, randomAddress, randomHash, usdOn2 } from '../../support/builders.js'
import { reorganisationScene } from './reorganisationScene.js'

/** Of ours: it had failed, or was undone, and is mined again, or another one has done its work. */
describe('a transaction that is settled again', () => {
  const scene = reorganisationScene()
  const { now, need, available, paid, ask, paidAction, record, prepared, settling, drawElsewhere } = scene

  async function sentPayout() {
    const { payout } = await paidAction()
    await ask(payout, null, [need])
    return { payout, settle: settling(payout, await record(await prepared(payout))) }
  }

  it('books what a step that had failed has paid all the same, when its transaction is mined again', async () => {
    const { settle } = await sentPayout()
    const block = { number: 3, hash: randomHash() }
    const failed = { transactionHash: randomHash(), blockNumber: 3 }
    const error = { code: 'execution_reverted', message: 'no', retryable: true } as const
    await settle(3, { status: 'reverted', error, ...failed }, block.hash)
    expect(await available()).to.equal(100n)
    await scene.store.undoBlock(2, block, now, rethrow)
    const payouts = [{ chainId: 2, token: usdOn2, amount: 100n }]
    const unrun = { code: 'batch_not_executed', message: 'paid, not run', retryable: false } as const
    await settle(4, { status: 'error', error: unrun, payouts, ...failed })
    expect(await paid()).to.equal(100n)
    expect(await available()).to.equal(0n)
  })

  it('opens a step again with the block of the transaction that has carried it out, though ours is in another', async () => {
    const { payout } = await paidAction()
    await ask(payout, null, [need])
    const transactionId = await record(await prepared(payout))
    const mined = { hash: randomHash(), blockNumber: 5, blockHash: randomHash() }
    const anothers = { transactionHash: randomHash(), blockNumber: 4, blockHash: randomHash() }
    const payouts = [{ chainId: 2, token: usdOn2, amount: 100n }]
    const result: StepResult = { status: 'success', ...anothers, confirmations: 2, arrivals: [], payouts }
    const settled = { transactionId, mined, results: [{ ref: payout, result, needs: [need] }], airdrop: null }
    expect((await scene.store.settleTransaction(settled, now)).outcome).to.equal('settled')
    expect(await scene.store.readSettledBlocks(2, { from: 4, to: 100 }, 100)).to.deep.include({
      number: 4,
      hash: anothers.blockHash,
    })

    await scene.store.undoBlock(2, { number: 4, hash: anothers.blockHash }, now, rethrow)
    const step = (await scene.store.readStep(payout))!
    expect([step.status, step.blockNumber]).to.deep.equal(['executing', null])
    expect(await paid()).to.equal(0n)
    expect(await available(), 'it is set aside again').to.equal(0n)
    expect((await scene.store.claimDueSteps({ limit: 10, leaseMs: 1_000 })).map(({ ref }) => ref)).to.deep.equal([
      payout,
    ])
  })

  it('takes back what a step paid that failed all the same, and books it once when it is mined again', async () => {
    const { payout, settle } = await sentPayout()
    const error = { code: 'batch_not_executed', message: 'paid, not run', retryable: false } as const
    const payouts = [{ chainId: 2, token: usdOn2, amount: 100n }]
    for (const number of [3, 4, 5]) {
      const mined = { hash: randomHash(), blockNumber: number, blockHash: randomHash() }
      const paying = { payouts, transactionHash: mined.hash, blockNumber: number }
      const result: StepResult =
        number < 5
          ? { status: 'error', error, ...paying }
          : { status: 'success', blockHash: mined.blockHash, confirmations: 1, arrivals: [], ...paying }
      await settle(number, result, mined.blockHash)
      expect(await paid()).to.equal(100n)
      expect(await scene.store.readOpenExposures(), 'the credit was there for it').to.deep.equal([])
      if (number === 5) break
      await scene.store.undoBlock(2, { number, hash: mined.blockHash }, now, rethrow)
      expect(await paid()).to.equal(0n)
      expect((await scene.store.readStep(payout))!.status).to.equal('executing')
    }
    expect((await scene.store.readStep(payout))!.status).to.equal('success')
    expect(await available()).to.equal(0n)
  })

  for (const [ending, left] of [
    ['is still there, and takes it', 0n],
    ['is gone, as an exposure', 100n],
  ] as const) {
    it(`books the payout of a step that had failed from its credit, if that ${ending}`, async () => {
      const { payout, settle } = await sentPayout()
      const error = { code: 'execution_reverted', message: 'no', retryable: true } as const
      const block = { number: 3, hash: randomHash() }
      await settle(3, { status: 'reverted', error, transactionHash: randomHash(), blockNumber: 3 }, block.hash)
      expect(await available()).to.equal(100n)
      if (left > 0n) await drawElsewhere()
      await scene.store.undoBlock(2, block, now, rethrow)
      const payouts = [{ chainId: 2, token: usdOn2, amount: 100n }]
      const place = { transactionHash: randomHash(), blockNumber: 4, blockHash: randomHash() }
      await settle(4, { status: 'success', confirmations: 1, arrivals: [], payouts, ...place }, place.blockHash)
      expect((await scene.store.readStep(payout))!.status).to.equal('success')
      expect(await available()).to.equal(0n)
      expect((await scene.store.readOpenExposures()).reduce((sum, { amount }) => sum + amount, 0n)).to.equal(left)
    })
  }

  it('books what nobody can tell the credit for any more as an exposure', async () => {
    const { payout } = await paidAction()
    await ask(payout, null, [need])
    const transactionId = await record(await prepared(payout))
    const error = { code: 'execution_reverted', message: 'no', retryable: true } as const
    const block = { number: 3, hash: randomHash() }
    const place = { transactionHash: randomHash(), blockNumber: 3 }
    await settling(payout, transactionId)(3, { status: 'reverted', error, ...place }, block.hash)
    await scene.store.undoBlock(2, block, now, rethrow)
    const mined = { hash: randomHash(), blockNumber: 4, blockHash: randomHash() }
    const payouts = [{ chainId: 2, token: usdOn2, amount: 100n }]
    const again = { transactionHash: mined.hash, blockNumber: 4, blockHash: mined.blockHash }
    const result: StepResult = { status: 'success', confirmations: 1, arrivals: [], payouts, ...again }
    await scene.store.settleTransaction(
      { transactionId, mined, results: [{ ref: payout, result, needs: null }], airdrop: null },
      now,
    )
    expect((await scene.store.readStep(payout))!.status).to.equal('success')
    expect(await available(), 'its credit is left to the user').to.equal(100n)
    expect((await scene.store.readOpenExposures()).map(({ amount }) => amount)).to.deep.equal([100n])
  })

  it('books what nobody can tell the credit for any more from what is set aside still', async () => {
    const { payout } = await paidAction()
    await ask(payout, null, [need])
    const transactionId = await record(await prepared(payout))
    const payouts = [{ chainId: 2, token: usdOn2, amount: 100n }]
    for (const [blockNumber, needs] of [
      [3, [need]],
      [4, null],
    ] as const) {
      const mined = { hash: randomHash(), blockNumber, blockHash: randomHash() }
      const place = { transactionHash: mined.hash, blockNumber, blockHash: mined.blockHash }
      const result: StepResult = { status: 'success', confirmations: 1, arrivals: [], payouts, ...place }
      const results = [{ ref: payout, result, needs: needs && [...needs] }]
      await scene.store.settleTransaction({ transactionId, mined, results, airdrop: null }, now)
      expect([await available(), await paid()]).to.deep.equal([0n, 100n])
      if (needs) await scene.store.undoBlock(2, { number: 3, hash: mined.blockHash }, now, rethrow)
    }
    expect(await scene.store.readOpenExposures()).to.deep.equal([])
  })

  it('is not ended by one who had read its step as done, in a block that is gone since', async () => {
    const { payout } = await paidAction()
    await ask(payout, null, [need])
    const transactionId = await record(await prepared(payout))
    const payouts = [{ chainId: 2, token: usdOn2, amount: 100n }]
    const settleIn = async (blockNumber: number, isTold: boolean) => {
      const mined = { hash: randomHash(), blockNumber, blockHash: randomHash() }
      const place = { transactionHash: mined.hash, blockNumber, blockHash: mined.blockHash }
      const result: StepResult = { status: 'success', confirmations: 1, arrivals: [], payouts, ...place }
      const results = isTold ? [{ ref: payout, result, needs: [need] }] : []
      const { outcome } = await scene.store.settleTransaction({ transactionId, mined, results, airdrop: null }, now)
      return { outcome, hash: mined.blockHash }
    }
    const { hash } = await settleIn(3, true)
    const seen = await scene.store.readStepsOf({ id: transactionId, signedFor: [payout] })
    expect(seen, 'one that is done is not read').to.deep.equal([])
    await scene.store.undoBlock(2, { number: 3, hash }, now, rethrow)
    expect((await settleIn(4, false)).outcome).to.equal('stale')
    expect((await scene.store.readStep(payout))!.status).to.equal('executing')
    expect((await settleIn(4, true)).outcome).to.equal('settled')
    expect((await scene.store.readStep(payout))!.status).to.equal('success')
    expect([await available(), await paid()]).to.deep.equal([0n, 100n])
  })

  it('closes the exposure of a payout that is gone again, and opens one when it comes again without credit', async () => {
    const { settle } = await sentPayout()
    const error = { code: 'execution_reverted', message: 'no', retryable: true } as const
    let block = { number: 3, hash: randomHash() }
    await settle(3, { status: 'reverted', error, transactionHash: randomHash(), blockNumber: 3 }, block.hash)
    await drawElsewhere()
    const exposed = async () => (await scene.store.readOpenExposures()).map(({ kind, amount }) => [kind, amount])
    const payouts = [{ chainId: 2, token: usdOn2, amount: 100n }]
    for (const number of [4, 5]) {
      await scene.store.undoBlock(2, block, now, rethrow)
      expect([await exposed(), await paid()]).to.deep.equal([[], 0n])
      block = { number, hash: randomHash() }
      const place = { transactionHash: randomHash(), blockNumber: number, blockHash: block.hash }
      await settle(number, { status: 'success', confirmations: 1, arrivals: [], payouts, ...place }, block.hash)
      expect([await exposed(), await paid()]).to.deep.equal([[['payout', 100n]], 100n])
    }
  })

  it('books what the transaction of an earlier attempt has paid, though that of the last one is open again too', async () => {
    const { payout } = await paidAction()
    const error = { code: 'execution_reverted', message: 'no', retryable: true } as const
    const attempts = []
    for (const number of [3, 4]) {
      await ask(payout, null, [need])
      const settle = settling(payout, await record(await prepared(payout)))
      const block = { number, hash: randomHash() }
      const failed = { status: 'reverted', error, transactionHash: randomHash(), blockNumber: number } as const
      await settle(number, failed, block.hash)
      attempts.push({ settle, block })
    }
    for (const { block } of attempts) await scene.store.undoBlock(2, block, now, rethrow)
    const payouts = [{ chainId: 2, token: usdOn2, amount: 100n }]
    const place = { transactionHash: randomHash(), blockNumber: 5, blockHash: randomHash() }
    const result = { status: 'success', confirmations: 1, arrivals: [], payouts, ...place } as const
    await attempts[0]!.settle(5, { ...result, arrivals: [], payouts }, place.blockHash)
    // In a bundle, whose others it has kept from nothing.
    await attempts[1]!.settle(6, { status: 'alone' })
    expect((await scene.store.readStep(payout))!.status).to.equal('success')
    expect([await paid(), await available()]).to.deep.equal([100n, 0n])
    expect(await scene.store.readOpenExposures()).to.deep.equal([])
  })

  it('books once what was paid and not run, though the transaction of an earlier attempt tells of it too', async () => {
    const { payout } = await paidAction()
    const reverted = { code: 'execution_reverted', message: 'no', retryable: true } as const
    await ask(payout, null, [need])
    const first = settling(payout, await record(await prepared(payout)))
    const gone = { number: 3, hash: randomHash() }
    const failed = { status: 'reverted', error: reverted, transactionHash: randomHash(), blockNumber: 3 } as const
    await first(3, failed, gone.hash)
    await ask(payout, null, [need])
    const second = settling(payout, await record(await prepared(payout)))
    const payouts = [{ chainId: 2, token: usdOn2, amount: 100n }]
    const unrun = { code: 'batch_not_executed', message: 'paid, not run', retryable: false } as const
    const place = { transactionHash: randomHash(), blockNumber: 4 }
    const blockHash = randomHash()
    await second(4, { status: 'error', error: unrun, payouts, ...place }, blockHash)
    await scene.store.undoBlock(2, gone, now, rethrow)
    await first(5, { status: 'success', confirmations: 2, arrivals: [], payouts, blockHash, ...place })
    expect((await scene.store.readStep(payout))!.error?.code).to.equal('batch_not_executed')
    expect(await paid()).to.equal(100n)
  })

  it('counts an attempt that was mined and reverted, whatever for, since it has cost gas', async () => {
    const { payout } = await paidAction()
    const error = { code: 'solver_outflow_cap', message: 'no', retryable: true } as const
    for (let attempt = 1; attempt <= 5; attempt++) {
      expect((await ask(payout, null, [need])).status, `attempt ${attempt}`).to.equal('executing')
      const transactionId = await record(await prepared(payout))
      const mined = { transactionHash: randomHash(), blockNumber: attempt }
      await settling(payout, transactionId)(attempt, { status: 'error', error, ...mined })
    }
    expect((await scene.store.readStep(payout))?.error?.retryable).to.equal(false)
    expect(await available()).to.equal(100n)
  })
})

describe('a transaction that is open again', () => {
  const scene = reorganisationScene()
  const { now, need, ask, paidAction, record, prepared, settling } = scene

  const allDue = async () => {
    const places = await scene.store.readDueTransactions(2, 10, now + 60_000)
    return scene.store.readUnminedOf(places.map(({ id }) => id))
  }
  const open = async () => (await allDue())[0]!
  const cancel = { ...aSignedForm(), isCancel: true }

  /** What is settled of a step's transaction, with that block gone. */
  async function undone(how: 'failed' | 'paid') {
    const { payout } = await paidAction()
    await ask(payout, null, [need])
    const transactionId = await record(await prepared(payout))
    expect(await open(), 'for the first time').to.include({ id: transactionId, isUnwanted: false })
    const block = { number: 3, hash: randomHash() }
    const place = { transactionHash: randomHash(), blockNumber: 3 }
    const error = { code: 'execution_reverted', message: 'no', retryable: true } as const
    const payouts = [{ chainId: 2, token: usdOn2, amount: 100n }]
    const paid = { confirmations: 1, arrivals: [], payouts, blockHash: block.hash }
    const result: StepResult =
      how === 'paid' ? { status: 'success', ...paid, ...place } : { status: 'reverted', error, ...place }
    await settling(payout, transactionId)(3, result, block.hash)
    await scene.store.undoBlock(2, block, now, rethrow)
  }

  it('is unwanted where its step has failed, and may be cancelled', async () => {
    await undone('failed')
    const reopened = await open()
    expect(reopened).to.include({ isUnwanted: true })
    expect(await scene.store.recordForm(reopened, cancel, now)).to.equal('recorded')
  })

  it('is wanted where its step was undone with it, and where it carries an airdrop', async () => {
    await undone('paid')
    expect(await open()).to.include({ isUnwanted: false })
    const wallet = randomAddress()
    const key = { chainId: 2, token: usdOn2, wallet }
    const asked = await scene.store.requestAirdrop({ ...key, amount: 5n, periodMs: 1_000 }, now)
    if (asked.outcome !== 'accepted') throw new Error(asked.outcome)
    const id = await record({ steps: [], airdrop: asked.airdrop })
    const due = await allDue()
    expect(due.find((transaction) => transaction.id === id)).to.include({ isUnwanted: false })
  })

  it('is not cancelled by one who has read it before something waited for it again', async () => {
    await undone('paid')
    const before = { ...(await open()), isUnwanted: true }
    expect(await scene.store.recordForm(before, cancel, now)).to.equal('stale')
    expect((await open()).forms).to.have.length(1)
  })
})
