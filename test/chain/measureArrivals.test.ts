import { expect } from 'chai'
import { encodeFunctionData, type Hex, numberToHex, padHex, zeroAddress } from 'viem'
import { transferTopic } from '../../server/chain/transfers.js'
import { encodeFulfill } from '../../server/chain/contracts.js'
import { solverVaultAbi } from '../../server/chain/generated/contracts.js'
import { ChainUnavailable } from '../../server/chain/chain.js'
import { type DevChain, lower, randomKey, startDevChain, account } from './devChain.js'
import { until } from '../support/until.js'
import { transferData } from '../support/wallets.js'
import { type FaultyNode, type JsonCall, startFaultyNode } from './faultyNode.js'

/** 100 reach the vault in one block, 30 leave it in the next. */
describe('measuring what reached the vault', () => {
  let dev: DevChain
  let node: FaultyNode
  let block: bigint
  let held: bigint

  before(async function () {
    this.timeout(30_000)
    dev = await startDevChain('--prune-history', '32')
    node = await startFaultyNode(dev.url)
    await dev.mint(lower(account(6).address), 100n)
    await dev.transact(account(6), { to: dev.token, data: transferData(dev.vault, 100n) })
    block = BigInt((await dev.rpc('eth_blockNumber')) as Hex)
    ;[held] = (await dev.chain.balances(dev.vault, [dev.token])) as [bigint]
    const transfers = [{ to: lower(account(7).address), token: dev.token, amount: 30n }]
    const payout = { stepKey: randomKey('next block'), transfers, account: null, intent: null, stepIndex: 0 }
    await dev.transact(dev.operator, { to: dev.vault, data: encodeFulfill(payout) })
  })
  afterEach(() => node.behave({ kind: 'pass' }))
  after(async () => {
    await node.stop()
    await dev.stop()
  })

  const measure = (...others: string[]) => measureBy({ urls: [node.url, ...others] })
  const measureBy = (nodes: { urls: string[]; agreement?: number }) =>
    dev.connect(nodes).measureArrivals([{ token: dev.token, to: dev.vault, amount: 100n }], block)
  const isBalanceAfter = ({ method, params }: JsonCall) => method === 'eth_call' && params[1] === numberToHex(block)
  const balance = (amount: bigint) => ({ result: padHex(numberToHex(amount), { size: 32 }) })

  it('gives the whole amount where the vault’s balance has grown by it', async () => {
    expect(await measure()).to.deep.equal([100n])
  })

  it('gives all of it though a node has once read the balance off the next block', async () => {
    let readings = 0
    node.behave({
      kind: 'answer',
      answer: (call) => (isBalanceAfter(call) && readings++ === 0 ? balance(held - 30n) : null),
    })
    expect(await measure()).to.deep.equal([100n])
    expect(readings).to.be.greaterThan(1)
  })

  it('gives all of it though the token has made something for the vault in the same block', async () => {
    const interest = {
      ...{ address: dev.token, data: padHex(numberToHex(1_000_000n), { size: 32 }), logIndex: '0x9' },
      topics: [transferTopic, padHex(zeroAddress, { size: 32 }), padHex(dev.vault, { size: 32 })],
    }
    const logs = await dev.rpc('eth_getLogs', { fromBlock: numberToHex(block), toBlock: numberToHex(block) })
    const isIncoming = ({ method, params }: JsonCall) =>
      method === 'eth_getLogs' && (params[0] as { topics: unknown[] }).topics.length === 3
    node.behave({
      kind: 'answer',
      answer: (call) => (isIncoming(call) ? { result: [...(logs as object[]), interest] } : null),
    })
    expect(await measure()).to.deep.equal([100n])
  })

  it('gives what came when the node says again and again that something is missing', async () => {
    node.behave({ kind: 'answer', answer: (call) => (isBalanceAfter(call) ? balance(held - 30n) : null) })
    expect(await measure()).to.deep.equal([70n])
  })

  it('decides nothing by one node that says so where two have to agree', async () => {
    node.behave({ kind: 'answer', answer: (call) => (isBalanceAfter(call) ? balance(held - 30n) : null) })
    const told = (urls: string[]) => measureBy({ urls, agreement: 2 }).catch((error: Error) => error.message)
    expect(await told([node.url, dev.url])).to.match(/Fewer than 2 nodes tell the same balances/)
    expect(await told([node.url, node.url])).to.deep.equal([70n])
  })

  it('believes those that still can tell, where the others keep no state of the block', async () => {
    const pruned = await startFaultyNode(dev.url)
    node.behave({ kind: 'answer', answer: (call) => (isBalanceAfter(call) ? balance(held - 30n) : null) })
    const gone = { error: { code: -32000, message: 'missing trie node 0a1b' } }
    pruned.behave({ kind: 'answer', answer: ({ method }) => (method === 'eth_call' ? gone : null) })
    expect(await measureBy({ urls: [node.url, pruned.url], agreement: 2 })).to.deep.equal([70n])
    await pruned.stop()
  })

  it('gives all of it though a node counts the logs of each transaction from 0', async () => {
    const empty = { result: [] }
    const receipts = (await dev.rpc('eth_getBlockReceipts', numberToHex(block))) as { logs: object[] }[]
    const other = padHex('0x1', { size: 32 })
    const log = { ...receipts[0]!.logs[0]!, topics: [transferTopic, other, other], logIndex: '0x0' }
    const second = { ...receipts[0]!, transactionHash: padHex('0x2', { size: 32 }), logs: [log] }
    const twice = [{ ...receipts[0]!, logs: receipts[0]!.logs.map((one) => ({ ...one, logIndex: '0x0' })) }, second]
    const whole = (await dev.rpc('eth_getBlockByNumber', numberToHex(block), false)) as { transactions: string[] }
    const transactions = [...whole.transactions, second.transactionHash]
    node.behave({
      kind: 'answer',
      answer: ({ method }) => {
        if (method === 'eth_getBlockReceipts') return { result: twice }
        if (method === 'eth_getBlockByNumber') return { result: { ...whole, transactions } }
        return method === 'eth_getLogs' ? empty : null
      },
    })
    expect(await measure()).to.deep.equal([100n])
  })

  it('decides nothing when the node says something else each time', async () => {
    let less = 0n
    node.behave({ kind: 'answer', answer: (call) => (isBalanceAfter(call) ? balance(held - ++less) : null) })
    expect(await measure().catch((error: Error) => error.message)).to.match(/different balances/)
  })

  const tooMany = { error: { code: -32005, message: 'query returned more than 10000 results' } }
  for (const [what, answered] of [
    ['lacks the logs of the receipt', { result: [] }],
    ['does not search for logs where there are too many', tooMany],
  ] as const) {
    it(`reads the block’s receipts where a node ${what}`, async () => {
      node.behave({ kind: 'answer', answer: ({ method }) => (method === 'eth_getLogs' ? answered : null) })
      expect(await measure()).to.deep.equal([100n])
    })
  }

  it('decides nothing by a node that has neither the logs nor the block’s receipts', async () => {
    const isOfLogs = (method: string) => ['eth_getLogs', 'eth_getBlockReceipts'].includes(method)
    node.behave({ kind: 'answer', answer: ({ method }) => (isOfLogs(method) ? tooMany : null) })
    expect(await measure().catch((error: unknown) => error)).to.be.instanceOf(ChainUnavailable)
  })

  it('gives all of it though the vault has paid out and its owner has withdrawn in the same block', async () => {
    await dev.mint(lower(account(6).address), 100n)
    const transfers = [{ to: lower(account(7).address), token: dev.token, amount: 60n }]
    const payout = { stepKey: randomKey('same block'), transfers, account: null, intent: null, stepIndex: 0 }
    const withdraw = encodeFunctionData({
      abi: solverVaultAbi,
      functionName: 'withdraw',
      args: [dev.token, account(7).address, 50n],
    })
    await dev.rpc('evm_setAutomine', false)
    const sent = Promise.all([
      dev.transact(account(6), { to: dev.token, data: transferData(dev.vault, 100n) }),
      dev.transact(dev.operator, { to: dev.vault, data: encodeFulfill(payout) }),
      dev.transact(account(0), { to: dev.vault, data: withdraw }),
    ])
    await until(async () => ((await dev.rpc('txpool_status')) as { pending: Hex }).pending === '0x3', 'all three')
    await dev.rpc('evm_mine')
    await dev.rpc('evm_setAutomine', true)
    const [{ blockNumber: mined }] = await sent
    const logged = [{ token: dev.token, to: dev.vault, amount: 100n }]
    expect(await dev.chain.measureArrivals(logged, mined)).to.deep.equal([100n])
    // The same by a node that has no logs to search.
    node.behave({ kind: 'answer', answer: ({ method }) => (method === 'eth_getLogs' ? { result: [] } : null) })
    expect(await dev.connect({ urls: [node.url] }).measureArrivals(logged, mined)).to.deep.equal([100n])
  })

  describe('where a node says that the token reverts when it is asked for the balance', () => {
    const refused = { error: { code: 3, message: 'execution reverted' } }
    beforeEach(() => node.behave({ kind: 'answer', answer: ({ method }) => (method === 'eth_call' ? refused : null) }))

    it('gives nothing if no other node is there', async () => {
      expect(await measure()).to.deep.equal([0n])
    })

    it('gives all of it if another node has a balance', async () => {
      expect(await measure(dev.url)).to.deep.equal([100n])
    })

    it('decides nothing if another node does not answer', async () => {
      const other = await startFaultyNode(dev.url)
      other.behave({ kind: 'reset' })
      expect(await measure(other.url).catch((error: unknown) => error)).to.be.instanceOf(ChainUnavailable)
      await other.stop()
    })
  })

  it('tries it out where the nodes have forgotten the block’s state', async () => {
    await dev.rpc('anvil_mine', numberToHex(100))
    const forgotten = await dev.rpc('eth_getBalance', dev.vault, numberToHex(block)).catch((error: Error) => error)
    expect(forgotten).to.be.instanceOf(Error)
    expect(await measure()).to.deep.equal([100n])
  })

  it('can’t tell where they have forgotten it and the token lets the vault send nothing now, or it has nothing', async () => {
    const code = await dev.rpc('eth_getCode', dev.token, 'latest')
    // Has so much of everybody, and reverts when it is asked for more than that.
    const says = (amount: string) => `0x5f3560e01c6370a08231146011575f5ffd5b60${amount}5f5260205ff3`
    await dev.rpc('anvil_setCode', dev.token, says('64'))
    expect(await measure()).to.deep.equal([null])
    await dev.rpc('anvil_setCode', dev.token, says('00'))
    expect(await measure()).to.deep.equal([null])
    const movesNothing = '0x5f3560e01c6370a082311460125760205ff35b60645f5260205ff3'
    for (const other of ['0x5f5ffd', '0x', movesNothing]) {
      await dev.rpc('anvil_setCode', dev.token, other)
      expect(await measure(), other).to.deep.equal([null])
    }
    await dev.rpc('anvil_setCode', dev.token, code)
    expect(await measure()).to.deep.equal([100n])
  })
})
