import { expect } from 'chai'
import { encodeFunctionData, getAddress, type Hex } from 'viem'
import { solverVaultAbi } from '../../server/chain/generated/contracts.js'
import { native, newKey, newRecipient, operator, startTestChain, stranger, type TestChain } from './chain.js'
import { fulfillData } from './intents.js'

describe('the solver’s vault and strange tokens', () => {
  let chain: TestChain
  before(async () => {
    chain = await startTestChain()
  })
  after(() => chain.stop())

  const asOperator = (data: Hex) => chain.send(operator, { to: chain.vault, data })
  const revertOf = (data: Hex) => chain.revertOf(operator.address, chain.vault, data)

  async function stocked(name: string) {
    const token = await chain.deploy(name)
    await chain.deployer.call(token, chain.abiOf(name), 'mint', [chain.vault, 1_000n])
    return token
  }

  for (const [what, name] of [
    ['returns nothing', 'SilentToken'],
    ['returns more than it should', 'TalkativeToken'],
  ] as const) {
    it(`pays with a token that ${what}`, async () => {
      const token = await stocked(name)
      const to = newRecipient()
      await asOperator(fulfillData(newKey(), [{ to, token, amount: 100n }]))
      expect(await chain.balanceOf(token, to)).to.equal(100n)
      expect(await chain.balanceOf(token, chain.vault)).to.equal(900n)
    })
  }

  for (const [what, name] of [
    ['returns false', 'RefusingToken'],
    ['returns something that is not true', 'OddToken'],
    ['reverts without a reason', 'MuteToken'],
  ] as const) {
    it(`refuses a token that ${what} instead of transferring`, async () => {
      const token = await stocked(name)
      const [key, to] = [newKey(), newRecipient()]
      const data = fulfillData(key, [{ to, token, amount: 100n }])
      expect(await revertOf(data)).to.deep.equal({
        name: 'TokenTransferFailed',
        args: [getAddress(token), to, 100n],
      })
      await refusedOnChain(data, key, token)
    })
  }

  for (const [what, name, actual] of [
    ['takes a fee', 'FeeToken', 99n],
    ['takes from the recipient', 'TakingToken', 0n],
  ] as const) {
    it(`refuses a token that ${what}, so that another amount arrives`, async () => {
      const token = await stocked(name)
      const [key, to] = [newKey(), newRecipient()]
      await chain.deployer.call(token, chain.abiOf(name), 'mint', [to, 7n])
      const data = fulfillData(key, [{ to, token, amount: 100n }])
      expect(await revertOf(data)).to.deep.equal({
        name: 'TransferAmountMismatch',
        args: [getAddress(token), to, 100n, actual],
      })
      await refusedOnChain(data, key, token)
    })
  }

  it('refuses a token that is no contract, or no token', async () => {
    const to = newRecipient()
    for (const token of [newRecipient(), chain.vault]) {
      const revert = await revertOf(fulfillData(newKey(), [{ to, token, amount: 1n }]))
      expect(revert).to.deep.equal({ name: 'TokenTransferFailed', args: [getAddress(token), to, 1n] })
    }
  })

  it('lets a token’s own error through', async () => {
    const wanted = 10n ** 20n
    const data = fulfillData(newKey(), [{ to: newRecipient(), token: chain.usd, amount: wanted }])
    expect(await revertOf(data)).to.deep.equal({
      name: 'ERC20InsufficientBalance',
      args: [getAddress(chain.vault), 1_000_000n, wanted],
    })
  })

  it('names the native currency’s failure when there is too little or the recipient takes none', async () => {
    await chain.send(stranger, { to: chain.vault, value: 10n })
    const proud = getAddress(await chain.deploy('ProudRecipient'))
    for (const [to, amount] of [
      [newRecipient(), 10n ** 30n],
      [proud, 1n],
    ] as const) {
      expect(await revertOf(fulfillData(newKey(), [{ to, token: native, amount }]))).to.deep.equal({
        name: 'TokenTransferFailed',
        args: [native, to, amount],
      })
    }
  })

  it('can’t be re-entered by a token or a recipient, not even one that is an operator', async () => {
    const token = await stocked('ReentrantToken')
    const recipient = await chain.deploy('ReentrantRecipient')
    await chain.send(stranger, { to: chain.vault, value: 10n })
    for (const [caller, name, transfer] of [
      [token, 'ReentrantToken', { to: newRecipient(), token, amount: 1n }],
      [recipient, 'ReentrantRecipient', { to: recipient, token: native, amount: 1n }],
    ] as const) {
      await chain.ownerCall('setOperator', [caller, true])
      const thief = newRecipient()
      const [outer, inner] = [newKey(), newKey()]
      const again = fulfillData(inner, [{ to: thief, token: chain.usd, amount: 9n }])
      // The same call is good by itself.
      expect(await chain.revertOf(caller, chain.vault, again)).to.equal(null)
      await chain.deployer.call(caller, chain.abiOf(name), 'arm', [chain.vault, again])
      expect((await asOperator(fulfillData(outer, [transfer]))).status).to.equal('success')
      expect([await chain.isFulfilled(outer), await chain.isFulfilled(inner)]).to.deep.equal([true, false])
      expect(await chain.balanceOf(chain.usd, thief)).to.equal(0n)
      const abi = chain.abiOf(name)
      expect(await chain.reader.readContract({ address: caller, abi, functionName: 'succeeded' })).to.equal(false)
    }
  })

  it('has taken the key before it calls anything', async () => {
    const recipient = await chain.deploy('AskingRecipient')
    const abi = chain.abiOf('AskingRecipient')
    await chain.send(stranger, { to: chain.vault, value: 10n })
    const key = newKey()
    const question = encodeFunctionData({ abi: solverVaultAbi, functionName: 'isFulfilled', args: [key] })
    await chain.deployer.call(recipient, abi, 'arm', [chain.vault, question])
    await asOperator(fulfillData(key, [{ to: recipient, token: native, amount: 1n }]))
    expect(await chain.reader.readContract({ address: recipient, abi, functionName: 'answer' })).to.equal(1n)
  })

  async function refusedOnChain(data: Hex, key: Hex, token: Hex) {
    expect((await asOperator(data)).status).to.equal('reverted')
    expect(await chain.balanceOf(token, chain.vault)).to.equal(1_000n)
    expect(await chain.isFulfilled(key)).to.equal(false)
  }
})
