import { expect } from 'chai'
import type { Hash } from 'viem'
import { ChainUnavailable } from '../../server/chain/chain.js'
import { encodeFulfill } from '../../server/chain/contracts.js'
import { type DevChain, randomKey, startDevChain } from './devChain.js'
import { type Fault, type FaultyNode, type JsonCall, startFaultyNode } from './faultyNode.js'

type Range = { fromBlock: string; toBlock: string }

/** How a node or the gateway in front of it refuses what is too much. */
const refusals: [string, Fault][] = [
  ['an error', { kind: 'answer', answer: ({ method }) => (method === 'eth_getLogs' ? { error: tooWide } : null) }],
  ['HTTP 504', { kind: 'status', status: 504 }],
  ['silence', { kind: 'silence' }],
]
const tooWide = { code: -32005, message: 'query exceeds max block range' }

describe('the search for a log', () => {
  const unknownKey: Hash = `0x${'ee'.repeat(32)}`
  const stepKey = randomKey('searched for')
  let dev: DevChain
  let node: FaultyNode
  let paidIn: Hash
  /** The real chain's head. */
  let realHead: bigint

  before(async () => {
    dev = await startDevChain()
    const data = encodeFulfill({ stepKey, transfers: [], account: null, intent: null, stepIndex: 0 })
    ;({ hash: paidIn } = await dev.transact(dev.operator, { to: dev.vault, data }))
    ;({ number: realHead } = await dev.chain.head())
  })
  after(() => dev.stop())
  beforeEach(async () => {
    node = await startFaultyNode(dev.url)
  })
  afterEach(() => node.stop())

  /** A short time only where the node is silent: on a busy machine its answers take long. */
  const connect = (refusal?: Fault) =>
    dev.connect({ urls: [node.url], readTimeoutMs: refusal?.kind === 'silence' ? 250 : 5_000 })
  const failureOf = (search: Promise<unknown>) => search.then(String, (error: unknown) => error)

  const rangesOf = (calls: JsonCall[]) =>
    calls.filter(({ method }) => method === 'eth_getLogs').map(({ params }) => params[0] as Range)
  const isWhole = ({ toBlock }: Range) => toBlock === 'latest'
  const sizeOf = (range: Range) => Number(BigInt(range.toBlock) - BigInt(range.fromBlock)) + 1
  const asksForWhole = (calls: JsonCall[]) => rangesOf(calls).some(isWhole)
  const requestsForLogs = () => node.requests.map(rangesOf).filter((ranges) => ranges.length > 0)

  /** Of a chain that seems so long, all of whose logs are at its beginning. */
  const chainOf =
    (length: bigint): ((calls: JsonCall[]) => Fault) =>
    () => ({
      kind: 'answer',
      answer: ({ method, params }) => {
        if (method === 'eth_blockNumber') return { result: `0x${length.toString(16)}` }
        if (method !== 'eth_getLogs') return null
        const { fromBlock, toBlock } = params[0] as Range
        return toBlock === 'latest' || BigInt(fromBlock) <= realHead ? null : { result: [] }
      },
    })

  for (const [how, refusal] of refusals) {
    it(`goes by windows where the whole chain is too much for the node, told by ${how}`, async () => {
      node.behave((calls) => (asksForWhole(calls) ? refusal : { kind: 'pass' }))
      expect(await connect(refusal).findFulfilment(stepKey)).to.equal(paidIn)
      expect(await connect(refusal).findFulfilment(unknownKey)).to.equal(null)
    })

    for (const limit of [1_999, 999, 100, 10]) {
      it(`finds what is near the head where ${limit} blocks at once are the most, told by ${how}`, async () => {
        const isTooMuch = (range: Range) => isWhole(range) || sizeOf(range) > limit
        const long = chainOf(realHead + BigInt(limit) * 20n)
        node.behave((calls) => (rangesOf(calls).some(isTooMuch) ? refusal : long(calls)))
        expect(await connect(refusal).findFulfilment(stepKey)).to.equal(paidIn)
      })
    }
  }

  it('goes from the newest blocks to the oldest and leaves none out while its windows get narrower', async () => {
    const long = chainOf(9_000n)
    // The first windows are answered, and what comes after is refused until it is narrow.
    const isTooMuch = (range: Range) => isWhole(range) || (sizeOf(range) > 100 && BigInt(range.toBlock) < 8_500n)
    node.behave((calls) => (rangesOf(calls).some(isTooMuch) ? { kind: 'status', status: 504 } : long(calls)))
    expect(await connect().findFulfilment(unknownKey)).to.equal(null)
    const answered = requestsForLogs().filter((ranges) => !ranges.some(isTooMuch))
    let next = 9_000n
    for (const { fromBlock, toBlock } of answered.flat()) {
      expect(BigInt(toBlock)).to.equal(next)
      next = BigInt(fromBlock) - 1n
    }
    expect(next).to.equal(-1n)
  })

  it('says that it found nothing only of what it has searched, and asks no node without end', async () => {
    const long = chainOf(10_000_000n)
    const isTooMuch = (range: Range) => isWhole(range) || sizeOf(range) > 10
    node.behave((calls) => (rangesOf(calls).some(isTooMuch) ? { kind: 'status', status: 504 } : long(calls)))
    expect(await connect().findFulfilment(unknownKey)).to.equal('unsearched')
    expect(requestsForLogs().length).to.be.within(20, 60)
  })

  it('is made of the whole chain once more where that has failed and windows don’t go as far', async () => {
    const long = chainOf(1_000_000n)
    let hasFailed = false
    node.behave((calls) => {
      if (!asksForWhole(calls) || hasFailed) return long(calls)
      hasFailed = true
      return { kind: 'status', status: 504 }
    })
    expect(await connect().findFulfilment(stepKey)).to.equal(paidIn)
  })

  it('ends by windows where that fails each time', async () => {
    const long = chainOf(1_000_000n)
    node.behave((calls) => (asksForWhole(calls) ? { kind: 'status', status: 504 } : long(calls)))
    expect(await connect().findFulfilment(unknownKey)).to.equal(null)
  })

  describe('of what the contracts remember, before it finds nothing, asks', () => {
    let other: FaultyNode
    beforeEach(async () => {
      other = await startFaultyNode(dev.url)
      // As nodes do that keep no older logs.
      node.behave({ kind: 'answer', answer: ({ method }) => (method === 'eth_getLogs' ? { result: [] } : null) })
    })
    afterEach(() => other.stop())
    const both = () => dev.connect({ urls: [node.url, other.url], readTimeoutMs: 5_000 })

    it('each node once, be it by windows', async () => {
      expect(await both().findFulfilment(stepKey)).to.equal(paidIn)
      other.behave((calls) => (asksForWhole(calls) ? { kind: 'status', status: 504 } : { kind: 'pass' }))
      expect(await both().findFulfilment(stepKey)).to.equal(paidIn)
      const asked = requestsForLogs().length
      expect(await both().findFulfilment(unknownKey)).to.equal(null)
      expect(requestsForLogs()).to.have.length(asked + 1)
    })

    it('no node in vain, where another one is away', async () => {
      other.behave({ kind: 'status', status: 503 })
      expect(await both().findFulfilment(stepKey)).to.equal(null)
    })

    it('those that let more be searched than the first', async () => {
      const long = chainOf(10_000_000n)
      const isTooMuch = (range: Range) => isWhole(range) || sizeOf(range) > 100
      const head = { result: '0x989680' }
      const refusal: Fault = {
        kind: 'answer',
        answer: ({ method }) =>
          method === 'eth_getLogs' ? { error: tooWide } : method === 'eth_blockNumber' ? head : null,
      }
      node.behave((calls) => (rangesOf(calls).some(isTooMuch) ? refusal : long(calls)))
      other.behave((calls) => (asksForWhole(calls) ? { kind: 'pass' } : long(calls)))
      expect(await connect().findFulfilment(stepKey)).to.equal('unsearched')
      expect(await both().findFulfilment(stepKey)).to.equal(paidIn)
    })

    it('one alone, where nothing says that there is a log', async () => {
      const account = dev.vault
      const isThere = false
      expect(await both().findExecution(account, unknownKey, { isThere })).to.equal(null)
      expect(other.requests.flatMap(rangesOf)).to.deep.equal([])
      expect(await both().findExecution(account, unknownKey)).to.equal(null)
      expect(other.requests.flatMap(rangesOf)).to.have.length(1)
    })
  })

  describe('ends as an outage, and not as a log that is not there, on a node that', () => {
    const away: Fault = { kind: 'status', status: 503 }

    it('answers no request at all', async () => {
      const chain = connect()
      node.behave(away)
      expect(await failureOf(chain.findFulfilment(unknownKey))).to.be.instanceOf(ChainUnavailable)
      // The search, and the look whether the node is there.
      expect(node.requests).to.have.length(2)
    })

    it('goes away in the middle of the search', async () => {
      const long = chainOf(100_000n)
      let requests = 0
      node.behave((calls) => (asksForWhole(calls) || requests++ >= 3 ? away : long(calls)))
      expect(await failureOf(connect().findFulfilment(unknownKey))).to.be.instanceOf(ChainUnavailable)
      expect(requests).to.be.below(6)
    })

    it('gives no logs, though it answers all else', async () => {
      node.behave((calls) => (rangesOf(calls).length > 0 ? away : { kind: 'pass' }))
      expect(await failureOf(connect().findFulfilment(unknownKey))).to.be.instanceOf(ChainUnavailable)
      expect(requestsForLogs().length).to.be.below(10)
    })
  })
})
