import { expect } from 'chai'
import type { Address } from 'viem'
import type { StepRef } from '../../../server/domain/action.js'
import { forEachLimit } from '../../../server/concurrency/forEachLimit.js'
import { createStore } from '../../../server/store/store.js'
import { randomAddress, randomHash, stepOf, usdOn2 } from '../../support/builders.js'
import { moneyScene, need } from '../money/moneyScene.js'

describe('bundles that are settled side by side', function () {
  this.timeout(60_000)
  const scene = moneyScene()
  const signer: Address = randomAddress()
  const [bundles, size, amount] = [16, 6, 7n]

  /** Stores a transaction that carries these payouts. */
  async function carried(payouts: readonly StepRef[]): Promise<number> {
    const steps = await Promise.all(payouts.map(async (ref) => (await scene.store.readStepWork(ref))!))
    const signed = { raw: '0x00', maxFeePerGas: 1n, maxPriorityFeePerGas: 1n, isCancel: false } as const
    const recorded = await scene.store.recordTransaction(
      {
        ...{ chainId: 2, signer, to: randomAddress(), data: '0x', authorizations: [], gasLimit: 1n },
        ...{ steps, airdrop: null, sign: () => Promise.resolve({ ...signed, hash: randomHash() }) },
      },
      Date.now(),
    )
    if (recorded.outcome !== 'recorded') throw new Error(recorded.outcome)
    return recorded.transaction.id
  }

  it('spend and give back their users’ credit exactly, and none has to begin anew for another', async () => {
    await scene.store.openLane({ chainId: 2, signer, chainNonce: 0, ifLedgerIsNew: null }, Date.now())
    const users = [randomAddress(), randomAddress()] as const
    const payouts: StepRef[] = []
    for (let index = 0; index < bundles * size; index++) {
      const payout = stepOf(await scene.paidAction(users[index % 2]!, amount), 0, 1)
      await scene.ask(payout, { needs: [need(amount)] })
      payouts.push(payout)
    }
    // Each bundle has both users in it, every other one in the other order.
    const transactions: { transactionId: number; refs: StepRef[] }[] = []
    while (payouts.length > 0) {
      const refs = payouts.splice(0, size)
      const transactionId = await carried(refs)
      transactions.push({ transactionId, refs: transactions.length % 2 === 0 ? refs : refs.reverse() })
    }

    let runs = 0
    const { database } = scene
    const counting = createStore({
      ...database,
      transact: (work) => database.transact((trx) => ((runs += 1), work(trx))),
    })
    const outcomes: string[] = []
    await forEachLimit(transactions, bundles, async ({ transactionId, refs }) => {
      const mined = { hash: randomHash(), blockNumber: 9, blockHash: randomHash() }
      const place = { transactionHash: mined.hash, blockNumber: mined.blockNumber }
      const error = { code: 'execution_reverted', message: 'no', retryable: true } as const
      const paid = { payouts: [{ chainId: 2, token: usdOn2, amount }], arrivals: [], confirmations: 1 }
      const results = refs.map((ref, index) => ({
        ref,
        needs: [need(amount)],
        result:
          index < 2
            ? ({ status: 'reverted', error, ...place } as const)
            : ({ status: 'success', ...paid, ...place, blockHash: mined.blockHash } as const),
      }))
      const { outcome } = await counting.settleTransaction({ transactionId, mined, results, airdrop: null }, Date.now())
      outcomes.push(outcome)
    })

    expect(outcomes).to.deep.equal(Array(bundles).fill('settled'))
    expect(runs, 'settlements that were run').to.equal(bundles)
    for (const user of users) {
      expect(await scene.balance('reserved', user)).to.equal(0n)
      expect(await scene.balance('available', user)).to.equal(BigInt(bundles) * amount)
      const balances = await scene.store.readBalances(user)
      expect(balances.reduce((sum, { reserved }) => sum + reserved, 0n)).to.equal(0n)
      expect(balances.reduce((sum, { available }) => sum + available, 0n)).to.equal(BigInt(bundles) * amount)
    }
  })
})
