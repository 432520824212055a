import { expect } from 'chai'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { findingsOf } from '../../server/services/findings.js'
import type { ChainState, LaneHealth } from '../../server/services/findings/chainState.js'
import { type Address, getAddress } from 'viem'
import { randomAddress } from '../support/builders.js'

describe('what is told of a lane', () => {
  const signer = randomAddress()
  const config = {
    chainId: 1,
    vault: randomAddress(),
    priorityFeePerGas: 1n,
    maxFeePerGasCap: 0n,
    tokens: [],
  } as unknown as ChainConfig
  const head = { number: 1n, hash: '0x', parentHash: '0x', timestamp: 0n, baseFeePerGas: 1n, gasLimit: 1n } as never

  function told(
    lane: Partial<LaneHealth>,
    {
      isOperator = false,
      isConfigured = false,
      ...more
    }: Partial<ChainState> & { isOperator?: boolean; isConfigured?: boolean } = {},
  ) {
    const lanes = [
      {
        signer,
        status: 'active',
        isAhead: false,
        isRetired: false,
        reason: null,
        signerFault: null,
        nextNonce: 1,
        balance: 0n,
        ...lane,
      } as const,
    ]
    const refused = isOperator ? [] : [signer]
    const chain = {
      config,
      head,
      nodes: [{ behind: 0, fault: null }],
      inventory: [],
      lanes,
      limits: null,
      refused,
      unopened: new Map(),
      open: new Map(),
      stuck: null,
      unsettled: null,
      ...more,
    }
    const operators = isConfigured ? [signer] : []
    return findingsOf({
      database: 'ok',
      chains: [chain],
      waiting: [],
      exposures: [],
      unconfiguredCredit: [],
      operators,
      nowMs: 0,
    })
  }
  const codes = (...given: Parameters<typeof told>) => told(...given).map(({ code }) => code)

  it('is nothing once its key was changed for another: paused, no operator, and not configured', () => {
    expect(codes({ status: 'paused', reason: 'changed' })).to.deep.equal([])
  })

  it('is nothing either while the chain does not say whether it is an operator', () => {
    const silent = { head: null, refused: [] }
    expect(codes({ status: 'paused', reason: 'changed' }, silent)).not.to.include('lane_paused')
    expect(codes({ status: 'paused' }, { ...silent, isConfigured: true })).to.include('lane_paused')
  })

  it('is not to be given its right back where its key is not configured', () => {
    const remedy = (isConfigured: boolean) =>
      told({}, { isConfigured }).find(({ code }) => code === 'operator_refused')?.remedy
    expect(remedy(true)).to.contain('setOperator')
    expect(remedy(false)).not.to.contain('setOperator')
    expect(remedy(false)).to.match(/lane pause 1 0x.* lane retire 1 0x/)
  })

  it('is told whosever it was, as long as the others’ payouts are held for it', () => {
    const ahead = { status: 'paused', isAhead: true, reason: 'ahead' } as const
    expect(codes(ahead)).to.deep.equal(['lane_paused'])
    expect(codes(ahead, { isConfigured: true })).to.deep.equal(['lane_paused', 'signer_low_on_gas'])
  })

  it('is not to be resumed once it is retired', () => {
    const retired = { status: 'paused', isRetired: true, reason: 'retired by an operator' } as const
    const remedy = (lane: Partial<LaneHealth>) =>
      told(lane, { isConfigured: true }).find(({ code }) => code === 'lane_paused')?.remedy
    expect(remedy({ status: 'paused' })).to.contain('lane resume')
    expect(remedy(retired)).not.to.contain('lane resume')
    expect(remedy(retired)).to.contain('Remove its key')
    expect(codes(retired)).to.deep.equal([])
  })

  it('is what keeps a key from having one', () => {
    const other = randomAddress()
    const unopened = new Map([
      [other, { why: 'fewer nodes than have to agree', nodes: 'rpcUrls/0: 50, rpcUrls/1: 40' }],
    ])
    const paused = { status: 'paused', reason: 'changed' } as const
    const [finding, ...more] = told(paused, { unopened })
    expect(more).to.deep.equal([])
    expect(finding).to.include({ code: 'lane_unopened', chainId: 1 })
    expect(finding!.message).to.contain(getAddress(other)).and.to.contain('rpcUrls/1: 40')
  })

  it('is all that is wrong as long as it may be used again', () => {
    const paused = { status: 'paused', reason: 'changed' } as const
    expect(codes(paused, { isOperator: true })).to.deep.equal(['lane_paused', 'signer_low_on_gas'])
    expect(codes(paused, { isConfigured: true })).to.deep.equal(['lane_paused', 'signer_low_on_gas'])
    expect(codes({})).to.deep.equal(['operator_refused', 'signer_low_on_gas'])
  })

  it('is why its transactions are not mined, where that is known', () => {
    const stuck = { open: 1, count: 1, lowestNonce: 0, signers: [signer] }
    const remedy = (lane: Partial<LaneHealth>, isConfigured: boolean, unfunded: Address[] = []) =>
      told(lane, { isOperator: true, isConfigured, stuck: { ...stuck, unfunded } }).find(
        ({ code }) => code === 'transactions_stuck',
      )?.remedy
    expect(remedy({ balance: 0n }, true)).to.match(/^Send native currency of chain 1 to 0x/)
    expect(remedy({ balance: 0n }, false)).to.match(/^Put the key of 0x/)
    expect(remedy({ balance: 10n ** 18n }, true)).to.match(/^Raise maxFeePerGasCap/)
    expect(remedy({ balance: 10n ** 18n }, true, [signer])).to.match(/^Send native currency of chain 1 to 0x/)
  })

  it('names a node by its place in rpcUrls, as the metrics count them', () => {
    const nodes = [
      { behind: 0, fault: null },
      { behind: null, fault: 'refused' },
      { behind: 9, fault: null },
    ]
    const found = told({ status: 'paused', reason: 'changed' }, { nodes })
    expect(found.map(({ code, message }) => [code, message])).to.deep.equal([
      ['node_down', 'The node at rpcUrls[1] of chain 1 gives no usable answer: refused.'],
      ['node_lagging', 'The node at rpcUrls[2] of chain 1 is 9 blocks behind.'],
    ])
  })
})
