import { expect } from 'chai'
import type { Address, Hash } from 'viem'
import type { StepResult } from '../../../server/store/journal/bookResult.js'
import { rethrow } from '../../support/rethrow.js'
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
} from '../../support/builders.js'
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
    const [user, hash, block] = [randomAddress(), randomHash(), place(1)]
    await moved(scene, user, true, 100n, hash, block)
    const { transaction, refs } = await recordedSteps(scene, user, 1)
    const ref = refs[0]!
    await undo(scene, block)
    await settleAll(60n)
    await moved(scene, user, true, 100n, hash, place(3))
    await moved(scene, user, false, 100n, randomHash(), place(4))
    expect(await available(user)).to.equal(0n)

    const mined = { hash: randomHash(), ...place(9) }
    const error = { code: 'execution_reverted', message: 'no', retryable: true } as const
    const result = { status: 'reverted', error, transactionHash: mined.hash, blockNumber: 9 } as const
    const results = [{ ref, needs: [need(60n)], result }]
    await scene.store.settleTransaction({ transactionId: transaction.id, mined, airdrop: null, results }, now)
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

/**
 * An operator has settled with the user what left the vault without credit, and a reorganisation takes that away again.
 */
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

  /** Steps that pay out 60 each by one transaction, which comes to these ends; a success has paid. */
  async function ends(user: Address, steps: number) {
    const { transaction, refs } = await recordedSteps(scene, user, steps)
    const payouts = [{ chainId: 2, token: usdOn2, amount: 60n }]
    const error = { code: 'execution_reverted', message: 'no', retryable: true } as const
    const come = async (block: Block, outcomes: ('success' | 'reverted')[], hash = transaction.forms[0]!.hash) => {
      const at = { transactionHash: hash, blockNumber: block.blockNumber }
      const results = outcomes.map((status, index) => {
        const paid = { ...at, blockHash: block.blockHash, confirmations: 1, arrivals: [], payouts }
        const result: StepResult = status === 'success' ? { status, ...paid } : { status, error, ...at }
        return { ref: refs[index]!, needs: [need(60n)], result }
      })
      const settled = { transactionId: transaction.id, mined: { hash, ...block }, airdrop: null, results }
      await scene.store.settleTransaction(settled, now)
    }
    const replace = async () => {
      const replacement = { ...transaction.forms[0]!, hash: randomHash() }
      expect(await scene.store.recordForm(transaction, replacement, now)).to.equal('recorded')
      return replacement.hash
    }
    return { come, replace, refs }
  }

  it('is settled still: a step', async () => {
    const user = randomAddress()
    await moved(scene, user, true, 60n, randomHash(), place(1))
    const { come, replace, refs } = await ends(user, 1)
    const [failed, first, second] = [place(9), place(10), place(11)]
    await come(failed, ['reverted'])
    // Its credit, which is free again, is taken out by the user.
    await moved(scene, user, false, 60n, randomHash(), place(2))
    await undo(scene, failed, 2)
    await come(first, ['success'])
    await settleOnce()
    await undo(scene, first, 2)
    // What he has paid since is none of it.
    await moved(scene, user, true, 80n, randomHash(), place(3))
    // With higher fees this time.
    await come(second, ['success'], await replace())
    expect((await scene.store.readStep(refs[0]!))!.status).to.equal('success')
    expect(await scene.store.readOpenExposures()).to.deep.equal([])
    expect((await scene.store.readBalances(user)).map(({ available }) => available)).to.include(80n)
  })

  it('is settled still, and another step of the transaction is paid from its own credit', async () => {
    const user = randomAddress()
    await moved(scene, user, true, 120n, randomHash(), place(1))
    const { come } = await ends(user, 2)
    const [half, first, second] = [place(9), place(10), place(11)]
    await come(half, ['success', 'reverted'])
    await moved(scene, user, false, 60n, randomHash(), place(2))
    await undo(scene, half, 2)
    await come(first, ['success', 'success'])
    await settleOnce()
    await undo(scene, first, 2)
    await come(second, ['success', 'success'])
    expect(await scene.store.readOpenExposures()).to.deep.equal([])
  })
})

type Block = { blockNumber: number; blockHash: Hash }

const place = (blockNumber: number): Block => ({ blockNumber, blockHash: randomHash() })

function undo({ store }: Scene, { blockNumber, blockHash }: Block, chainId = 1) {
  return store.undoBlock(chainId, { number: blockNumber, hash: blockHash }, now, rethrow)
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
  const deposit = await store.reportDeposit(report, 1, now)
  const movements = [{ logIndex: 0, amount }]
  const found = { outcome: 'found', custody: 'vault', movements, mismatch: 'no', confirmations: 1, ...block } as const
  await store.settleDeposit(deposit, found, now)
}

/**
 * Steps of the user that need 60 on the second chain each, set aside of his credit, and the
 * transaction that carries them.
 */
async function recordedSteps({ database, store, ask }: Scene, user: Address, steps: number) {
  const signer = randomAddress()
  await store.openLane({ chainId: 2, signer, chainNonce: 0, ifLedgerIsNew: null }, now)
  const batch = () => aSignedIntent([aBatch({ chainId: 2, hash: randomHash() })])
  const entry = aNewAction({ user, intents: Array.from({ length: steps }, batch) })
  await store.insertAction(entry)
  const refs = Array.from({ length: steps }, (_none, index) => stepOf(entry, index, 0))
  for (const ref of refs) await ask(ref, { needs: [need(60n)] })
  // As those of an on-demand intent, several of which one transaction may carry: they take no account.
  await database.knex('steps').where({ user }).update({ kind: 'fulfilment' })
  const works = await Promise.all(refs.map(async (ref) => (await store.readStepWork(ref))!))
  const recorded = await store.recordTransaction(aNewTransaction({ chainId: 2, signer, steps: works }), now)
  if (recorded.outcome !== 'recorded') throw new Error(recorded.outcome)
  return { transaction: recorded.transaction, refs }
}
