import { expect } from 'chai'
import type { Address, Hash } from 'viem'
import type { StepResult } from '../../server/store/bookResult.js'
import {
  aBatch,
  aNewAction,
  aNewTransaction,
  aSignedIntent,
  randomAddress,
  randomHash,
  stepOf,
  usdOn1,
  usdOn2,
} from '../support/builders.js'
import { moneyScene, need } from './moneyScene.js'

type Scene = ReturnType<typeof moneyScene>

const now = Date.now()

/** An operator has settled with the user what was paid out on a payment that was gone, and the payment comes again. */
describe('what was paid out, gone, settled with the user, and has not happened after all', () => {
  const scene = moneyScene()
  const available = async (user: Address) => (await scene.store.readBalances(user))[0]!.available

  async function settleAll(amount: bigint): Promise<void> {
    const exposures = await scene.store.readOpenExposures()
    expect(exposures.map((exposure) => exposure.amount)).to.deep.equal([amount])
    for (const { id } of exposures) await scene.store.settleExposure(id, now)
  }

  it('gives no credit that the vault does not hold: a step', async () => {
    const [user, signer, hash, block] = [randomAddress(), randomAddress(), randomHash(), place(1)]
    await scene.store.openLane({ chainId: 2, signer, chainNonce: 0 }, now)
    await moved(scene, user, true, 100n, hash, block)
    const entry = aNewAction({ user, intents: [aSignedIntent([aBatch({ chainId: 2, hash: randomHash() })])] })
    await scene.store.insertAction(entry)
    const ref = stepOf(entry, 0, 0)
    await scene.ask(ref, { needs: [need(60n)], intentSigned: true })
    const work = (await scene.store.readStepWork(ref))!
    const recorded = await scene.store.recordTransaction(aNewTransaction({ chainId: 2, signer, steps: [work] }), now)
    if (recorded.outcome !== 'recorded') throw new Error(recorded.outcome)
    await undo(scene, block)
    await settleAll(60n)
    await moved(scene, user, true, 100n, hash, place(3))
    await moved(scene, user, false, 100n, randomHash(), place(4))
    expect(await available(user)).to.equal(0n)

    const mined = { hash: randomHash(), ...place(9) }
    const error = { code: 'execution_reverted', message: 'no', retryable: true } as const
    const result = { status: 'reverted', error, transactionHash: mined.hash, blockNumber: 9 } as const
    const results = [{ ref, needs: [need(60n)], result }]
    await scene.store.settleTransaction({ transactionId: recorded.transaction.id, mined, airdrop: null, results }, now)
    expect((await scene.store.readStep(ref))!.status).to.equal('reverted')
    expect(await available(user)).to.equal(0n)
  })

  it('gives no credit that the vault does not hold: a withdrawal', async () => {
    const [user, hash, paidIn, takenIn] = [randomAddress(), randomHash(), place(1), place(2)]
    await moved(scene, user, true, 100n, hash, paidIn)
    await moved(scene, user, false, 60n, randomHash(), takenIn)
    await undo(scene, paidIn)
    await settleAll(60n)
    await moved(scene, user, true, 100n, hash, place(3))
    await moved(scene, user, false, 60n, randomHash(), place(4))
    await undo(scene, takenIn)
    expect(await available(user)).to.equal(40n)
  })

  it('gives back what the payment has covered, and no more', async () => {
    const [user, hash, paidIn, takenIn] = [randomAddress(), randomHash(), place(1), place(2)]
    await moved(scene, user, true, 100n, hash, paidIn)
    await moved(scene, user, false, 60n, randomHash(), takenIn)
    await undo(scene, paidIn)
    // Of the same transaction only a part comes again at first, which covers as much.
    const again = place(3)
    await moved(scene, user, true, 20n, hash, again)
    await settleAll(40n)
    await undo(scene, takenIn)
    expect(await available(user)).to.equal(20n)
  })
})

