import { expect } from 'chai'
import type { Address, Hash } from 'viem'
import {
  aBatch,
  aNewAction,
  aNewTransaction,
  aSignedIntent,
  randomAddress,
  randomHash,
  stepOf,
  usdOn1,
} from '../support/builders.js'
import { moneyScene, need } from './moneyScene.js'

type Block = { blockNumber: number; blockHash: Hash }

/** An operator has settled with the user what was paid out on a payment that was gone, and the payment comes again. */
describe('what was paid out, gone, settled with the user, and has not happened after all', () => {
  const scene = moneyScene()
  const now = Date.now()
  const place = (blockNumber: number): Block => ({ blockNumber, blockHash: randomHash() })
  const undo = ({ blockNumber, blockHash }: Block) =>
    scene.store.undoBlock(1, { number: blockNumber, hash: blockHash }, now)
  const available = async (user: Address) => (await scene.store.readBalances(user))[0]!.available

  /** A deposit into the vault or a withdrawal from it that the chain has confirmed. */
  async function moved(user: Address, isDeposit: boolean, amount: bigint, hash: Hash, block: Block): Promise<void> {
    const parties = { user, sender: isDeposit ? user : usdOn1, token: usdOn1 }
    const report = { ...parties, chainId: 1, transactionHash: hash, amount, isDeposit }
    const { id } = await scene.store.reportDeposit(report, 1, now)
    const movements = [{ logIndex: 0, amount }]
    const found = { outcome: 'found', custody: 'vault', movements, mismatch: 'no', confirmations: 1, ...block } as const
    await scene.store.settleDeposit(id, found, now)
  }

  async function settleAll(amount: bigint): Promise<void> {
    const exposures = await scene.store.readOpenExposures()
    expect(exposures.map((exposure) => exposure.amount)).to.deep.equal([amount])
    for (const { id } of exposures) await scene.store.settleExposure(id, now)
  }

  it('gives no credit that the vault does not hold: a step', async () => {
    const [user, signer, hash, block] = [randomAddress(), randomAddress(), randomHash(), place(1)]
    await scene.store.openLane({ chainId: 2, signer, chainNonce: 0 }, now)
    await moved(user, true, 100n, hash, block)
    const entry = aNewAction({ user, intents: [aSignedIntent([aBatch({ chainId: 2, hash: randomHash() })])] })
    await scene.store.insertAction(entry)
    const ref = stepOf(entry, 0, 0)
    await scene.ask(ref, { needs: [need(60n)], intentSigned: true })
    const work = (await scene.store.readStepWork(ref))!
    const recorded = await scene.store.recordTransaction(aNewTransaction({ chainId: 2, signer, steps: [work] }), now)
    if (recorded.outcome !== 'recorded') throw new Error(recorded.outcome)
    await undo(block)
    await settleAll(60n)
    await moved(user, true, 100n, hash, place(3))
    await moved(user, false, 100n, randomHash(), place(4))
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
    await moved(user, true, 100n, hash, paidIn)
    await moved(user, false, 60n, randomHash(), takenIn)
    await undo(paidIn)
    await settleAll(60n)
    await moved(user, true, 100n, hash, place(3))
    await moved(user, false, 60n, randomHash(), place(4))
    await undo(takenIn)
    expect(await available(user)).to.equal(40n)
  })

  it('gives back what the payment has covered, and no more', async () => {
    const [user, hash, paidIn, takenIn] = [randomAddress(), randomHash(), place(1), place(2)]
    await moved(user, true, 100n, hash, paidIn)
    await moved(user, false, 60n, randomHash(), takenIn)
    await undo(paidIn)
    // Of the same transaction only a part comes again at first, which covers as much.
    const again = place(3)
    await moved(user, true, 20n, hash, again)
    await settleAll(40n)
    await undo(takenIn)
    expect(await available(user)).to.equal(20n)
  })
})
