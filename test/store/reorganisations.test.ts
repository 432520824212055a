import { expect } from 'chai'
import type { Address, Hash } from 'viem'
import type { StepAttempt, StepRef } from '../../server/domain/action.js'
import type { SolverNeed } from '../../server/domain/solverNeeds.js'
import type { Database } from '../../server/store/database.js'
import { readVaultMovements } from '../../server/store/reconciliation.js'
import type { StepResult } from '../../server/store/bookResult.js'
import { createStore, type Store } from '../../server/store/store.js'
import {
  aNewAction,
  anOnDemandIntent,
  aSignedIntent,
  randomAddress,
  randomHash,
  stepOf,
  usdOn1,
  usdOn2,
} from '../support/builders.js'
import { useStore } from './useStore.js'

describe('undoing what was final', () => {
  let database: Database
  let store: Store
  let user: Address
  const signer: Address = randomAddress()
  const now = Date.now()

  useStore(async (fresh) => {
    ;({ database, store } = fresh)
    user = randomAddress()
    await store.openLane({ chainId: 2, signer, chainNonce: 0 }, now)
  })

  const members = [
    { chainId: 1, token: usdOn1, decimals: 6 },
    { chainId: 2, token: usdOn2, decimals: 6 },
  ]
  const need: SolverNeed = {
    chainId: 2,
    token: usdOn2,
    amount: 100n,
    decimals: 6,
    feeBps: 0,
    members,
    openCapPerDay: null,
  }
  const available = async () => (await store.readBalances(user))[0]?.available ?? 0n

  async function ask(ref: StepRef, hash: Hash | null, needs: SolverNeed[] = []) {
    const order = { action: hash ? 'register' : 'execute', hash, signed: false } as const
    return (await store.requestStep({ ref, order, needs, intentSigned: false }, now)).view
  }

  /** The payment of a step is verified in a block, by a visit that began just now unless an older one is given. */
  async function verify(
    ref: StepRef,
    transactionHash: Hash,
    block: { number: number; hash: Hash },
    visit?: StepAttempt,
  ) {
    const place = { transactionHash, blockNumber: block.number, blockHash: block.hash }
    const arrivals = [{ chainId: 1, logIndex: 0, user, token: usdOn1, amount: 100n, ...place }]
    return store.settleStep(
      visit ?? (await store.readStepWork(ref))!,
      { status: 'success', confirmations: 1, arrivals, payouts: [], ...place },
      now,
    )
  }

  /** An action whose payment is registered, and a block to verify it in. */
  async function registeredAction() {
    const entry = aNewAction({ user, intents: [anOnDemandIntent(user)] })
    await store.insertAction(entry)
    const payment = stepOf(entry, 0, 0)
    const hash = randomHash()
    await ask(payment, hash)
    return { payment, payout: stepOf(entry, 0, 1), hash, block: { number: 7, hash: randomHash() } }
  }

  async function paidAction() {
    const action = await registeredAction()
    await verify(action.payment, action.hash, action.block)
    return action
  }

  async function record(carried: Pick<Parameters<Store['recordTransaction']>[0], 'steps' | 'airdrop'>) {
    const attempt = { raw: '0x00', maxFeePerGas: 10n, maxPriorityFeePerGas: 1n, isCancel: false } as const
    const recorded = await store.recordTransaction(
      {
        chainId: 2,
        signer,
        to: randomAddress(),
        data: '0x',
        authorizations: [],
        gasLimit: 1n,
        sign: async () => ({ ...attempt, hash: randomHash() }),
        ...carried,
      },
      now,
    )
    if (recorded.outcome !== 'recorded') throw new Error(recorded.outcome)
    return recorded.transaction.id
  }

  async function prepared(ref: StepRef) {
    return { steps: [(await store.readStepWork(ref))!], airdrop: null }
  }

  it('sends nothing that was prepared on a payment which is gone, though its step was asked for again', async () => {
    const { payout, block } = await paidAction()
    await ask(payout, null, [need])
    const old = await prepared(payout)
    await store.undoBlock(1, block, now)
    expect((await store.readStep(payout))!.error?.code).to.equal('insufficient_credit')
    expect((await ask(payout, null, [need])).status, 'it waits for the payment').to.equal('executing')
    expect(await record(old).catch((error: Error) => error.message)).to.equal('stale')
  })

  it('takes a payment’s credit back with every block that it has been in', async () => {
    const { payment, hash } = await registeredAction()
    for (const number of [7, 8, 9]) {
      const block = { number, hash: randomHash() }
      expect(await verify(payment, hash, block)).to.equal('settled')
      expect(await available()).to.equal(100n)
      await store.undoBlock(1, block, now)
      expect(await available(), `after block ${number}`).to.equal(0n)
    }
  })

  it('lets a payment that comes again back another step, once its own has given it up', async () => {
    const { payment, hash, block } = await registeredAction()
    await verify(payment, hash, block)
    await store.undoBlock(1, block, now)
    const error = { code: 'transaction_not_found', message: 'no', retryable: true } as const
    const failed = { status: 'error', error, transactionHash: hash, blockNumber: null } as const
    expect(await store.settleStep((await store.readStepWork(payment))!, failed, now)).to.equal('settled')
    const other = aNewAction({ user, intents: [anOnDemandIntent(user)] })
    await store.insertAction(other)
    expect((await ask(stepOf(other, 0, 0), hash)).status).to.equal('executing')
    expect(await verify(stepOf(other, 0, 0), hash, { number: 8, hash: randomHash() })).to.equal('settled')
    expect(await available()).to.equal(100n)
  })

  it('pays out on a payment that came again for another step, though a payout that failed has had its key', async () => {
    const { payment, payout, hash, block } = await paidAction()
    const stepKey = randomHash()
    await ask(payout, null, [need])
    expect(await store.fixStepKey(payout, stepKey)).to.equal(true)
    const failed = (code: 'transaction_not_found' | 'solver_liquidity', transactionHash: Hash | null) =>
      ({
        status: 'error',
        error: { code, message: 'no', retryable: true },
        transactionHash,
        blockNumber: null,
      }) as const
    const other = aNewAction({ user, intents: [anOnDemandIntent(user)] })
    await store.insertAction(other)
    expect(await store.fixStepKey(stepOf(other, 0, 1), stepKey), 'it is under way').to.equal(false)
    await store.settleStep((await store.readStepWork(payout))!, failed('solver_liquidity', null), now)
    await store.undoBlock(1, block, now)
    await store.settleStep((await store.readStepWork(payment))!, failed('transaction_not_found', hash), now)

    await ask(stepOf(other, 0, 0), hash)
    await verify(stepOf(other, 0, 0), hash, { number: 8, hash: randomHash() })
    await ask(stepOf(other, 0, 1), null, [need])
    expect(await store.fixStepKey(stepOf(other, 0, 1), stepKey)).to.equal(true)
    expect((await store.readStepWork(payout))!.stepKey).to.equal(null)
  })

  it('leaves a payout its key while the transaction that had failed may yet pay', async () => {
    const { payout } = await paidAction()
    await ask(payout, null, [need])
    const stepKey = randomHash()
    await store.fixStepKey(payout, stepKey)
    const transactionId = await record(await prepared(payout))
    const mined = { hash: randomHash(), blockNumber: 9, blockHash: randomHash() }
    const error = { code: 'execution_reverted', message: 'no', retryable: true } as const
    const result = { status: 'reverted', error, transactionHash: mined.hash, blockNumber: 9 } as const
    await store.settleTransaction(
      { transactionId, mined, results: [{ ref: payout, result, needs: [need] }], airdrop: null },
      now,
    )
    await store.undoBlock(2, { number: 9, hash: mined.blockHash }, now)
    expect((await store.readStep(payout))!.status).to.equal('reverted')
    const other = aNewAction({ user, intents: [anOnDemandIntent(user)] })
    await store.insertAction(other)
    expect(await store.fixStepKey(stepOf(other, 0, 1), stepKey)).to.equal(false)
  })

  it('signs nothing anew on a payment that is gone, when what was signed before has come to nothing', async () => {
    const { payout, block } = await paidAction()
    await ask(payout, null, [need])
    const transactionId = await record(await prepared(payout))
    await store.undoBlock(1, block, now)
    const mined = { hash: randomHash(), blockNumber: 9, blockHash: randomHash() }
    const results = [{ ref: payout, result: { status: 'alone' } as const, needs: [need] }]
    await store.settleTransaction({ transactionId, mined, results, airdrop: null }, now)
    const work = (await store.readStepWork(payout))!
    expect(work.view.status).to.equal('executing')
    const { token, amount: required } = need
    const reserved = await store.reserveForStep(work, [need], now)
    expect(reserved).to.deep.equal({ outcome: 'insufficient', token, required, available: 0n })
    const error = { code: 'insufficient_credit', message: 'no', retryable: true } as const
    const failed = { status: 'error', error, transactionHash: null, blockNumber: null } as const
    expect(await store.settleStep(work, failed, now)).to.equal('settled')
    expect(await store.readOpenExposures()).to.deep.equal([])
  })

  it('books nothing of the gone block for a visit that has outlived the settlement and its undoing', async () => {
    const { payment, hash, block: gone } = await registeredAction()
    const visit = (await store.readStepWork(payment))!
    expect(await verify(payment, hash, gone, visit)).to.equal('settled')
    await store.undoBlock(1, gone, now)

    expect(await verify(payment, hash, gone, visit)).to.equal('stale')
    expect((await store.readStep(payment))!.status).to.equal('executing')
    expect(await available()).to.equal(0n)
    expect(await verify(payment, hash, { number: 8, hash: randomHash() })).to.equal('settled')
    expect(await available()).to.equal(100n)
  })

  it('books what a step that had failed has paid all the same, when its transaction is mined again', async () => {
    const { payout } = await paidAction()
    await ask(payout, null, [need])
    const transactionId = await record(await prepared(payout))
    const settle = (block: { number: number; hash: Hash }, result: StepResult) => {
      const mined = { hash: result.transactionHash!, blockNumber: block.number, blockHash: block.hash }
      const results = [{ ref: payout, result, needs: [need] }]
      return store.settleTransaction({ transactionId, mined, results, airdrop: null }, now)
    }
    const block = { number: 3, hash: randomHash() }
    const failed = { transactionHash: randomHash(), blockNumber: 3 }
    const error = { code: 'execution_reverted', message: 'no', retryable: true } as const
    await settle(block, { status: 'reverted', error, ...failed })
    expect(await available()).to.equal(100n)
    await store.undoBlock(2, block, now)
    const payouts = [{ chainId: 2, token: usdOn2, amount: 100n }]
    const unrun = { code: 'batch_not_executed', message: 'paid, not run', retryable: false } as const
    await settle({ number: 4, hash: randomHash() }, { status: 'error', error: unrun, payouts, ...failed })
    expect((await readVaultMovements(database)).paid.get(`2:${usdOn2}`)).to.equal(100n)
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
    expect((await store.settleTransaction(settled, now)).outcome).to.equal('settled')
    expect(await store.readSettledBlocks(2, 4)).to.deep.include({ number: 4, hash: anothers.blockHash })

    await store.undoBlock(2, { number: 4, hash: anothers.blockHash }, now)
    const step = (await store.readStep(payout))!
    expect([step.status, step.blockNumber]).to.deep.equal(['executing', null])
    expect((await readVaultMovements(database)).paid.get(`2:${usdOn2}`) ?? 0n).to.equal(0n)
    expect(await available(), 'it is set aside again').to.equal(0n)
    expect((await store.claimDueSteps(10, 1_000)).map(({ ref }) => ref)).to.deep.equal([payout])
  })

  it('gives back what was set aside of a payment that came again, when the payout fails after that', async () => {
    const { payment, payout, hash, block } = await paidAction()
    await ask(payout, null, [need])
    const transactionId = await record(await prepared(payout))
    await store.undoBlock(1, block, now)
    await verify(payment, hash, { number: 8, hash: randomHash() })
    expect(await available(), 'the payout may still happen').to.equal(0n)
    const error = { code: 'execution_reverted', message: 'no', retryable: true } as const
    const mined = { hash: randomHash(), blockNumber: 3, blockHash: randomHash() }
    const result = { status: 'reverted', error, transactionHash: mined.hash, blockNumber: 3 } as const
    await store.settleTransaction(
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
    await store.undoBlock(1, block, now)
    const error = { code: 'execution_reverted', message: 'no', retryable: true } as const
    const mined = { hash: randomHash(), blockNumber: 3, blockHash: randomHash() }
    const result = { status: 'reverted', error, transactionHash: mined.hash, blockNumber: 3 } as const
    await store.settleTransaction(
      { transactionId, mined, results: [{ ref: payout, result, needs: [need] }], airdrop: null },
      now,
    )
    expect(await available()).to.equal(0n)
    expect(await store.readOpenExposures()).to.deep.equal([])
  })

  it('keeps a payment’s credit when the process dies in the middle and the payment is verified again before', async () => {
    const { payment, hash, block } = await paidAction()
    let left = 1
    const dying = createStore({
      ...database,
      transact: (work) => (left-- > 0 ? database.transact(work) : Promise.reject(new Error('killed'))),
    })
    await dying.undoBlock(1, block, now).catch(() => undefined)
    const again = { number: 8, hash: randomHash() }
    await verify(payment, hash, again).catch(() => undefined)
    await store.undoBlock(1, block, now)
    if ((await store.readStep(payment))?.status !== 'success') await verify(payment, hash, again)
    expect((await store.readStep(payment))?.status).to.equal('success')
    expect(await available()).to.equal(100n)
  })

  it('takes back what a step paid that failed all the same, and books it once when it is mined again', async () => {
    const { payout } = await paidAction()
    await ask(payout, null, [need])
    const transactionId = await record(await prepared(payout))
    const paid = async () => (await readVaultMovements(database)).paid.get(`2:${usdOn2}`) ?? 0n
    const error = { code: 'batch_not_executed', message: 'paid, not run', retryable: false } as const
    const payouts = [{ chainId: 2, token: usdOn2, amount: 100n }]
    for (const number of [3, 4, 5]) {
      const mined = { hash: randomHash(), blockNumber: number, blockHash: randomHash() }
      const paying = { payouts, transactionHash: mined.hash, blockNumber: number }
      const result: StepResult =
        number < 5
          ? { status: 'error', error, ...paying }
          : { status: 'success', blockHash: mined.blockHash, confirmations: 1, arrivals: [], ...paying }
      await store.settleTransaction(
        { transactionId, mined, results: [{ ref: payout, result, needs: [need] }], airdrop: null },
        now,
      )
      expect(await paid()).to.equal(100n)
      expect(await store.readOpenExposures(), 'the credit was there for it').to.deep.equal([])
      if (number === 5) break
      await store.undoBlock(2, { number, hash: mined.blockHash }, now)
      expect(await paid()).to.equal(0n)
      expect((await store.readStep(payout))!.status).to.equal('executing')
    }
    expect((await store.readStep(payout))!.status).to.equal('success')
    expect(await available()).to.equal(0n)
  })

  for (const [ending, left] of [
    ['is still there, and takes it', 0n],
    ['is gone, as an exposure', 100n],
  ] as const) {
    it(`books the payout of a step that had failed from its credit, if that ${ending}`, async () => {
      const { payout } = await paidAction()
      await ask(payout, null, [need])
      const transactionId = await record(await prepared(payout))
      const error = { code: 'execution_reverted', message: 'no', retryable: true } as const
      const settle = (number: number, result: StepResult, hash: Hash) => {
        const mined = { hash: result.transactionHash!, blockNumber: number, blockHash: hash }
        const results = [{ ref: payout, result, needs: [need] }]
        return store.settleTransaction({ transactionId, mined, results, airdrop: null }, now)
      }
      const block = { number: 3, hash: randomHash() }
      await settle(3, { status: 'reverted', error, transactionHash: randomHash(), blockNumber: 3 }, block.hash)
      expect(await available()).to.equal(100n)
      if (left > 0n) await drawElsewhere()
      await store.undoBlock(2, block, now)
      const payouts = [{ chainId: 2, token: usdOn2, amount: 100n }]
      const place = { transactionHash: randomHash(), blockNumber: 4, blockHash: randomHash() }
      await settle(4, { status: 'success', confirmations: 1, arrivals: [], payouts, ...place }, place.blockHash)
      expect((await store.readStep(payout))!.status).to.equal('success')
      expect(await available()).to.equal(0n)
      expect((await store.readOpenExposures()).reduce((sum, { amount }) => sum + amount, 0n)).to.equal(left)
    })
  }

  it('closes the exposure of a payout that is gone again, and opens one when it comes again without credit', async () => {
    const { payout } = await paidAction()
    await ask(payout, null, [need])
    const transactionId = await record(await prepared(payout))
    const settle = (number: number, result: StepResult, hash: Hash) => {
      const mined = { hash: result.transactionHash!, blockNumber: number, blockHash: hash }
      const results = [{ ref: payout, result, needs: [need] }]
      return store.settleTransaction({ transactionId, mined, results, airdrop: null }, now)
    }
    const error = { code: 'execution_reverted', message: 'no', retryable: true } as const
    let block = { number: 3, hash: randomHash() }
    await settle(3, { status: 'reverted', error, transactionHash: randomHash(), blockNumber: 3 }, block.hash)
    await drawElsewhere()
    const exposed = async () => (await store.readOpenExposures()).map(({ kind, amount }) => [kind, amount])
    const payouts = [{ chainId: 2, token: usdOn2, amount: 100n }]
    const paid = async () => (await readVaultMovements(database)).paid.get(`2:${usdOn2}`) ?? 0n
    for (const number of [4, 5]) {
      await store.undoBlock(2, block, now)
      expect([await exposed(), await paid()]).to.deep.equal([[], 0n])
      block = { number, hash: randomHash() }
      const place = { transactionHash: randomHash(), blockNumber: number, blockHash: block.hash }
      await settle(number, { status: 'success', confirmations: 1, arrivals: [], payouts, ...place }, block.hash)
      expect([await exposed(), await paid()]).to.deep.equal([[['payout', 100n]], 100n])
    }
  })

  /** Another step of the user's sets all his credit aside. */
  async function drawElsewhere() {
    const entry = aNewAction({ user, intents: [aSignedIntent()] })
    await store.insertAction(entry)
    const order = { action: 'execute', hash: null, signed: true } as const
    await store.requestStep({ ref: stepOf(entry, 0, 0), order, needs: [need], intentSigned: true }, now)
  }

  it('counts an attempt that was mined and reverted, whatever for, since it has cost gas', async () => {
    const { payout } = await paidAction()
    const error = { code: 'solver_outflow_cap', message: 'no', retryable: true } as const
    for (let attempt = 1; attempt <= 5; attempt++) {
      expect((await ask(payout, null, [need])).status, `attempt ${attempt}`).to.equal('executing')
      const transactionId = await record(await prepared(payout))
      const mined = { hash: randomHash(), blockNumber: attempt, blockHash: randomHash() }
      const result = { status: 'error', error, transactionHash: mined.hash, blockNumber: attempt } as const
      await store.settleTransaction(
        { transactionId, mined, results: [{ ref: payout, result, needs: [need] }], airdrop: null },
        now,
      )
    }
    expect((await store.readStep(payout))?.error?.retryable).to.equal(false)
    expect(await available()).to.equal(100n)
  })
})
