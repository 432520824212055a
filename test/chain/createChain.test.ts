import { expect } from 'chai'
import { type Hash, toHex } from 'viem'
import { ChainUnavailable } from '../../server/chain/chain.js'
import { encodeExecute, encodeFulfill } from '../../server/chain/contracts.js'
import { nativeToken } from '../../server/domain/action.js'
import { chainBatchId } from '../../sdk/src/signing.js'
import {
  account,
  authorize,
  type DevChain,
  lower,
  randomKey,
  signIntent,
  startDevChain,
  transferBatch,
} from './devChain.js'
import { type FaultyNode, type JsonCall, startFaultyNode } from './faultyNode.js'

describe('a chain', () => {
  let dev: DevChain
  before(async () => {
    dev = await startDevChain()
  })
  after(() => dev.stop())

  /** What `ask` needs of HTTP requests. */
  async function tripsOf(ask: () => Promise<unknown>): Promise<number> {
    await dev.chain.head()
    const before = dev.trips.length
    await ask()
    return dev.trips.length - before
  }

  const unknownHash: Hash = `0x${'ee'.repeat(32)}`

  describe('read', () => {
    it('tells its head and blocks, and null for a block that is not there', async () => {
      const head = await dev.chain.head()
      const parent = await dev.chain.blockByNumber(head.number - 1n)
      expect(head.parentHash).to.equal(parent!.hash)
      expect(await dev.chain.blockByNumber(head.number + 9n)).to.equal(null)
    })

    it('tells a block with its receipts in one round trip', async () => {
      const { hash, blockNumber } = await dev.transact(dev.owner, { to: dev.vault, value: 5n })
      const found = await dev.chain.blockReceipts(blockNumber)
      expect(found!.receipts.map((receipt) => receipt.hash)).to.deep.equal([hash])
      expect(found!.receipts[0]!.blockHash).to.equal(found!.block.hash)
      expect(found!.receipts[0]).to.include({ status: 'success', from: lower(dev.owner.address), to: dev.vault })
      expect(await dev.chain.blockReceipts(blockNumber + 9n)).to.equal(null)
      expect(await tripsOf(() => dev.chain.blockReceipts(blockNumber))).to.equal(1)
    })

    it('tells many receipts in one round trip, null for those that are not there', async () => {
      const { hash } = await dev.transact(dev.owner, { to: dev.vault, value: 5n })
      const ask = () => dev.chain.receipts([unknownHash, hash, unknownHash])
      expect((await ask()).map((receipt) => receipt?.hash ?? null)).to.deep.equal([null, hash, null])
      expect(await tripsOf(ask)).to.equal(1)
      expect(await dev.chain.receipts([])).to.deep.equal([])
    })

    it('tells a transaction with its receipt and the head', async () => {
      const { hash, blockNumber } = await dev.transact(dev.owner, { to: dev.vault, value: 5n })
      const ask = () => dev.chain.transaction(hash)
      const { transaction, receipt, head } = await ask()
      expect(transaction).to.include({ hash, to: dev.vault, value: 5n, input: '0x', blockNumber })
      expect(receipt!.hash).to.equal(hash)
      expect(head.number >= blockNumber).to.equal(true)
      expect(await tripsOf(ask)).to.equal(1)
      expect(await dev.chain.transaction(unknownHash)).to.deep.include({ transaction: null, receipt: null })
      expect([await dev.chain.knows(hash), await dev.chain.knows(unknownHash)]).to.deep.equal([true, false])
    })

    it('tells accounts apart: plain, delegated and contracts', async () => {
      const user = account(2)
      await dev.transact(dev.owner, { to: dev.owner.address, authorizations: [await authorize(user, dev.delegate)] })
      const ask = () => dev.chain.accounts([lower(account(9).address), lower(user.address), dev.vault], 'latest')
      const [plain, delegated, contract] = await ask()
      expect(plain).to.deep.equal({ nonce: 0, balance: 10n ** 22n, delegate: null, hasForeignCode: false })
      expect(delegated).to.include({ nonce: 1, delegate: dev.delegate, hasForeignCode: false })
      expect(contract).to.include({ nonce: 1, delegate: null, hasForeignCode: true })
      expect(await tripsOf(ask)).to.equal(1)
    })

    it('tells balances of tokens and native currency, none where there is no token', async () => {
      const holder = lower(account(8).address)
      await dev.mint(holder, 77n)
      const ask = () => dev.chain.balances(holder, [dev.token, nativeToken, dev.vault, holder])
      expect(await ask()).to.deep.equal([77n, 10n ** 22n, 0n, 0n])
      expect(await tripsOf(ask)).to.equal(1)
    })

    it('knows what has been paid under a key, and in which transaction', async () => {
      const stepKey = randomKey('paid')
      expect(await dev.chain.isFulfilled(stepKey)).to.equal(false)
      expect(await dev.chain.findFulfilment(stepKey)).to.equal(null)
      const data = encodeFulfill({ stepKey, transfers: [], account: null, intent: null, stepIndex: 0 })
      const { hash } = await dev.transact(dev.operator, { to: dev.vault, data })
      expect(await dev.chain.isFulfilled(stepKey)).to.equal(true)
      const { number } = await dev.chain.head()
      expect(await dev.chain.isFulfilled(stepKey, number)).to.equal(true)
      expect(await tripsOf(() => dev.chain.isFulfilled(stepKey, number))).to.equal(1)
      const tooEarly = await dev.chain.isFulfilled(stepKey, number + 9n).catch((error: unknown) => error)
      expect(tooEarly).to.be.instanceOf(ChainUnavailable)
      expect(await dev.chain.findFulfilment(stepKey)).to.equal(hash)
    })

    it('knows what an account has run, and in which transaction', async () => {
      const user = account(3)
      const address = lower(user.address)
      await dev.mint(address, 10n)
      const intent = await signIntent(user, [transferBatch(address, dev.token, dev.vault, 10n)])
      const id = chainBatchId(intent.digest, 0)
      expect(await dev.chain.isChainBatchProcessed(address, id)).to.equal(false)
      const { hash } = await dev.transact(dev.operator, {
        to: address,
        data: encodeExecute(intent, 0),
        authorizations: [await authorize(user, dev.delegate)],
      })
      expect(await dev.chain.isChainBatchProcessed(address, id)).to.equal(true)
      expect(await dev.chain.findExecution(address, id)).to.equal(hash)
      // Other code answers for itself, and none not at all; the storage stays.
      for (const code of ['0x', '0x5f5ffd', '0x60205ff3']) {
        await dev.rpc('anvil_setCode', address, code)
        expect(await dev.chain.isChainBatchProcessed(address, id), code).to.equal(true)
        expect(await dev.chain.isChainBatchPending(address, id), code).to.equal(true)
        expect(await dev.chain.isChainBatchProcessed(address, unknownHash), code).to.equal(false)
      }
      expect(await dev.chain.findExecution(dev.vault, id)).to.equal(null)
    })

    it('searches window by window where a node limits the range', async () => {
      const stepKey = randomKey('far back')
      const data = encodeFulfill({ stepKey, transfers: [], account: null, intent: null, stepIndex: 0 })
      const { hash } = await dev.transact(dev.operator, { to: dev.vault, data })
      const { number: head } = await dev.chain.head()
      const node = await startFaultyNode(dev.url)
      // A chain that is longer than the one behind, so that the key is in the third window of 2,000 blocks.
      node.behave({
        kind: 'answer',
        answer: ({ method, params }) => {
          if (method === 'eth_blockNumber') return { result: '0x1388' }
          if (method !== 'eth_getLogs') return null
          const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string }
          if (toBlock === 'latest' || BigInt(toBlock) - BigInt(fromBlock) >= 2_000n) {
            return { error: { code: -32005, message: 'query exceeds max block range 2000' } }
          }
          return BigInt(fromBlock) > head ? { result: [] } : null
        },
      })
      const chain = dev.connect({ urls: [node.url] })
      expect(await chain.findFulfilment(stepKey)).to.equal(hash)
      expect(await chain.findFulfilment(unknownHash)).to.equal(null)
      await node.stop()
    })
  })

  describe('behind a node that misbehaves', () => {
    let node: FaultyNode
    beforeEach(async () => {
      node = await startFaultyNode(dev.url)
    })
    afterEach(() => node.stop())
    const through = (...urls: string[]) => dev.connect({ urls, readTimeoutMs: 5_000 })
    const payVault = () => dev.transact(dev.owner, { to: dev.vault, value: 5n })

    it('takes receipts for a block’s only if they all are', async () => {
      const earlier = await dev.transact(dev.owner, { to: dev.vault, value: 5n })
      const { blockNumber } = await dev.transact(dev.owner, { to: dev.vault, value: 5n })
      const chain = through(node.url)
      const lie = (result: unknown) =>
        node.behave({ kind: 'answer', answer: ({ method }) => (method === 'eth_getBlockReceipts' ? { result } : null) })
      const stale = await dev.rpc('eth_getTransactionReceipt', earlier.hash)
      for (const wrong of [null, [], [stale]]) {
        lie(wrong)
        expect(await chain.blockReceipts(blockNumber)).to.equal(null)
      }
    })

    it('that says in its own words that it has no such block is asked no later for having been asked on a guess', async () => {
      const other = await startFaultyNode(dev.url)
      const chain = through(node.url, other.url)
      const { number } = await chain.head()
      node.behave({
        kind: 'answer',
        answer: ({ method, params }) =>
          method === 'eth_getBlockReceipts' || params[0] === toHex(number + 1n)
            ? { error: { code: -32000, message: 'cannot query unfinalized data' } }
            : null,
      })
      const guess = await chain.blockReceipts(number + 1n, { isGuess: true }).catch(() => null)
      expect(guess).to.equal(null)
      expect((await chain.head()).number).to.equal(number)
      expect(other.requests).to.deep.equal([])
      await other.stop()
    })

    it('reads receipts one by one where the node can’t give a block’s', async () => {
      const { hash, blockNumber } = await dev.transact(dev.owner, { to: dev.vault, value: 5n })
      node.behave({
        kind: 'answer',
        answer: ({ method }) =>
          method === 'eth_getBlockReceipts' ? { error: { code: -32601, message: 'Method not found' } } : null,
      })
      const found = await through(node.url).blockReceipts(blockNumber)
      expect(found!.receipts.map((receipt) => receipt.hash)).to.deep.equal([hash])
    })

    it('believes a node of no payment that has not got the vault, or the head, yet', async () => {
      const stepKey = randomKey('paid while a node gets the state')
      const data = encodeFulfill({ stepKey, transfers: [], account: null, intent: null, stepIndex: 0 })
      await dev.transact(dev.operator, { to: dev.vault, data })
      const answers = (method: string, result: string) => ({
        kind: 'answer' as const,
        answer: (call: JsonCall) => (call.method === method ? { result } : null),
      })
      const [chain, alone] = [through(node.url, dev.url), through(node.url)]
      node.behave(answers('eth_call', '0x'))
      expect(await chain.isFulfilled(stepKey)).to.equal(true)
      const silent = await alone.isFulfilled(stepKey).catch((error: unknown) => error)
      expect(silent).to.be.instanceOf(ChainUnavailable)
      // It is of before the payment.
      node.behave({
        kind: 'answer',
        answer: ({ method }) =>
          method === 'eth_call'
            ? { result: toHex(0, { size: 32 }) }
            : method === 'eth_blockNumber'
              ? { result: '0x1' }
              : null,
      })
      const behind = through(node.url, dev.url)
      const { number } = await behind.head()
      expect(await behind.isFulfilled(stepKey, number)).to.equal(true)
    })

    it('does not take another transaction for the one that was asked for', async () => {
      const [asked, other] = [await payVault(), await payVault()]
      const result = await dev.rpc('eth_getTransactionByHash', other.hash)
      const isAsked = ({ method }: JsonCall) => method === 'eth_getTransactionByHash'
      node.behave({ kind: 'answer', answer: (call) => (isAsked(call) ? { result } : null) })
      const { transaction } = await through(node.url, dev.url).transaction(asked.hash)
      expect(transaction!.hash).to.equal(asked.hash)
      const error = await through(node.url)
        .transaction(asked.hash)
        .catch((reason: unknown) => reason)
      expect(error).to.be.instanceOf(ChainUnavailable)
    })

    it('tells nonces by every node that answers in time', async () => {
      await dev.transact(dev.owner, { to: dev.vault, value: 5n })
      const addresses = [lower(dev.owner.address), lower(account(7).address)]
      const told = (await dev.chain.accounts(addresses, 'latest')).map(({ nonce }) => nonce)
      const says = (result: string) => (call: JsonCall) =>
        call.method === 'eth_getTransactionCount' ? { result } : null
      const ask = () => through(node.url, dev.url).nonces(addresses, 'latest')
      node.behave({ kind: 'answer', answer: says('0x0') })
      expect(await ask()).to.deep.equal(told.map((nonce) => [0, nonce]))
      for (const fault of [{ kind: 'silence' }, { kind: 'reset' }] as const) {
        node.behave(fault)
        expect(await ask()).to.deep.equal(told.map((nonce) => [null, nonce]))
        const alone = await dev
          .connect({ urls: [node.url], readTimeoutMs: 300 })
          .nonces(addresses, 'pending')
          .catch((reason: unknown) => reason)
        expect(alone).to.be.instanceOf(ChainUnavailable)
      }
      node.behave({ kind: 'pass' })
      expect(await tripsOf(() => dev.chain.nonces(addresses, 'latest'))).to.equal(1)
    })

    it('does not take another transaction’s receipt', async () => {
      const { hash } = await dev.transact(dev.owner, { to: dev.vault, value: 5n })
      const receipt = await dev.rpc('eth_getTransactionReceipt', hash)
      node.behave({
        kind: 'answer',
        answer: ({ method }) => (method === 'eth_getTransactionReceipt' ? { result: receipt } : null),
      })
      const error = await through(node.url)
        .receipts([unknownHash])
        .catch((reason: unknown) => reason)
      expect(error).to.be.instanceOf(ChainUnavailable)
      expect(await through(node.url, dev.url).receipts([unknownHash])).to.deep.equal([null])
    })
  })
})
