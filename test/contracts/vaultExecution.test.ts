import { expect } from 'chai'
import { type Address, type Hex, parseEventLogs } from 'viem'
import { delegateAbi, solverVaultAbi } from '../../server/chain/generated/contracts.js'
import {
  batch,
  chainId,
  decodeRevert,
  newAccount,
  newKey,
  newRecipient,
  operator,
  startTestChain,
  stranger,
  type TestChain,
  tokenCall,
} from './chain.js'
import { batchId, type ContractIntent, executeData, fulfillData, signIntent } from './intents.js'

describe('the solver’s vault and the account behind a payment', () => {
  let chain: TestChain
  before(async () => {
    chain = await startTestChain()
  })
  after(() => chain.stop())

  const pay = (amount = 1n, to = newRecipient()) => tokenCall(chain.usd, to, amount)
  const five = (to: Address) => [{ to, token: chain.usd, amount: 5n }]
  const asOperator = (data: Hex, authorizationList?: unknown[]) =>
    chain.send(operator, { to: chain.vault, data, ...(authorizationList && { authorizationList }) })

  /** Five tokens to the account and then its intent; it must fail, change nothing, and say why. */
  async function refused(account: Address, intent: ContractIntent, authorizationList?: unknown[]) {
    const key = newKey()
    const data = fulfillData(key, five(account), account, intent)
    const before = await chain.balanceOf(chain.usd, chain.vault)
    expect((await asOperator(data, authorizationList)).status).to.equal('reverted')
    expect(await chain.balanceOf(chain.usd, chain.vault)).to.equal(before)
    expect(await chain.isFulfilled(key)).to.equal(false)
    return (await chain.revertOf(operator.address, chain.vault, data))!
  }

  for (const signatureType of ['ecdsa', 'eip712'] as const) {
    it(`pays and runs the account’s calls in one transaction (${signatureType})`, async () => {
      const account = newAccount()
      await chain.delegateTo(account, chain.delegate)
      const [key, to] = [newKey(), newRecipient()]
      const transfer = { from: chain.vault, to: account.address, token: chain.usd, amount: 5n }
      const batches = [{ ...batch(pay(3n, to)), tokenTransfers: [transfer] }]
      const { intent, digest } = await signIntent(account, batches, { signatureType })
      const receipt = await asOperator(fulfillData(key, five(account.address), account.address, intent))
      expect(receipt.status).to.equal('success')
      expect(await chain.balanceOf(chain.usd, to)).to.equal(3n)
      expect(await chain.balanceOf(chain.usd, account.address)).to.equal(2n)
      expect(await chain.isFulfilled(key)).to.equal(true)
      expect(await chain.isProcessed(account.address, batchId(digest, 0))).to.equal(true)
      expect((await refused(account.address, intent)).name).to.equal('DuplicateChainBatch')
    })
  }

  it('delegates, pays and runs in one transaction', async () => {
    const account = newAccount()
    const to = newRecipient()
    const { intent } = await signIntent(account, [batch(pay(3n, to))])
    const terms = { contractAddress: chain.delegate, chainId: Number(chainId), nonce: 0 }
    const data = fulfillData(newKey(), five(account.address), account.address, intent)
    const receipt = await asOperator(data, [await account.signAuthorization(terms)])
    expect(receipt.status).to.equal('success')
    expect(await chain.balanceOf(chain.usd, to)).to.equal(3n)
  })

  it('pays nothing when a call fails, and tells why', async () => {
    const account = newAccount()
    await chain.delegateTo(account, chain.delegate)
    const { intent } = await signIntent(account, [batch(pay(6n))])
    const { name, args } = await refused(account.address, intent)
    expect(name).to.equal('CallReverted')
    expect(decodeRevert(args[4] as Hex).name).to.equal('ERC20InsufficientBalance')
  })

  it('pays nothing when the signature is not the account’s', async () => {
    const account = newAccount()
    await chain.delegateTo(account, chain.delegate)
    const { intent } = await signIntent(newAccount(), [batch(pay())])
    expect((await refused(account.address, intent)).name).to.equal('InvalidSignature')
  })

  it('pays nothing when the authorization was skipped and the account has no code', async () => {
    const account = newAccount()
    const { intent } = await signIntent(account, [batch(pay())])
    const terms = { contractAddress: chain.delegate, chainId: Number(chainId), nonce: 0 }
    // For another nonce than the account's, and for another chain: the protocol skips them, the transaction goes on.
    for (const wrong of [{ nonce: 7 }, { chainId: 5 }]) {
      const authorization = await account.signAuthorization({ ...terms, ...wrong })
      const revert = await refused(account.address, intent, [authorization])
      expect(revert).to.deep.equal({ name: 'AccountNotDelegated', args: [account.address] })
    }
  })

  it('pays nothing when the account ran nothing, or did not say that it ran something', async () => {
    const account = newAccount()
    await chain.delegateTo(account, chain.delegate)
    const stripped = await signIntent(account, [batch(pay())], { carried: [] })
    const notExecuted = { name: 'BatchNotExecuted', args: [account.address] }
    expect(await refused(account.address, stripped.intent)).to.deep.equal(notExecuted)
    const { intent } = await signIntent(account, [batch(pay())])
    for (const name of ['EmptyDelegate', 'ShortDelegate', 'MuteDelegate']) {
      await chain.delegateTo(account, await chain.deploy(name))
      expect(await refused(account.address, intent), name).to.deep.equal(notExecuted)
    }
    const { name } = await refused(await chain.deploy('ProudRecipient'), intent)
    expect(name).to.equal('BatchNotExecuted')
  })

  it('takes no number of batches from a call that reverted', async () => {
    const account = newAccount()
    await chain.delegateTo(account, await chain.deploy('LyingDelegate'))
    const { intent } = await signIntent(account, [batch(pay())])
    const key = newKey()
    const data = fulfillData(key, five(account.address), account.address, intent)
    expect((await asOperator(data)).status).to.equal('reverted')
    expect(await chain.isFulfilled(key)).to.equal(false)
  })

  it('is paid by the account’s calls, in native currency too', async () => {
    const account = newAccount()
    await chain.delegateTo(account, chain.delegate)
    await chain.send(stranger, { to: account.address, value: 8n })
    const calls = [pay(4n, chain.vault), { to: chain.vault, value: 8n, data: '0x' as Hex }]
    const { intent } = await signIntent(account, [batch(...calls)])
    const receipt = await asOperator(fulfillData(newKey(), five(account.address), account.address, intent))
    const events = parseEventLogs({ abi: solverVaultAbi, logs: receipt.logs, eventName: 'NativeReceived' })
    expect(events.map(({ args }) => args)).to.deep.equal([{ from: account.address, amount: 8n }])
    expect(await chain.balanceOf(chain.usd, account.address)).to.equal(1n)
  })

  it('can’t be re-entered by the account’s calls, not even when the account is an operator', async () => {
    const account = newAccount()
    await chain.delegateTo(account, chain.delegate)
    const inner = fulfillData(newKey(), five(account.address))
    const { intent } = await signIntent(account, [batch({ to: chain.vault, value: 0n, data: inner })])
    expect(decodeRevert((await refused(account.address, intent)).args[4] as Hex).name).to.equal(
      'ReentrancyGuardReentrantCall',
    )
    await chain.ownerCall('setOperator', [account.address, true])
    // By itself the account may now do it.
    expect(await chain.revertOf(stranger.address, account.address, executeData(intent))).to.equal(null)
    const { name, args } = await refused(account.address, intent)
    expect([name, decodeRevert(args[4] as Hex).name]).to.deep.equal(['CallReverted', 'ReentrancyGuardReentrantCall'])
    await chain.ownerCall('setOperator', [account.address, false])
  })

  it('pays nothing when someone else has executed the batch before', async () => {
    const account = await chain.newDelegated()
    const { intent, digest } = await signIntent(account, [batch(pay())])
    const receipt = await chain.send(stranger, { to: account.address, data: executeData(intent) })
    const events = parseEventLogs({ abi: delegateAbi, logs: receipt.logs, eventName: 'ChainBatchExecuted' })
    expect(events.map(({ args }) => args.chainBatchId)).to.deep.equal([batchId(digest, 0)])
    expect((await refused(account.address, intent)).name).to.equal('DuplicateChainBatch')
  })
})
