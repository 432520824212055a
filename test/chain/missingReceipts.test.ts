import { expect } from 'chai'
import type { Receipt } from '../../server/chain/chain.js'
import { type DevChain, randomKey, startDevChain } from './devChain.js'
import { type FaultyNode, startFaultyNode } from './faultyNode.js'

describe('what a node has lost of a transaction', () => {
  const byHash = 'eth_getTransactionReceipt'
  let dev: DevChain
  let node: FaultyNode
  let receipts: Receipt[]

  before(async () => {
    dev = await startDevChain()
    receipts = []
    for (const value of [5n, 6n]) receipts.push(await dev.transact(dev.owner, { to: dev.vault, value }))
  })
  after(() => dev.stop())
  beforeEach(async () => {
    node = await startFaultyNode(dev.url)
  })
  afterEach(() => node.stop())

  const loses = (...methods: string[]) =>
    node.behave({ kind: 'answer', answer: ({ method }) => (methods.includes(method) ? { result: null } : null) })
  const alone = () => dev.connect({ urls: [node.url] })
  const withAnother = () => dev.connect({ urls: [node.url, dev.url] })
  const places = () => receipts.map(({ hash, blockNumber }) => ({ hash, blockNumber: Number(blockNumber) }))

  it('is found with its block, which the node has', async () => {
    loses(byHash)
    expect(await alone().receipts(places().map(({ hash }) => hash))).to.deep.equal([null, null])
    expect(await alone().missingReceipts(places())).to.deep.equal(receipts)
  })

  it('is found at another node, by its hash', async () => {
    loses(byHash, 'eth_getBlockReceipts')
    expect(await withAnother().missingReceipts(places())).to.deep.equal(receipts)
    expect(node.requests.flat().map(({ method }) => method)).to.not.include('eth_getBlockReceipts')
  })

  it('is found of one though there is none of another, and its block fails', async () => {
    const unknown = { hash: randomKey('lost'), blockNumber: 1 }
    const error = { code: 4444, message: 'pruned history unavailable' }
    node.behave({ kind: 'answer', answer: ({ method }) => (method === 'eth_getBlockReceipts' ? { error } : null) })
    const [first] = places()
    expect(await alone().missingReceipts([unknown, first!])).to.deep.equal([null, receipts[0]])
  })

  it('is told by another node, with the transaction and the head of that one', async () => {
    const [{ hash, blockNumber }] = places() as [ReturnType<typeof places>[0]]
    loses(byHash)
    expect((await alone().transaction(hash)).receipt).to.equal(null)
    const told = await withAnother().transaction(hash)
    expect(told.receipt).to.deep.equal(receipts[0])
    expect(told.transaction!.blockNumber).to.equal(BigInt(blockNumber))
  })

  it('is asked of another node where the first has none of it only if the chain is known to have it', async () => {
    const [{ hash }] = places() as [ReturnType<typeof places>[0]]
    loses(byHash, 'eth_getTransactionByHash')
    const { transaction, receipt } = await withAnother().transaction(hash)
    expect([transaction, receipt]).to.deep.equal([null, null])
    expect((await withAnother().transaction(hash, { asksAll: true })).receipt).to.deep.equal(receipts[0])
    expect((await withAnother().transaction(randomKey('unknown'), { asksAll: true })).transaction).to.equal(null)
  })
})
