import { expect } from 'chai'
import { type Hex, keccak256, numberToHex, padHex, zeroAddress } from 'viem'
import type { Chain } from '../../server/chain/chain.js'
import { createChain } from '../../server/chain/createChain.js'
import { isRevert } from '../../server/chain/nodes/isRevert.js'
import { saysNoSuchMethod } from '../../server/chain/nodes/noSuchMethod.js'
import { missingAbility } from '../../server/chain/simulation/answers.js'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { transferData } from '../support/wallets.js'
import { account, lower } from './devChain.js'
import { devChainBehindNode } from './devChainBehindNode.js'
import { type Fault, type FaultyNode, type JsonCall, startFaultyNode } from './faultyNode.js'

/** What nodes and gateways have their own ways of. */
describe('a node that', () => {
  const hashOf = (number: number) => keccak256(numberToHex(number))
  const block = (number: number) => ({
    number: numberToHex(number),
    hash: hashOf(number),
    parentHash: hashOf(number + 1_000),
    timestamp: '0x65000000',
    gasLimit: '0x1c9c380',
    baseFeePerGas: '0x7',
    transactions: [],
  })
  let node: FaultyNode

  beforeEach(async () => {
    node = await startFaultyNode()
  })
  afterEach(() => node.stop())

  const connect = (more: object = {}, options: Parameters<typeof createChain>[1] = {}) =>
    createChain(
      {
        ...{ chainId: 31337, rpcUrls: [node.url], agreement: 1, confirmations: 1, tokens: [] },
        vault: `0x${'11'.repeat(20)}`,
        ...more,
      } as unknown as ChainConfig,
      options,
    )

  for (const [who, error] of [
    [
      'Alchemy',
      { code: -32600, message: 'Unsupported method: eth_simulateV1. See available methods at https://docs.example' },
    ],
    ['proxyd', { code: -32001, message: 'rpc method is not whitelisted' }],
    ['EIP-1474', { code: -32004, message: 'no' }],
    ['geth', { code: -32601, message: 'the method eth_simulateV1 does not exist/is not available' }],
  ] as const) {
    it(`has no such method is understood, as ${who} says it`, () => {
      expect(saysNoSuchMethod(error)).to.equal(true)
      const assumed = { simulation: true, designators: true, pendingBlock: true }
      expect(missingAbility(error, assumed)).to.equal('simulation')
    })
  }

  for (const message of ['return data out of bounds', 'gas uint64 overflow', 'stack limit reached 1024 (1023)']) {
    it(`says "${message}" has run the call to its end`, () => {
      expect(isRevert({ code: -32000, message })).to.equal(true)
      expect(saysNoSuchMethod({ code: -32000, message })).to.equal(false)
    })
  }

  for (const [who, error] of [
    ['Nethermind', { code: -32015, message: 'VM execution error.', data: 'Reverted 0x' }],
    ['Besu', { code: -32000, message: 'Execution reverted' }],
    ['geth', { code: -32000, message: 'invalid opcode: INVALID' }],
  ] as const) {
    it(`tells that a token has no balance to tell, as ${who} does, tells the others’`, async () => {
      node.behave({
        kind: 'answer',
        answer: ({ method }) =>
          method === 'eth_call' ? { error } : method === 'eth_getBalance' ? { result: '0x5' } : null,
      })
      const tokens = [zeroAddress, `0x${'22'.repeat(20)}`] as const
      expect(await connect().balances(zeroAddress, tokens)).to.deep.equal([5n, 0n])
    })
  }

  it('knows a transaction from before Byzantium tells it, and that it has paid nothing', async () => {
    const hash = hashOf(1)
    const common = { from: zeroAddress, to: zeroAddress, blockNumber: '0x5' }
    const transaction = { ...common, hash, value: '0x0', input: '0x', nonce: '0x0' }
    const receipt = {
      ...common,
      transactionHash: hash,
      blockHash: hashOf(5),
      root: hashOf(77),
      gasUsed: '0x1',
      logs: [],
    }
    const answers: Record<string, unknown> = {
      eth_getTransactionByHash: transaction,
      eth_getTransactionReceipt: receipt,
      eth_getBlockByNumber: block(9),
    }
    node.behave({ kind: 'answer', answer: ({ method }) => (method in answers ? { result: answers[method] } : null) })
    expect((await connect().transaction(hash)).receipt?.status).to.equal('reverted')
  })

  describe('takes a hundred calls at most, as Erigon does,', () => {
    const limited: Fault = {
      kind: 'raw',
      body: (calls: JsonCall[]) =>
        calls.length > 100
          ? { jsonrpc: '2.0', id: null, error: { code: -32000, message: 'batch limit 100 exceeded' } }
          : calls.map(({ id, method, params }) => ({ jsonrpc: '2.0', id, result: answerTo(method, params) })),
    }
    function answerTo(method: string, params: unknown[]): unknown {
      if (method === 'eth_chainId') return '0x7a69'
      if (method === 'eth_getBlockByNumber') return block(params[0] === '0x0' ? 0 : 9)
      if (method === 'eth_getCode') return '0x'
      return method.startsWith('eth_getTransactionCount') || method === 'eth_getBalance' ? '0x1' : null
    }
    const hashes = Array.from({ length: 100 }, (_none, index) => hashOf(index))
    const addresses = hashes.map((hash): Hex => `0x${hash.slice(26)}`)
    const asks: [string, (chain: Chain) => Promise<unknown>][] = [
      ['receipts', async (chain) => (await chain.receipts(hashes)).length],
      ['accounts', async (chain) => (await chain.accounts(addresses, 'latest')).length],
      ['nonces', async (chain) => (await chain.nonces(addresses, 'latest')).length],
      ['unknown transactions', async (chain) => ((await chain.areUnknown(hashes)) ? 100 : 0)],
    ]
    for (const [what, ask] of asks) {
      it(`is asked for a hundred ${what} and its chain`, async () => {
        node.behave(limited)
        expect(await ask(connect({}, { isGenesis: async () => true }))).to.equal(100)
      })
    }
  })
})

