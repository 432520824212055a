import { expect } from 'chai'
import { join } from 'node:path'
import { type Abi, type Address, encodeFunctionData, getAddress, type Hex, type PrivateKeyAccount } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { type Chain, ChainUnavailable, type Simulation } from '../../server/chain/chain.js'
import {
  decodeFulfill,
  encodeExecute,
  encodeFulfill,
  executedBatchIds,
  fulfilledKeys,
} from '../../server/chain/contracts.js'
import { decodeRevert } from '../../server/chain/failure.js'
import { calldataFloor, gasLimit } from '../../server/chain/gas.js'
import { createDeployer } from '../../server/devnet/deployContracts.js'
import { compiledOnce } from '../support/compiledOnce.js'
import { devTokenAbi } from '../../server/chain/generated/contracts.js'
import { matchTransfers, transfersOf, vaultArrivals } from '../../server/chain/transfers.js'
import { type ChainAuthorization, type ChainBatch, nativeToken } from '../../server/domain/action.js'
import { chainBatchId } from '../../sdk/src/signing.js'
import {
  authorize,
  chainId,
  type DevChain,
  lower,
  randomKey,
  signIntent,
  startDevChain,
  transferBatch,
} from './devChain.js'
import { type FaultyNode, startFaultyNode } from './faultyNode.js'

