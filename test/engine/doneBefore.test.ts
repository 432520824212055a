import { expect } from 'chai'
import { encodeErrorResult, type Hash } from 'viem'
import type { Chain } from '../../server/chain/chain.js'
import { decodeRevert } from '../../server/chain/failure.js'
import { delegateAbi, solverVaultAbi } from '../../server/chain/generated/contracts.js'
import { doneAccordingTo, doneBefore } from '../../server/engine/outcomes/doneBefore.js'
import type { StepWork } from '../../server/store/actions/steps.js'
import { aBatch, aSignedIntent, randomAddress, randomHash } from '../support/builders.js'

describe('whether a step has been carried out before', () => {
  it('is read from what our contracts revert with, and from nothing else', () => {
    const done = (data: Hash) => doneAccordingTo(decodeRevert(data))
    const hash = randomHash()
    expect(done(encodeErrorResult({ abi: solverVaultAbi, errorName: 'AlreadyFulfilled', args: [hash] }))).to.equal(
      'paid',
    )
    const args = ['0x', hash, hash] as const
    expect(done(encodeErrorResult({ abi: delegateAbi, errorName: 'DuplicateChainBatch', args }))).to.equal('run')
    const expired = encodeErrorResult({ abi: delegateAbi, errorName: 'IntentExpired', args: [5n, 6n] })
    expect(done(expired)).to.equal('perhapsRun')
    expect(done(encodeErrorResult({ abi: solverVaultAbi, errorName: 'Paused' }))).to.equal(null)
    expect(done('0x')).to.equal(null)
  })

  /** Who was asked, and since when. */
  async function asked(
    remembers: { paid?: boolean; run?: boolean },
    options: Partial<Parameters<typeof doneBefore>[2]> = {},
    calls = aBatch().calls,
  ) {
    const told: unknown[] = []
    const tell = (who: string, since: bigint | undefined, answer = false) => {
      told.push([who, since])
      return Promise.resolve(answer)
    }
    const chain = {
      isFulfilled: (_key: Hash, since?: bigint) => tell('vault', since, remembers.paid),
      isChainBatchProcessed: (_user: Hash, _id: Hash, since?: bigint) => tell('account', since, remembers.run),
    } as unknown as Chain
    const batch = { ...aBatch(), calls }
    const work = {
      ref: { stepIndex: 0 },
      user: randomAddress(),
      intent: aSignedIntent([batch]),
      batch,
      stepKey: randomHash(),
    } as unknown as StepWork
    return { done: await doneBefore(work, chain, { since: 7n, ...options }), told }
  }

  it('is asked of the vault first, then of the account, each by a node that has the block', async () => {
    expect(await asked({ paid: true, run: true })).to.deep.equal({ done: 'paid', told: [['vault', 7n]] })
    const both = [
      ['vault', 7n],
      ['account', 7n],
    ]
    expect(await asked({ run: true })).to.deep.equal({ done: 'run', told: both })
    expect(await asked({})).to.deep.equal({ done: null, told: both })
  })

  it('is not told by what the vault has paid for another step', async () => {
    const isItsOwn = async () => false
    expect((await asked({ paid: true }, { isItsOwn })).done).to.equal(null)
    expect((await asked({ paid: true, run: true }, { isItsOwn })).done).to.equal('run')
  })

  it('is not asked of an account that runs no calls, or is not to be asked', async () => {
    expect(await asked({ run: true }, {}, [])).to.deep.equal({ done: null, told: [['vault', 7n]] })
    expect(await asked({ run: true }, { asksAccount: false })).to.deep.equal({ done: null, told: [['vault', 7n]] })
  })
})
