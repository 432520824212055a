import { expect } from 'chai'
import { type Hash, type Hex, toHex } from 'viem'
import { until } from '../support/until.js'
import { account, type DevChain, lower, startDevChain } from './devChain.js'
import { countedFromZero, type FaultyNode, type JsonCall, startFaultyNode } from './faultyNode.js'

describe('a chain behind nodes of which one misbehaves', () => {
  let dev: DevChain
  let node: FaultyNode
  before(async () => {
    dev = await startDevChain()
  })
  after(() => dev.stop())
  beforeEach(async () => {
    node = await startFaultyNode(dev.url)
  })
  afterEach(() => node.stop())

  const through = (...urls: string[]) => dev.connect({ urls, readTimeoutMs: 5_000 })
  const payVault = () => dev.transact(dev.owner, { to: dev.vault, value: 5n })
  const unknownHash: Hash = `0x${'ee'.repeat(32)}`

  it('is certain of what enough nodes say, each of which has the block that deep itself', async () => {
    const receipt = await dev.transact(dev.owner, { to: dev.vault, value: 5n })
    await dev.rpc('anvil_mine', '0x2')
    const chain = dev.connect({ urls: [dev.url, node.url], agreement: 2 })
    const isCertain = (depth: number) => chain.isCertain(receipt, depth)
    expect([await isCertain(3), await isCertain(4)]).to.deep.equal([true, false])
    // It is two blocks behind.
    const block: unknown = await dev.rpc('eth_getBlockByNumber', toHex(receipt.blockNumber), false)
    const isLatest = ({ method, params }: JsonCall) => method === 'eth_getBlockByNumber' && params[0] === 'latest'
    node.behave({ kind: 'answer', answer: (call) => (isLatest(call) ? { result: block } : null) })
    expect([await isCertain(1), await isCertain(2)]).to.deep.equal([true, false])
    // It has another block there.
    const other = { ...(block as object), hash: unknownHash }
    node.behave({
      kind: 'answer',
      answer: (call) => (call.method === 'eth_getBlockByNumber' ? { result: other } : null),
    })
    expect(await isCertain(1)).to.equal(false)
    node.behave({ kind: 'reset' })
    expect(await isCertain(1)).to.equal(false)
    expect(await dev.connect({ urls: [dev.url, node.url] }).isCertain(receipt, 1)).to.equal(true)
  })

  it('is certain of what nodes say alike, though they number its logs differently', async () => {
    // Another transaction of its block has a log before it.
    await dev.rpc('evm_setAutomine', false)
    const sent = [dev.owner, account(6)].map((from) => dev.transact(from, { to: dev.vault, value: 5n }))
    const waiting = async () => ((await dev.rpc('txpool_status')) as { pending: Hex }).pending
    await until(async () => Number(await waiting()) === 2, 'both are in the pool')
    await dev.rpc('evm_mine')
    await dev.rpc('evm_setAutomine', true)
    const receipt = (await Promise.all(sent)).find(({ logs }) => logs[0]!.logIndex === 1)!
    const chain = dev.connect({ urls: [dev.url, node.url], agreement: 2 })
    const tellsOf = (change: (receipt: unknown) => unknown) =>
      node.behave({
        kind: 'change',
        change: ({ method }, result) => (method === 'eth_getTransactionReceipt' ? change(result) : result),
      })
    tellsOf(countedFromZero)
    expect(await chain.isCertain(receipt, 1)).to.equal(true)
    // What they moved is to be the same.
    tellsOf((told) => {
      const { logs } = told as { logs: object[] }
      return { ...(told as object), logs: logs.map((log) => ({ ...log, data: `0x${'00'.repeat(32)}` })) }
    })
    expect(await chain.isCertain(receipt, 1)).to.equal(false)
  })

  it('is certain with one node of no more than that has upon the block itself', async () => {
    const receipt = await dev.transact(dev.owner, { to: dev.vault, value: 5n })
    const newest: unknown = await dev.rpc('eth_getBlockByNumber', 'latest', false)
    await dev.rpc('anvil_mine', '0x2')
    const chain = through(node.url)
    const isCertain = () => Promise.all([1, 3, 4].map((depth) => chain.isCertain(receipt, depth)))
    expect(await isCertain()).to.deep.equal([true, true, false])
    node.behave({ kind: 'answer', answer: ({ params }) => (params[0] === 'latest' ? { result: newest } : null) })
    expect(await isCertain()).to.deep.equal([true, false, false])
  })

  for (const [what, lie] of [
    ['pays', { value: '0x6' }],
    ['says', { input: '0x12' }],
    ['is from', { from: unknownHash.slice(0, 42) }],
    ['goes to', { to: unknownHash.slice(0, 42) }],
  ] as const) {
    it(`is certain of whom or what a transaction ${what} only where enough nodes tell the same`, async () => {
      const receipt = await payVault()
      const chain = dev.connect({ urls: [node.url, dev.url], agreement: 2 })
      const isCertain = async () => {
        const { transaction } = await chain.transaction(receipt.hash)
        return Promise.all([chain.isCertain(receipt, 1), chain.isCertain(receipt, 1, transaction!)])
      }
      expect(await isCertain()).to.deep.equal([true, true])
      const told = (await dev.rpc('eth_getTransactionByHash', receipt.hash)) as object
      const isAsked = ({ method }: JsonCall) => method === 'eth_getTransactionByHash'
      node.behave({ kind: 'answer', answer: (call) => (isAsked(call) ? { result: { ...told, ...lie } } : null) })
      expect(await isCertain()).to.deep.equal([true, false])
    })
  }

  it('is certain of whom a receipt names only where enough nodes name the same', async () => {
    const receipt = await payVault()
    const chain = dev.connect({ urls: [node.url, dev.url], agreement: 2 })
    expect(await chain.isCertain(receipt, 1)).to.equal(true)
    for (const named of ['from', 'to'] as const)
      expect(await chain.isCertain({ ...receipt, [named]: lower(account(8).address) }, 1), named).to.equal(false)
  })

  it('awaits no silent node once enough others have said yes, or too many no', async () => {
    node.behave({ kind: 'silence' })
    const others = await Promise.all([startFaultyNode(dev.url), startFaultyNode(dev.url)])
    try {
      const urls = [node.url, ...others.map(({ url }) => url)]
      // The silent one would outlast the test.
      const chain = dev.connect({ urls, agreement: 2, readTimeoutMs: 600_000 })
      const receipt = await payVault()
      expect(await chain.isCertain(receipt, 1)).to.equal(true)
      others.forEach((other) => other.behave({ kind: 'status', status: 503 }))
      expect(await chain.isCertain(receipt, 1)).to.equal(false)
    } finally {
      await Promise.all(others.map((other) => other.stop()))
    }
  })

  it('awaits a node that did not answer in time no more until it has answered again', async () => {
    const receipt = await payVault()
    const chain = dev.connect({ urls: [dev.url, node.url], agreement: 2, readTimeoutMs: 600_000 })
    const isGone = async () => (await chain.goneBlocks([{ number: 1, hash: unknownHash }]))[0]
    node.behave({ kind: 'status', status: 504 })
    expect(await chain.isCertain(receipt, 1)).to.equal(false)
    node.behave({ kind: 'silence' })
    for (let count = 0; count < 3; count++) expect(await chain.isCertain(receipt, 1)).to.equal(false)
    expect(await isGone()).to.equal(null)
    await until(() => node.requests.length === 5, 'the node to be asked all the same')
    node.behave({ kind: 'pass' })
    await until(() => chain.isCertain(receipt, 1), 'the node to be believed again')
    expect(await isGone()).to.equal(true)
  })
})