/** An operator has settled with the user what left the vault without credit, and a reorganisation takes that away again. */
describe('what has left the vault without credit, settled with the user, gone and mined again', () => {
  const scene = moneyScene()

  /** Settles the one that is open, of 60. */
  async function settleOnce(): Promise<void> {
    const [exposure, ...others] = await scene.store.readOpenExposures()
    expect(exposure).to.include({ kind: 'payout', amount: 60n })
    expect(others).to.deep.equal([])
    await scene.store.settleExposure(exposure!.id, now)
  }

  it('is settled still, each time: a withdrawal', async () => {
    const [user, hash, gone] = [randomAddress(), randomHash(), place(2)]
    await moved(scene, user, true, 100n, randomHash(), place(1))
    await moved(scene, user, false, 60n, hash, gone)
    await undo(scene, gone)
    await moved(scene, user, false, 100n, randomHash(), place(3))
    let last = place(4)
    await moved(scene, user, false, 60n, hash, last)
    await settleOnce()
    for (const next of [place(5), place(6)]) {
      await undo(scene, last)
      // What he has paid since is none of it.
      await moved(scene, user, true, 80n, randomHash(), place(next.blockNumber + 100))
      await moved(scene, user, false, 60n, hash, next)
      expect(await scene.store.readOpenExposures()).to.deep.equal([])
      last = next
    }
    expect((await scene.store.readBalances(user))[0]!.available).to.equal(160n)
  })

  it('is settled still: a step', async () => {
    const [user, signer] = [randomAddress(), randomAddress()]
    await scene.store.openLane({ chainId: 2, signer, chainNonce: 0 }, now)
    await moved(scene, user, true, 60n, randomHash(), place(1))
    const entry = aNewAction({ user, intents: [aSignedIntent([aBatch({ chainId: 2, hash: randomHash() })])] })
    await scene.store.insertAction(entry)
    const ref = stepOf(entry, 0, 0)
    await scene.ask(ref, { needs: [need(60n)], intentSigned: true })
    const work = (await scene.store.readStepWork(ref))!
    const recorded = await scene.store.recordTransaction(aNewTransaction({ chainId: 2, signer, steps: [work] }), now)
    if (recorded.outcome !== 'recorded') throw new Error(recorded.outcome)
    const transactionId = recorded.transaction.id
    const transactionHash = recorded.transaction.attempts[0]!.hash
    const settle = (result: StepResult, { blockNumber, blockHash }: Block) => {
      const mined = { hash: result.transactionHash!, blockNumber, blockHash }
      const settled = { transactionId, mined, airdrop: null, results: [{ ref, needs: [need(60n)], result }] }
      return scene.store.settleTransaction(settled, now)
    }
    const paid = (block: Block, hash = transactionHash): StepResult => {
      const payouts = [{ chainId: 2, token: usdOn2, amount: 60n }]
      return { status: 'success', transactionHash: hash, ...block, confirmations: 1, arrivals: [], payouts }
    }
    const [failed, first, second] = [place(9), place(10), place(11)]
    const error = { code: 'execution_reverted', message: 'no', retryable: true } as const
    await settle({ status: 'reverted', error, transactionHash, blockNumber: failed.blockNumber }, failed)
    // Its credit, which is free again, is taken out by the user.
    await moved(scene, user, false, 60n, randomHash(), place(2))
    await undo(scene, failed, 2)
    await settle(paid(first), first)
    await settleOnce()
    await undo(scene, first, 2)
    // What he has paid since is none of it.
    await moved(scene, user, true, 80n, randomHash(), place(3))
    // With higher fees this time.
    const replacement = { ...recorded.transaction.attempts[0]!, hash: randomHash() }
    expect(await scene.store.recordAttempt(recorded.transaction, replacement, now)).to.equal('recorded')
    await settle(paid(second, replacement.hash), second)
    expect((await scene.store.readStep(ref))!.status).to.equal('success')
    expect(await scene.store.readOpenExposures()).to.deep.equal([])
    expect((await scene.store.readBalances(user)).map(({ available }) => available)).to.include(80n)
  })
})

type Block = { blockNumber: number; blockHash: Hash }

const place = (blockNumber: number): Block => ({ blockNumber, blockHash: randomHash() })

function undo({ store }: Scene, { blockNumber, blockHash }: Block, chainId = 1) {
  return store.undoBlock(chainId, { number: blockNumber, hash: blockHash }, now)
}

/** A deposit into the vault or a withdrawal from it that the chain has confirmed. */
async function moved(
  { store }: Scene,
  user: Address,
  isDeposit: boolean,
  amount: bigint,
  hash: Hash,
  block: Block,
): Promise<void> {
  const parties = { user, sender: isDeposit ? user : usdOn1, token: usdOn1 }
  const report = { ...parties, chainId: 1, transactionHash: hash, amount, isDeposit }
  const { id } = await store.reportDeposit(report, 1, now)
  const movements = [{ logIndex: 0, amount }]
  const found = { outcome: 'found', custody: 'vault', movements, mismatch: 'no', confirmations: 1, ...block } as const
  await store.settleDeposit(id, found, now)
}