describe('a simulated transaction', () => {
  let dev: DevChain
  let user: PrivateKeyAccount
  let address: Address
  const recipient: Address = `0x${'77'.repeat(20)}`

  before(async () => {
    dev = await startDevChain()
  })
  after(() => dev.stop())
  beforeEach(async () => {
    user = privateKeyToAccount(generatePrivateKey())
    address = lower(user.address)
    await dev.mint(address, 100n)
  })

  function simulate(to: Address, data: Hex, options: { chain?: Chain; borrow?: boolean } = {}): Promise<Simulation> {
    const { chain = dev.chain, borrow = true } = options
    return chain.simulate(
      { from: lower(dev.operator.address), to, data },
      { overrideDelegate: borrow ? { account: address, delegate: dev.delegate } : null, inCompany: false },
    )
  }

  async function simulateBatch(batch: Omit<ChainBatch, 'hash'>, options: { chain?: Chain; borrow?: boolean } = {}) {
    const intent = await signIntent(user, [batch])
    return simulate(address, encodeExecute(intent, 0), options)
  }

  function succeeded(simulation: Simulation): Extract<Simulation, { outcome: 'success' }> {
    if (simulation.outcome !== 'success') throw new Error(decodeRevert(simulation.data).message)
    return simulation
  }

  function reason(simulation: Simulation): string {
    if (simulation.outcome !== 'reverted') throw new Error('it did not revert')
    return decodeRevert(simulation.data).message
  }

  it('runs in an account that has not borrowed the delegate’s code yet, and tells its transfers', async () => {
    const batch = transferBatch(address, dev.token, recipient, 40n)
    const { logs } = succeeded(await simulateBatch(batch))
    expect(matchTransfers(batch, logs!)).to.equal(null)
    expect(matchTransfers(transferBatch(address, dev.token, recipient, 41n), logs!)).to.match(/only 40 arrive/)
  })

  it('tells transfers of native currency', async () => {
    await dev.transact(dev.owner, { to: address, value: 9n })
    const transfer = { from: address, to: recipient, token: nativeToken, amount: 9n }
    const batch = { chainId, tokenTransfers: [transfer], calls: [{ to: recipient, value: 9n, data: '0x' as const }] }
    const { logs } = succeeded(await simulateBatch(batch))
    expect(transfersOf({ logs: logs! })).to.have.length(1)
    expect(matchTransfers(batch, logs!)).to.equal(null)
  })

  it('takes one round trip together with the estimate of its gas', async () => {
    await dev.chain.head()
    const before = dev.trips.length
    await simulateBatch(transferBatch(address, dev.token, recipient, 1n))
    expect(dev.trips.slice(before).map(({ methods }) => methods)).to.deep.equal([['eth_simulateV1', 'eth_estimateGas']])
  })

  it('that reverts tells why, down to the call that failed', async () => {
    expect(reason(await simulateBatch(transferBatch(address, dev.token, recipient, 101n)))).to.equal(
      `call 0xa9059cbb to ${getAddress(dev.token)} reverted: ` +
        `ERC20InsufficientBalance(sender: ${user.address}, balance: 100, needed: 101)`,
    )
  })

  it('of an intent of someone else, or out of time, tells that', async () => {
    const foreign = await signIntent(dev.owner, [transferBatch(address, dev.token, recipient, 1n)])
    expect(reason(await simulate(address, encodeExecute(foreign, 0)))).to.match(
      /^InvalidSignature\(signatureType: ecdsa/,
    )
    const late = await signIntent(user, [transferBatch(address, dev.token, recipient, 1n)], { exp: 1_000 })
    expect(reason(await simulate(address, encodeExecute(late, 0)))).to.match(
      /^IntentExpired\(currentTime: \d+, exp: 1000\)/,
    )
  })

  it('sees that the vault’s payout would find an account without the delegate’s code', async () => {
    const intent = await signIntent(user, [transferBatch(address, dev.token, recipient, 1n)])
    const stepKey = randomKey(address)
    const data = encodeFulfill({ stepKey, transfers: [], account: address, intent, stepIndex: 0 })
    expect(reason(await simulate(dev.vault, data, { borrow: false }))).to.equal(
      `AccountNotDelegated(account: ${user.address})`,
    )
    succeeded(await simulate(dev.vault, data))
  })

  describe('on a node that', () => {
    let node: FaultyNode
    beforeEach(async () => {
      node = await startFaultyNode(dev.url)
    })
    afterEach(() => node.stop())

    it('knows no eth_simulateV1, gives gas and reason but no logs', async () => {
      node.behave({
        kind: 'answer',
        answer: ({ method }) =>
          method === 'eth_simulateV1'
            ? { error: { code: -32601, message: 'the method eth_simulateV1 does not exist/is not available' } }
            : null,
      })
      const chain = dev.connect({ urls: [node.url] })
      const simulation = succeeded(await simulateBatch(transferBatch(address, dev.token, recipient, 1n), { chain }))
      expect(simulation.logs).to.equal(null)
      expect(simulation.gas > 50_000n).to.equal(true)
      const failing = await simulateBatch(transferBatch(address, dev.token, recipient, 101n), { chain })
      expect(reason(failing)).to.include('ERC20InsufficientBalance')
      const asked = node.requests.flat().filter(({ method }) => method === 'eth_simulateV1')
      expect(asked).to.have.length(1)
    })

    it('refuses a designator as overriding code, gets the delegate’s own', async () => {
      node.behave({
        kind: 'answer',
        answer: ({ params }) =>
          JSON.stringify(params).includes('"0xef0100')
            ? { error: { code: -32602, message: 'Invalid bytecode: Eip7702 is not supported' } }
            : null,
      })
      const chain = dev.connect({ urls: [node.url] })
      const batch = transferBatch(address, dev.token, recipient, 1n)
      expect(matchTransfers(batch, succeeded(await simulateBatch(batch, { chain })).logs!)).to.equal(null)
    })

    it('has no pending block, runs it on the latest', async () => {
      node.behave({
        kind: 'answer',
        answer: ({ params }) =>
          params.includes('pending') ? { error: { code: -32000, message: 'pending block is not available' } } : null,
      })
      const chain = dev.connect({ urls: [node.url] })
      succeeded(await simulateBatch(transferBatch(address, dev.token, recipient, 1n), { chain }))
    })

    it('can’t estimate with overriding code, gives enough gas all the same', async () => {
      node.behave({
        kind: 'answer',
        answer: ({ method, params }) =>
          method === 'eth_estimateGas' && params.length > 2
            ? { error: { code: -32602, message: 'too many arguments, want at most 2' } }
            : null,
      })
      const chain = dev.connect({ urls: [node.url] })
      const intent = await signIntent(user, [transferBatch(address, dev.token, recipient, 1n)])
      const data = encodeExecute(intent, 0)
      const { gas } = succeeded(await simulate(address, data, { chain }))
      const receipt = await dev.transact(dev.operator, {
        to: address,
        data,
        authorizations: [await authorize(user, dev.delegate)],
        gas: gasLimit({ estimate: gas, authorizations: 1 }),
      })
      expect(receipt.status).to.equal('success')
    })

    for (const error of [
      { code: -32005, message: 'rate limit exceeded' },
      { code: -32015, message: 'gateway timeout' },
    ]) {
      it(`is asked too much for an estimate, says nothing of what it takes: ${error.message}`, async () => {
        const batch = transferBatch(address, dev.token, recipient, 1n)
        node.behave({ kind: 'answer', answer: ({ method }) => (method === 'eth_estimateGas' ? { error } : null) })
        const first = await simulateBatch(batch, { chain: dev.connect({ urls: [node.url] }) }).catch(
          (given: unknown) => given,
        )
        // One that is late is done without, by what the simulation has used; one that is refused is asked for again.
        if (error.code === -32005) expect(first).to.be.instanceOf(ChainUnavailable)
        else expect(first).to.include({ outcome: 'success' })
        const other = dev.connect({ urls: [node.url, dev.url] })
        succeeded(await simulateBatch(batch, { chain: other }))
      })
    }

    it('gives a revert’s data with the error, as geth does, is understood', async () => {
      const data = decodeRevertSample
      node.behave({
        kind: 'answer',
        answer: ({ method }) => {
          if (method === 'eth_estimateGas') return { error: { code: 3, message: 'execution reverted', data } }
          if (method !== 'eth_simulateV1') return null
          const error = { code: 3, message: 'execution reverted', data }
          return { result: [{ calls: [{ status: '0x0', returnData: '0x', logs: [], gasUsed: '0x0', error }] }] }
        },
      })
      const chain = dev.connect({ urls: [node.url] })
      expect(reason(await simulateBatch(transferBatch(address, dev.token, recipient, 1n), { chain }))).to.equal(
        'no luck',
      )
    })

    it('fails to answer, is no verdict on the transaction', async () => {
      const chain = dev.connect({ urls: [node.url], readTimeoutMs: 200 })
      const batch = transferBatch(address, dev.token, recipient, 1n)
      for (const fault of [
        { kind: 'status', status: 503 },
        { kind: 'answer', answer: () => ({ error: { code: -32603, message: 'Internal error' } }) },
        {
          kind: 'answer',
          answer: ({ method }: { method: string }) =>
            method === 'eth_chainId' ? null : { error: { code: -32601, message: 'Method not found' } },
        },
      ] as const) {
        node.behave(fault)
        const error = await simulateBatch(batch, { chain }).catch((given: unknown) => given)
        expect(error).to.be.instanceOf(ChainUnavailable)
      }
    })
  })

  describe('has a gas limit that lets the real one succeed', () => {
    type Step = { to: Address; data: Hex; authorizations: ChainAuthorization[] }

    /** Simulates, then sends with the limit that follows; the limit is not to be wasteful either. */
    async function carryOut({ to, data, authorizations }: Step) {
      const { gas } = succeeded(await simulate(to, data, { borrow: authorizations.length > 0 }))
      const limit = gasLimit({ estimate: gas, authorizations: authorizations.length })
      const receipt = await dev.transact(dev.operator, { to, data, authorizations, gas: limit })
      expect(receipt.status).to.equal('success')
      expect(limit < receipt.gasUsed * 2n).to.equal(true)
      return receipt
    }

    for (const signatureType of ['ecdsa', 'eip712'] as const) {
      it(`straight to the account, signed as ${signatureType}, the first time and after`, async () => {
        const batches = [
          transferBatch(address, dev.token, dev.vault, 10n),
          transferBatch(address, dev.token, recipient, 5n),
        ]
        const intent = await signIntent(user, batches, { signatureType })
        const authorizations = [await authorize(user, dev.delegate)]
        const first = await carryOut({ to: address, data: encodeExecute(intent, 0), authorizations })
        const second = await carryOut({ to: address, data: encodeExecute(intent, 1), authorizations: [] })
        expect(executedBatchIds(first, address)).to.deep.equal([chainBatchId(intent.digest, 0)])
        expect(executedBatchIds(second, address)).to.deep.equal([chainBatchId(intent.digest, 1)])
        expect(executedBatchIds(first, dev.vault)).to.deep.equal([])
        expect(vaultArrivals(first, dev.config)).to.deep.equal([
          { token: dev.token, from: address, to: dev.vault, amount: 10n, logIndex: first.logs[0]!.logIndex },
        ])
      })

      it(`through the vault, with payouts, signed as ${signatureType}`, async () => {
        const fresh = () => lower(privateKeyToAccount(generatePrivateKey()).address)
        const transfers = [
          { to: fresh(), token: dev.token, amount: 3n },
          { to: fresh(), token: dev.token, amount: 4n },
        ]
        const batch = transferBatch(address, dev.token, recipient, 10n)
        batch.tokenTransfers.push(...transfers.map((transfer) => ({ from: 'solver' as const, ...transfer })))
        const intent = await signIntent(user, [batch], { signatureType })
        const stepKey = randomKey(intent.digest)
        const data = encodeFulfill({ stepKey, transfers, account: address, intent, stepIndex: 0 })
        expect(decodeFulfill(data)).to.deep.equal({ stepKey, transfers })
        const receipt = await carryOut({ to: dev.vault, data, authorizations: [await authorize(user, dev.delegate)] })
        expect(fulfilledKeys(receipt, dev.vault)).to.deep.equal([stepKey])
        expect(executedBatchIds(receipt, address)).to.deep.equal([chainBatchId(intent.digest, 0)])
        expect(await dev.chain.balances(transfers[1]!.to, [dev.token])).to.deep.equal([4n])
        expect(reason(await simulate(dev.vault, data))).to.equal(`AlreadyFulfilled(stepKey: ${stepKey})`)
      })
    }

    it('of a payout alone', async () => {
      const transfers = [{ to: address, token: dev.token, amount: 3n }]
      const stepKey = randomKey(`alone ${address}`)
      const data = encodeFulfill({ stepKey, transfers, account: null, intent: null, stepIndex: 0 })
      expect(decodeFulfill(data)).to.deep.equal({ stepKey, transfers })
      const receipt = await carryOut({ to: dev.vault, data, authorizations: [] })
      expect(fulfilledKeys(receipt, dev.vault)).to.deep.equal([stepKey])
    })

    it('through calls within calls, each of which keeps gas back', async () => {
      const approve = encodeFunctionData({ abi: devTokenAbi, functionName: 'approve', args: [recipient, 1n] })
      const inner = Array.from({ length: 12 }, () => ({ to: dev.token, value: 0n, data: approve }))
      const nested = await signIntent(user, [{ chainId, tokenTransfers: [], calls: inner }])
      // The account calls itself, twice, before it gets to the tokens.
      let data = encodeExecute(nested, 0)
      for (let depth = 0; depth < 2; depth++) {
        const around = await signIntent(user, [
          { chainId, tokenTransfers: [], calls: [{ to: address, value: 0n, data }] },
        ])
        data = encodeExecute(around, 0)
      }
      await carryOut({ to: address, data, authorizations: [await authorize(user, dev.delegate)] })
    })

    it('through a contract that goes on when what it calls has failed, with enough for that too', async () => {
      const { abi, evm } = compiledOnce(join(import.meta.dirname, '../contracts/solidity')).ForgivingRouter!
      const router = await createDeployer(dev.url, dev.owner).deploy(`0x${evm.bytecode.object}`)
      const attempt = encodeFunctionData({ abi: abi as Abi, functionName: 'attempt' })
      const calls = [{ to: router, value: 0n, data: attempt }]
      const intent = await signIntent(user, [{ chainId, tokenTransfers: [], calls }])
      const authorizations = [await authorize(user, dev.delegate)]
      await carryOut({ to: address, data: encodeExecute(intent, 0), authorizations })
      const done = encodeFunctionData({ abi: abi as Abi, functionName: 'done', args: [11n] })
      expect(BigInt((await dev.rpc('eth_call', { to: router, data: done }, 'latest')) as Hex)).to.equal(1n)
    })

    it('with more data than work, where the protocol’s floor decides', async () => {
      const data: Hex = `0x${'5a'.repeat(20_000)}`
      const batch = { chainId, tokenTransfers: [], calls: [{ to: recipient, value: 0n, data }] }
      const intent = await signIntent(user, [batch])
      const call = encodeExecute(intent, 0)
      const { gas } = succeeded(await simulate(address, call))
      expect(gas >= calldataFloor(call)).to.equal(true)
      await carryOut({ to: address, data: call, authorizations: [await authorize(user, dev.delegate)] })
    })
  })
})

/** Error('no luck') */
const decodeRevertSample: Hex = `0x08c379a0${'20'.padStart(64, '0')}${'7'.padStart(64, '0')}${'6e6f206c75636b'.padEnd(64, '0')}`
