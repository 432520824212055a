import { expect } from 'chai'
import type { Address } from 'viem'
import type { Chain } from '../../server/chain/chain.js'
import { resultOf } from '../../server/engine/outcomes/stepOutcome.js'
import type { EngineTools } from '../../server/engine/tools.js'
import type { StepWork } from '../../server/store/actions/steps.js'
import { aBatch, aSignedIntent, aTransfer, randomAddress, randomHash } from '../support/builders.js'

describe('a reverted transaction whose call now fails for having been paid, of which no node has the log', () => {
  /** What comes of it where the vault remembers the payout from the `remembers`-th time on that it is asked. */
  async function outcomeOf(remembers: number, to?: Address) {
    const [signer, vault, stepKey, hash] = [randomAddress(), randomAddress(), randomHash(), randomHash()]
    const batch = aBatch({ calls: [], tokenTransfers: [aTransfer({ from: 'solver' })] })
    const since: unknown[] = []
    const chain = {
      config: { chainId: batch.chainId, vault, confirmations: 1, tokens: [] },
      isFulfilled: async (_key: unknown, block: unknown) => since.push(block) >= remembers,
      rerun: async () => ({ outcome: 'reverted', data: '0x', text: '' }),
      findFulfilment: async () => null,
      areOperators: async () => [true],
      balances: async () => [2n ** 200n],
    } as unknown as Chain
    const tools = {
      codec: { decodeRevert: () => ({ name: 'AlreadyFulfilled', message: 'paid' }) },
      tellSeldom: () => undefined,
    } as unknown as EngineTools
    const work = {
      ref: { actionId: 'a', intentIndex: 0, stepIndex: 0 },
      kind: 'delegated',
      user: randomAddress(),
      stepKey,
      intent: { ...aSignedIntent(), chainBatches: [batch] },
      batch,
      view: { chainId: batch.chainId, requiredConfirmations: 1 },
    } as unknown as StepWork
    const transaction = { signer, to: to ?? vault, data: '0x', gasLimit: 100n, forms: [{ hash, isCancel: false }] }
    const receipt = { hash, blockNumber: 5n, blockHash: randomHash(), status: 'reverted', gasUsed: 50n, logs: [] }
    const mined = { transaction, receipt, bundle: null, head: 9n } as unknown as Parameters<typeof resultOf>[1]
    return { result: await resultOf(work, mined, chain, tools), since }
  }

  it('is waited for if the vault remembers it, also if it does so at the second look only', async () => {
    expect((await outcomeOf(1)).result).to.equal(null)
    expect((await outcomeOf(2)).result).to.equal(null)
  })

  it('is left open if it went through a vault that is not configured here', async () => {
    const { result, since } = await outcomeOf(3, randomAddress())
    expect(result).to.equal(null)
    expect(since, 'nothing is asked of the vault that is').to.deep.equal([])
  })

  it('has reverted if the vault does not, as of the block that it is in', async () => {
    const { result, since } = await outcomeOf(3)
    expect(result).to.include({ status: 'reverted', blockNumber: 5 })
    expect(since).to.deep.equal([5n, 5n])
  })
})
