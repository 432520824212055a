import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { type Abi, type Address, encodeFunctionData, erc20Abi, type Hex, parseEventLogs, toHex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { devTokenAbi, solverVaultAbi } from '../../server/chain/generated/contracts.js'
import { fulfillData, operator, owner, signedForContract, startTestChain, stranger, type TestChain } from './chain.js'

const native: Address = '0x0000000000000000000000000000000000000000'

describe('the solver’s vault', () => {
  let chain: TestChain

  before(async () => {
    chain = await startTestChain()
  })
  after(() => chain.stop())

  const newKey = (): Hex => toHex(randomBytes(32))
  const newRecipient = () => privateKeyToAccount(generatePrivateKey()).address
  const asOperator = (data: Hex) => chain.send(operator, { to: chain.vault, data })
  const revertOf = (data: Hex, from: Address = operator.address) => chain.revertOf(from, chain.vault, data)
  const ownerCall = (functionName: string, args: readonly unknown[]) =>
    chain.deployer.call(chain.vault, solverVaultAbi as Abi, functionName, args)
  const isFulfilled = (key: Hex) =>
    chain.reader.readContract({ address: chain.vault, abi: solverVaultAbi, functionName: 'isFulfilled', args: [key] })

  it('pays once under each key', async () => {
    const [key, to] = [newKey(), newRecipient()]
    const data = fulfillData(key, [{ to, token: chain.usd, amount: 5n }])
    const [first, second] = [await asOperator(data), await asOperator(data)]
    expect([first.status, second.status]).to.deep.equal(['success', 'reverted'])
    expect(await chain.balanceOf(chain.usd, to)).to.equal(5n)
    expect(await isFulfilled(key)).to.equal(true)
    expect(await revertOf(data)).to.deep.equal({ name: 'AlreadyFulfilled', args: [key] })
  })

  it('obeys operators only, and the owner only in what is the owner’s', async () => {
    const data = fulfillData(newKey(), [{ to: newRecipient(), token: chain.usd, amount: 1n }])
    expect((await revertOf(data, stranger.address))?.name).to.equal('NotOperator')
    expect((await revertOf(data, owner.address))?.name).to.equal('NotOperator')
    const guarded: [string, readonly unknown[]][] = [
      ['setOperator', [stranger.address, true]],
      ['setOutflowCap', [chain.usd, 1n]],
      ['setPaused', [true]],
      ['withdraw', [chain.usd, stranger.address, 1n]],
      ['transferOwnership', [stranger.address]],
    ]
    for (const [functionName, args] of guarded) {
      const call = encodeFunctionData({ abi: solverVaultAbi as Abi, functionName, args })
      expect((await revertOf(call))?.name, functionName).to.equal('OwnableUnauthorizedAccount')
    }
  })

  it('pays native currency, and tells of what comes in', async () => {
    const receipt = await chain.send(stranger, { to: chain.vault, value: 10n })
    const [event] = parseEventLogs({ abi: solverVaultAbi, logs: receipt.logs, eventName: 'NativeReceived' })
    expect(event?.args).to.deep.equal({ from: stranger.address, amount: 10n })
    const to = newRecipient()
    await asOperator(fulfillData(newKey(), [{ to, token: native, amount: 4n }]))
    expect(await chain.reader.getBalance({ address: to })).to.equal(4n)
    const tooMuch = fulfillData(newKey(), [{ to, token: native, amount: 10n ** 30n }])
    expect((await revertOf(tooMuch))?.name).to.equal('TokenTransferFailed')
  })

  it('takes tokens that return nothing, and refuses those that say false or take a fee', async () => {
    const recipient = newRecipient()
    for (const [name, error] of [
      ['SilentToken', null],
      ['RefusingToken', 'TokenTransferFailed'],
      ['FeeToken', 'TransferAmountMismatch'],
    ] as const) {
      const token = await chain.deployHostile(name)
      await chain.deployer.call(token, chain.hostileAbi(name), 'mint', [chain.vault, 1_000n])
      const data = fulfillData(newKey(), [{ to: recipient, token, amount: 100n }])
      expect((await revertOf(data))?.name ?? null, name).to.equal(error)
      await asOperator(data)
      expect(await chain.balanceOf(token, recipient)).to.equal(error ? 0n : 100n)
      expect(await chain.balanceOf(token, chain.vault)).to.equal(error ? 1_000n : 900n)
    }
  })

  it('pays neither itself nor nobody, nor a token that is no contract', async () => {
    for (const to of [chain.vault, native]) {
      expect((await revertOf(fulfillData(newKey(), [{ to, token: chain.usd, amount: 1n }])))?.name).to.equal(
        'InvalidRecipient',
      )
    }
    const nowhere = fulfillData(newKey(), [{ to: newRecipient(), token: newRecipient(), amount: 1n }])
    expect((await asOperator(nowhere)).status).to.equal('reverted')
  })

  it('can’t be re-entered by a token, even through an operator', async () => {
    const token = await chain.deployHostile('ReentrantToken')
    const abi = chain.hostileAbi('ReentrantToken')
    await chain.deployer.call(token, abi, 'mint', [chain.vault, 10n])
    const thief = newRecipient()
    await ownerCall('setOperator', [token, true])
    await chain.deployer.call(token, abi, 'arm', [
      chain.vault,
      fulfillData(newKey(), [{ to: thief, token: chain.usd, amount: 9n }]),
    ])
    await asOperator(fulfillData(newKey(), [{ to: newRecipient(), token, amount: 1n }]))
    await ownerCall('setOperator', [token, false])
    expect(await chain.reader.readContract({ address: token, abi, functionName: 'succeeded' })).to.equal(false)
    expect(await chain.balanceOf(chain.usd, thief)).to.equal(0n)
  })

  it('keeps operators below the daily cap, which starts anew the next day', async () => {
    await ownerCall('setOutflowCap', [chain.usd, 10n])
    const pay = (amount: bigint) => fulfillData(newKey(), [{ to: newRecipient(), token: chain.usd, amount }])
    expect((await asOperator(pay(6n))).status).to.equal('success')
    expect(await revertOf(pay(5n))).to.include({ name: 'OutflowCapExceeded' })
    const twice = [3n, 2n].map((amount) => ({ to: newRecipient(), token: chain.usd, amount }))
    expect((await revertOf(fulfillData(newKey(), twice)))?.name).to.equal('OutflowCapExceeded')
    expect((await asOperator(pay(4n))).status).to.equal('success')
    await chain.reader.request({ method: 'evm_increaseTime' as never, params: [86_400] as never })
    await chain.reader.request({ method: 'evm_mine' as never, params: [] as never })
    expect((await asOperator(pay(10n))).status).to.equal('success')
    await ownerCall('withdraw', [chain.usd, newRecipient(), 20n])
    await ownerCall('setOutflowCap', [chain.usd, 0n])
  })

  it('pays nothing while it is paused', async () => {
    await ownerCall('setPaused', [true])
    const data = fulfillData(newKey(), [{ to: newRecipient(), token: chain.usd, amount: 1n }])
    expect((await revertOf(data))?.name).to.equal('Paused')
    await ownerCall('setPaused', [false])
    expect(await revertOf(data)).to.equal(null)
  })

  it('changes owners in two steps', async () => {
    await ownerCall('transferOwnership', [stranger.address])
    const read = () => chain.reader.readContract({ address: chain.vault, abi: solverVaultAbi, functionName: 'owner' })
    expect(await read()).to.equal(owner.address)
    const accept = encodeFunctionData({ abi: solverVaultAbi, functionName: 'acceptOwnership' })
    expect((await revertOf(accept))?.name).to.equal('OwnableUnauthorizedAccount')
    await chain.send(stranger, { to: chain.vault, data: accept })
    expect(await read()).to.equal(stranger.address)
    await chain.send(stranger, {
      to: chain.vault,
      data: encodeFunctionData({ abi: solverVaultAbi, functionName: 'transferOwnership', args: [owner.address] }),
    })
    await chain.send(owner, { to: chain.vault, data: accept })
  })

  describe('with an account’s batch behind the payment', () => {
    const pay = (to: Address, amount: bigint) => ({
      to: chain.usd,
      value: 0n,
      data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] }),
    })
    const batch = (...calls: ReturnType<typeof pay>[]) => [{ chainId: 31337, tokenTransfers: [], calls }]

    async function untouched(key: Hex, run: () => Promise<unknown>) {
      const before = await chain.balanceOf(chain.usd, chain.vault)
      await run()
      expect(await chain.balanceOf(chain.usd, chain.vault)).to.equal(before)
      expect(await isFulfilled(key)).to.equal(false)
    }

    it('does both in one transaction', async () => {
      const account = privateKeyToAccount(generatePrivateKey())
      await chain.delegateTo(account, chain.delegate)
      const to = newRecipient()
      const { intent } = await signedForContract(account, batch(pay(to, 3n)), { signatureType: 'eip712' })
      const data = fulfillData(
        newKey(),
        [{ to: account.address, token: chain.usd, amount: 5n }],
        account.address,
        intent,
      )
      expect((await asOperator(data)).status).to.equal('success')
      expect(await chain.balanceOf(chain.usd, to)).to.equal(3n)
      expect(await chain.balanceOf(chain.usd, account.address)).to.equal(2n)
    })

    it('does neither when a call fails, and tells why', async () => {
      const account = privateKeyToAccount(generatePrivateKey())
      await chain.delegateTo(account, chain.delegate)
      const { intent } = await signedForContract(account, batch(pay(newRecipient(), 6n)))
      const key = newKey()
      const data = fulfillData(key, [{ to: account.address, token: chain.usd, amount: 5n }], account.address, intent)
      await untouched(key, () => asOperator(data))
      expect((await revertOf(data))?.name).to.equal('CallReverted')
    })

    it('pays nothing when the account has no code, as after an authorization that was skipped', async () => {
      const account = privateKeyToAccount(generatePrivateKey())
      const { intent } = await signedForContract(account, batch(pay(newRecipient(), 1n)))
      const key = newKey()
      const data = fulfillData(key, [{ to: account.address, token: chain.usd, amount: 5n }], account.address, intent)
      // For another nonce than the account's: the protocol skips it and the transaction goes on.
      const authorization = await account.signAuthorization({
        contractAddress: chain.delegate,
        chainId: 31337,
        nonce: 7,
      })
      await untouched(key, async () => {
        const receipt = await chain.send(operator, { to: chain.vault, data, authorizationList: [authorization] })
        expect(receipt.status).to.equal('reverted')
      })
      expect((await revertOf(data))?.name).to.equal('AccountNotDelegated')
    })

    it('pays nothing when the account ran nothing', async () => {
      const account = privateKeyToAccount(generatePrivateKey())
      await chain.delegateTo(account, chain.delegate)
      const stripped = await signedForContract(account, batch(pay(newRecipient(), 1n)), { carried: [] })
      const transfers = [{ to: account.address, token: chain.usd, amount: 5n }]
      const key = newKey()
      const data = fulfillData(key, transfers, account.address, stripped.intent)
      await untouched(key, () => asOperator(data))
      expect((await revertOf(data))?.name).to.equal('BatchNotExecuted')
      await chain.delegateTo(account, await chain.deployHostile('EmptyDelegate'))
      expect((await revertOf(data))?.name).to.equal('BatchNotExecuted')
    })
  })

  it('lets tokens’ own errors through', async () => {
    const data = fulfillData(newKey(), [{ to: newRecipient(), token: chain.usd, amount: 10n ** 20n }])
    const failure = await revertOf(data)
    expect(failure?.name).to.equal('ERC20InsufficientBalance')
    expect(devTokenAbi.some((item) => item.type === 'error' && item.name === failure?.name)).to.equal(true)
  })
})