describe('a gateway', () => {
  const { dev, node, connect } = devChainBehindNode()

  it('that has no method, and says it in its own words, is asked in another way', async () => {
    node().behave({
      kind: 'answer',
      answer: ({ method }) =>
        ['eth_simulateV1', 'eth_getBlockReceipts'].includes(method)
          ? { error: { code: -32600, message: `Unsupported method: ${method}. See available methods` } }
          : null,
    })
    const chain = connect()
    const from = dev().operator.address.toLowerCase() as Hex
    const call = { from, to: dev().token, data: '0x06fdde03' as const }
    const simulated = await chain.simulate(call, { overrideDelegate: null, inCompany: false })
    expect(simulated.outcome).to.equal('success')
    await dev().mint(dev().vault, 1n)
    const head = await chain.head()
    expect((await chain.blockReceipts(head.number))?.receipts).to.have.length(1)
  })

  it('one of whose backends lags has forgotten no state, so that nothing is tried out', async () => {
    const payer = account(6)
    await dev().mint(lower(payer.address), 100n)
    await dev().transact(payer, { to: dev().token, data: transferData(dev().vault, 100n) })
    const { number } = await dev().chain.head()
    const [held] = await dev().chain.balances(dev().vault, [dev().token])
    let lags = true
    node().behave({
      kind: 'answer',
      answer({ method, params }) {
        if (method !== 'eth_call' || params[1] !== numberToHex(number)) return null
        if (lags) return { error: { code: -32000, message: 'header not found' } }
        return { result: padHex(numberToHex(held! - 30n), { size: 32 }) }
      },
    })
    const measure = () => connect().measureArrivals([{ token: dev().token, to: dev().vault, amount: 100n }], number)
    expect(await measure().catch((error: Error) => error.message)).to.match(/header not found/)
    lags = false
    expect(await measure()).to.deep.equal([70n])
  })
})
