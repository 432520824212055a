import { expect } from 'chai'
import { encodeFunctionData, type Hex, parseEventLogs } from 'viem'
import { delegateAbi } from '../../server/chain/generated/contracts.js'
import {
  batch,
  chainId,
  decodeRevert,
  native,
  newRecipient,
  operator,
  startTestChain,
  stranger,
  type TestChain,
  tokenCall,
} from './chain.js'
import { batchId, type ContractIntent, executeData, signIntent } from './intents.js'

describe('the delegate', () => {
  let chain: TestChain
  before(async () => {
    chain = await startTestChain()
  })
  after(() => chain.stop())

  const pay = (to = newRecipient(), amount = 1n) => tokenCall(chain.usd, to, amount)
  const execute = (account: { address: Hex }, intent: ContractIntent, value = 0n) =>
    chain.send(stranger, { to: account.address, data: executeData(intent), value })
  const revertOf = (account: { address: Hex }, intent: ContractIntent) =>
    chain.revertOf(stranger.address, account.address, executeData(intent))
  const executedIn = (receipt: Awaited<ReturnType<typeof execute>>) =>
    parseEventLogs({ abi: delegateAbi, logs: receipt.logs, eventName: 'ChainBatchExecuted' }).map(
      ({ address, args }) => ({ account: address, id: args.chainBatchId }),
    )

  for (const signatureType of ['ecdsa', 'eip712'] as const) {
    describe(`with ${signatureType} signatures`, () => {
      it('runs what the account signed, whoever brings it, and logs the batch’s id', async () => {
        const account = await chain.newDelegated()
        const to = newRecipient()
        const { intent, digest } = await signIntent(account, [batch(pay(to, 7n), pay(to, 2n))], { signatureType })
        const receipt = await execute(account, intent)
        expect(receipt.status).to.equal('success')
        expect(await chain.balanceOf(chain.usd, to)).to.equal(9n)
        expect(executedIn(receipt)).to.deep.equal([{ account: account.address.toLowerCase(), id: batchId(digest, 0) }])
        expect(await chain.isProcessed(account.address, batchId(digest, 0))).to.equal(true)
        expect(await chain.isProcessed(account.address, batchId(digest, 1))).to.equal(false)
      })

      it('refuses to run a batch a second time', async () => {
        const account = await chain.newDelegated()
        const { intent, digest } = await signIntent(account, [batch(pay())], { signatureType })
        expect((await execute(account, intent)).status).to.equal('success')
        expect((await execute(account, intent)).status).to.equal('reverted')
        expect(await revertOf(account, intent)).to.deep.equal({
          name: 'DuplicateChainBatch',
          args: [intent.signature, intent.chainBatches[0]!.hash, batchId(digest, 0)],
        })
      })

      it('runs the same calls again when they are signed in a new intent', async () => {
        const account = await chain.newDelegated()
        const to = newRecipient()
        for (const nbf of [0n, 1n]) {
          const { intent } = await signIntent(account, [batch(pay(to))], { signatureType, nbf })
          expect((await execute(account, intent)).status).to.equal('success')
        }
        expect(await chain.balanceOf(chain.usd, to)).to.equal(2n)
      })

      it('runs equal batches of one intent one by one, each once', async () => {
        const account = await chain.newDelegated()
        const to = newRecipient()
        const batches = [batch(pay(to)), batch(pay(to))]
        for (const carried of [[1], [0]]) {
          const { intent } = await signIntent(account, batches, { signatureType, carried })
          expect((await execute(account, intent)).status).to.equal('success')
          expect((await revertOf(account, intent))?.name).to.equal('DuplicateChainBatch')
        }
        const both = await signIntent(account, batches, { signatureType })
        expect((await revertOf(account, both.intent))?.name).to.equal('DuplicateChainBatch')
        expect(await chain.balanceOf(chain.usd, to)).to.equal(2n)
      })

      it('runs several batches in order, and leaves those of other chains to them', async () => {
        const account = await chain.newDelegated()
        const to = newRecipient()
        const elsewhere = { ...batch(pay(to)), chainId: 5n }
        const batches = [batch(pay(to, 1n)), elsewhere, batch(pay(to, 2n))]
        const { intent, digest } = await signIntent(account, batches, { signatureType, carried: [0, 2] })
        const receipt = await execute(account, intent)
        expect(executedIn(receipt).map(({ id }) => id)).to.deep.equal([batchId(digest, 0), batchId(digest, 2)])
        expect(await chain.balanceOf(chain.usd, to)).to.equal(3n)
      })

      it('refuses calls that were signed for another chain', async () => {
        const account = await chain.newDelegated()
        const { intent } = await signIntent(account, [{ ...batch(pay()), chainId: 5n }], { signatureType })
        expect(await revertOf(account, intent)).to.deep.equal({ name: 'InvalidChainId', args: [chainId, 5n] })
      })

      it('runs nothing of an intent that carries no calls', async () => {
        const account = await chain.newDelegated()
        const { intent, digest } = await signIntent(account, [batch(pay())], { signatureType, carried: [] })
        expect(executedIn(await execute(account, intent))).to.deep.equal([])
        expect(await chain.isProcessed(account.address, batchId(digest, 0))).to.equal(false)
      })

      it('keeps to the time window, both ends included', async () => {
        const account = await chain.newDelegated()
        const now = await chain.now()
        const sign = (nbf: bigint, exp: bigint) => signIntent(account, [batch(pay())], { signatureType, nbf, exp })
        expect(await revertOf(account, (await sign(now + 1n, now + 9n)).intent)).to.deep.equal({
          name: 'IntentTooEarly',
          args: [now, now + 1n],
        })
        expect(await revertOf(account, (await sign(0n, now - 1n)).intent)).to.deep.equal({
          name: 'IntentExpired',
          args: [now, now - 1n],
        })
        expect(await revertOf(account, (await sign(now, now)).intent)).to.equal(null)
      })
    })
  }

  it('refuses another kind of signature, and the other kind’s signature', async () => {
    const account = await chain.newDelegated()
    for (const [signatureType, other] of [
      ['ecdsa', 'eip712'],
      ['eip712', 'ecdsa'],
    ] as const) {
      const { intent } = await signIntent(account, [batch(pay())], { signatureType })
      for (const unknown of ['', 'rsa', 'ECDSA', 'ecdsa ']) {
        expect(await revertOf(account, { ...intent, signatureType: unknown })).to.deep.equal({
          name: 'InvalidSignatureType',
          args: [unknown],
        })
      }
      expect((await revertOf(account, { ...intent, signatureType: other }))?.name).to.equal('InvalidSignature')
    }
  })

  it('refuses what another account signed', async () => {
    const [account, other] = [await chain.newDelegated(), await chain.newDelegated()]
    const { intent } = await signIntent(other, [batch(pay())])
    expect(await revertOf(account, intent)).to.deep.equal({
      name: 'InvalidSignature',
      args: ['ecdsa', other.address, account.address],
    })
  })

  it('runs nothing in its own name, for which nobody has a key', async () => {
    const { intent } = await signIntent(await chain.newDelegated(), [batch(pay())])
    expect((await revertOf({ address: chain.delegate }, intent))?.name).to.equal('InvalidSignature')
  })

  it('undoes everything when a call fails, and tells which and why', async () => {
    const account = await chain.newDelegated()
    const to = newRecipient()
    const { intent, digest } = await signIntent(account, [batch(pay(to)), batch(pay(to), pay(to, 1_000n))])
    const revert = (await revertOf(account, intent))!
    expect(revert.name).to.equal('CallReverted')
    const [at, target, value, data, reason] = revert.args as [Hex, Hex, bigint, Hex, Hex]
    expect([at, target.toLowerCase(), value]).to.deep.equal([account.address, chain.usd, 0n])
    expect(data).to.equal(pay(to, 1_000n).data)
    expect(decodeRevert(reason)).to.deep.equal({
      name: 'ERC20InsufficientBalance',
      args: [account.address, 98n, 1_000n],
    })
    expect((await execute(account, intent)).status).to.equal('reverted')
    expect(await chain.balanceOf(chain.usd, to)).to.equal(0n)
    for (const index of [0, 1]) {
      expect(await chain.isProcessed(account.address, batchId(digest, index))).to.equal(false)
    }
  })

  it('pays native currency, its own or what comes along', async () => {
    const account = await chain.newDelegated()
    const to = newRecipient()
    const { intent } = await signIntent(account, [batch({ to, value: 5n, data: '0x' })])
    expect((await revertOf(account, intent))?.name).to.equal('CallReverted')
    expect((await execute(account, intent, 7n)).status).to.equal('success')
    expect(await chain.reader.getBalance({ address: to })).to.equal(5n)
    expect(await chain.reader.getBalance({ address: account.address })).to.equal(2n)
    expect((await chain.send(stranger, { to: account.address, value: 1n })).status).to.equal('success')
  })

  it('can’t be made to run a batch twice from inside of it', async () => {
    const account = await chain.newDelegated()
    const token = await chain.deploy('ReentrantToken')
    const abi = chain.abiOf('ReentrantToken')
    await chain.deployer.call(token, abi, 'mint', [account.address, 10n])
    const to = newRecipient()
    const { intent } = await signIntent(account, [batch(tokenCall(token, to, 1n))])
    await chain.deployer.call(token, abi, 'arm', [account.address, executeData(intent)])
    expect((await execute(account, intent)).status).to.equal('success')
    expect(await chain.balanceOf(token, to)).to.equal(1n)
    expect(await chain.reader.readContract({ address: token, abi, functionName: 'succeeded' })).to.equal(false)
  })

  it('runs another signed intent from inside of one, each once', async () => {
    const account = await chain.newDelegated()
    const to = newRecipient()
    const inner = await signIntent(account, [batch(pay(to, 1n))])
    const call = { to: account.address, value: 0n, data: executeData(inner.intent) }
    const outer = await signIntent(account, [batch(call, pay(to, 2n))])
    const receipt = await execute(account, outer.intent)
    expect(executedIn(receipt).map(({ id }) => id)).to.deep.equal([batchId(inner.digest, 0), batchId(outer.digest, 0)])
    expect(await chain.balanceOf(chain.usd, to)).to.equal(3n)
    for (const { intent } of [inner, outer]) {
      expect((await revertOf(account, intent))?.name).to.equal('DuplicateChainBatch')
    }
  })

  it('lets nobody but the account call selfExecute', async () => {
    const account = await chain.newDelegated()
    const to = newRecipient()
    const data = encodeFunctionData({ abi: delegateAbi, functionName: 'selfExecute', args: [[pay(to, 4n)]] })
    for (const from of [stranger.address, operator.address, native]) {
      expect(await chain.revertOf(from, account.address, data)).to.deep.equal({ name: 'OnlySelf', args: [from] })
    }
    // From the account itself: in a transaction of its own, and as a call that it signed.
    expect(await chain.revertOf(account.address, account.address, data)).to.equal(null)
    const { intent } = await signIntent(account, [batch({ to: account.address, value: 0n, data })])
    expect((await execute(account, intent)).status).to.equal('success')
    expect(await chain.balanceOf(chain.usd, to)).to.equal(4n)
  })
})
