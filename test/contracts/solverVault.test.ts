import { expect } from 'chai'
import { type Abi, encodeDeployData, encodeFunctionData, getAddress, type Hex, parseEventLogs, zeroHash } from 'viem'
import { solverVaultAbi, solverVaultBytecode } from '../../server/chain/generated/contracts.js'
import { native, newKey, newRecipient, operator, owner, startTestChain, stranger, type TestChain } from './chain.js'
import { fulfillData } from './intents.js'

describe('the solver’s vault', () => {
  let chain: TestChain
  before(async () => {
    chain = await startTestChain()
  })
  after(() => chain.stop())

  const asOperator = (data: Hex) => chain.send(operator, { to: chain.vault, data })
  const revertOf = (data: Hex, from = operator.address) => chain.revertOf(from, chain.vault, data)
  const payment = (amount = 1n, to = newRecipient()) => ({ to, token: chain.usd, amount })
  const call = (functionName: string, args: readonly unknown[]) =>
    encodeFunctionData({ abi: solverVaultAbi as Abi, functionName, args })
  const read = (functionName: 'owner' | 'pendingOwner' | 'paused') =>
    chain.reader.readContract({ address: chain.vault, abi: solverVaultAbi, functionName })

  it('pays once under each key, and logs the key', async () => {
    const [key, to] = [newKey(), newRecipient()]
    expect(await chain.isFulfilled(key)).to.equal(false)
    const data = fulfillData(key, [payment(5n, to)])
    const receipt = await asOperator(data)
    const events = parseEventLogs({ abi: solverVaultAbi, logs: receipt.logs, eventName: 'Fulfilled' })
    expect(events.map(({ args }) => args.stepKey)).to.deep.equal([key])
    expect((await asOperator(data)).status).to.equal('reverted')
    expect(await chain.balanceOf(chain.usd, to)).to.equal(5n)
    expect(await chain.isFulfilled(key)).to.equal(true)
    // Whatever else is asked for under the key.
    for (const transfers of [[payment(5n, to)], [payment()], []]) {
      expect(await revertOf(fulfillData(key, transfers))).to.deep.equal({ name: 'AlreadyFulfilled', args: [key] })
    }
  })

  it('pays all transfers or none, native currency among them', async () => {
    const [key, to] = [newKey(), newRecipient()]
    await chain.send(stranger, { to: chain.vault, value: 50n })
    const good = [payment(1n, to), { to, token: native, amount: 4n }, payment(2n, to)]
    expect((await asOperator(fulfillData(key, [...good, payment(10n ** 20n)]))).status).to.equal('reverted')
    expect(await chain.isFulfilled(key)).to.equal(false)
    expect(await chain.balanceOf(chain.usd, to)).to.equal(0n)
    expect((await asOperator(fulfillData(key, good))).status).to.equal('success')
    expect(await chain.balanceOf(chain.usd, to)).to.equal(3n)
    expect(await chain.reader.getBalance({ address: to })).to.equal(4n)
  })

  it('logs native currency that comes in, and from whom', async () => {
    const receipt = await chain.send(stranger, { to: chain.vault, value: 10n })
    const events = parseEventLogs({ abi: solverVaultAbi, logs: receipt.logs, eventName: 'NativeReceived' })
    expect(events.map(({ args }) => args)).to.deep.equal([{ from: stranger.address, amount: 10n }])
  })

  it('obeys operators in payments and nobody else, the owner included', async () => {
    const data = fulfillData(newKey(), [payment()])
    for (const from of [stranger.address, owner.address]) {
      expect(await revertOf(data, from)).to.deep.equal({ name: 'NotOperator', args: [from] })
    }
    await chain.ownerCall('setOperator', [stranger.address, true])
    expect(await revertOf(data, stranger.address)).to.equal(null)
    await chain.ownerCall('setOperator', [stranger.address, false])
    expect((await revertOf(data, stranger.address))?.name).to.equal('NotOperator')
  })

  it('obeys the owner in everything else, and not operators', async () => {
    const guarded: [string, readonly unknown[]][] = [
      ['setOperator', [stranger.address, true]],
      ['setOutflowCap', [chain.usd, 1n]],
      ['setPaused', [true]],
      ['withdraw', [chain.usd, stranger.address, 1n]],
      ['transferOwnership', [stranger.address]],
      ['renounceOwnership', []],
    ]
    for (const [functionName, args] of guarded) {
      expect(await revertOf(call(functionName, args)), functionName).to.deep.equal({
        name: 'OwnableUnauthorizedAccount',
        args: [operator.address],
      })
    }
  })

  it('pays neither itself nor nobody', async () => {
    for (const token of [chain.usd, native]) {
      for (const to of [chain.vault, native]) {
        const revert = await revertOf(fulfillData(newKey(), [{ to, token, amount: 1n }]))
        expect(revert?.name).to.equal('InvalidRecipient')
        const withdrawal = await revertOf(call('withdraw', [token, to, 1n]), owner.address)
        expect(withdrawal?.name).to.equal('InvalidRecipient')
      }
    }
  })

  it('keeps operators below a token’s daily cap, which starts anew the next day', async () => {
    // Just after midnight, so that the day does not end meanwhile.
    await chain.passTime(86_400n - ((await chain.now()) % 86_400n))
    await chain.ownerCall('setOutflowCap', [chain.usd, 10n])
    const pay = (...amounts: bigint[]) =>
      fulfillData(
        newKey(),
        amounts.map((amount) => payment(amount)),
      )
    expect((await asOperator(pay(6n))).status).to.equal('success')
    expect(await revertOf(pay(5n))).to.deep.equal({
      name: 'OutflowCapExceeded',
      args: [getAddress(chain.usd), 10n, 11n],
    })
    expect((await revertOf(pay(3n, 2n)))?.name).to.equal('OutflowCapExceeded')
    expect(await revertOf(fulfillData(newKey(), [{ ...payment(), token: native, amount: 11n }]))).to.equal(null)
    // What was refused does not count.
    expect((await asOperator(pay(5n))).status).to.equal('reverted')
    expect((await asOperator(pay(4n))).status).to.equal('success')
    expect((await revertOf(pay(1n)))?.name).to.equal('OutflowCapExceeded')
    await chain.passTime(86_400n)
    expect((await revertOf(pay(11n)))?.name).to.equal('OutflowCapExceeded')
    expect((await asOperator(pay(10n))).status).to.equal('success')
    // The owner is above the cap, and a cap of nothing is none.
    await chain.ownerCall('withdraw', [chain.usd, newRecipient(), 20n])
    await chain.ownerCall('setOutflowCap', [chain.usd, 0n])
    expect(await revertOf(pay(1_000n))).to.equal(null)
  })

  it('pays nothing while it is paused, but to the owner', async () => {
    await chain.ownerCall('setPaused', [true])
    expect(await read('paused')).to.equal(true)
    const data = fulfillData(newKey(), [payment()])
    expect(await revertOf(data)).to.deep.equal({ name: 'Paused', args: [] })
    const to = newRecipient()
    await chain.ownerCall('withdraw', [chain.usd, to, 3n])
    expect(await chain.balanceOf(chain.usd, to)).to.equal(3n)
    await chain.ownerCall('setPaused', [false])
    expect(await revertOf(data)).to.equal(null)
  })

  it('gives the owner everything, native currency and tokens that take a fee too', async () => {
    const to = newRecipient()
    await chain.send(stranger, { to: chain.vault, value: 9n })
    await chain.ownerCall('withdraw', [native, to, 9n])
    expect(await chain.reader.getBalance({ address: to })).to.equal(9n)
    const token = await chain.deploy('FeeToken')
    await chain.deployer.call(token, chain.abiOf('FeeToken'), 'mint', [chain.vault, 1_000n])
    await chain.ownerCall('withdraw', [token, to, 1_000n])
    expect(await chain.balanceOf(token, chain.vault)).to.equal(0n)
    for (const none of [await chain.deploy('RefusingToken'), newRecipient()]) {
      const refused = await revertOf(call('withdraw', [none, to, 1n]), owner.address)
      expect(refused?.name).to.equal('TokenTransferFailed')
    }
  })

  it('changes owners in two steps and always has one', async () => {
    await chain.ownerCall('transferOwnership', [stranger.address])
    expect([await read('owner'), await read('pendingOwner')]).to.deep.equal([owner.address, stranger.address])
    const accept = call('acceptOwnership', [])
    expect((await revertOf(accept))?.name).to.equal('OwnableUnauthorizedAccount')
    await chain.send(stranger, { to: chain.vault, data: accept })
    expect(await read('owner')).to.equal(stranger.address)
    expect((await revertOf(call('setPaused', [true]), owner.address))?.name).to.equal('OwnableUnauthorizedAccount')
    await chain.send(stranger, { to: chain.vault, data: call('transferOwnership', [owner.address]) })
    await chain.send(owner, { to: chain.vault, data: accept })
    expect(await read('owner')).to.equal(owner.address)
    expect((await revertOf(call('renounceOwnership', []), owner.address))?.name).to.equal('OwnerRequired')
    const ownerless = encodeDeployData({ abi: solverVaultAbi, bytecode: solverVaultBytecode, args: [native] })
    const creation = `${zeroHash}${ownerless.slice(2)}` as Hex
    expect(await chain.revertOf(stranger.address, '0x4e59b44847b379578588920ca78fbf26c0b4956c', creation)).to.not.equal(
      null,
    )
  })
})
