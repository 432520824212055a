import { expect } from 'chai'
import { concatHex, getAddress, type Hex } from 'viem'
import { chainBatchId, intentDigest } from '../../sdk/src/signing.js'
import { executedTopic } from '../../server/chain/contracts.js'
import { devAccount } from '../../server/devnet/accounts.js'
import { createDeployer } from '../../server/devnet/deployContracts.js'
import { createApi } from '../support/api.js'
import { initCodeOf } from '../support/attackScene.js'
import { bundleScene } from '../support/bundleScene.js'
import { until } from '../support/until.js'
import { balanceOf, fund, newUser, sendFrom, signedIntent, transferData } from '../support/wallets.js'

/** An account that has other code than the delegate's, which says that it has run the batch, and has not. */
describe('an account that says it has run what it has not', function () {
  this.timeout(60_000)
  const scene = bundleScene()
  const { a, usd } = scene

  /** Code that logs, as the delegate would, that this batch was run. */
  const saysItRan = (batchId: Hex): Hex =>
    concatHex(['0x7f', batchId, '0x7f', executedTopic, '0x5f5fa2', '0x60015f5260205ff3'])
  const delegatedTo = (code: Hex): Hex => concatHex(['0xef0100', code])

  /** A user who declares that a merchant gets 500 of his dollars, and code for his account that says so. */
  async function deceiver(exp: number) {
    const [user, merchant, liar] = [newUser(), newUser().address, newUser().address]
    await fund(a(), user.address, { usd: 1_000n, native: 10n ** 18n })
    const paid = { from: user.address, to: merchant, token: usd(), amount: 500n }
    const calls = [{ to: usd(), value: 0n, data: transferData(merchant, 500n) }]
    const chainBatches = [{ chainId: a().chainId, tokenTransfers: [paid], calls }]
    const intent = await signedIntent(user, chainBatches, { exp })
    const digest = intentDigest({ signatureType: 'eip712', nbf: 0, exp, chainBatches })
    await scene.setCode(liar, saysItRan(chainBatchId(digest, 0)))
    return { user, merchant, liar, intent }
  }

  /**
   * A step of an account under the delegate; something is changed between its simulation and the block that it is in.
   */
  async function withChangeBeforeMined(
    user: ReturnType<typeof newUser>,
    intent: object,
    change: () => Promise<unknown>,
    look: (step: Ended, api: ReturnType<typeof createApi>) => Promise<void>,
  ): Promise<void> {
    await scene.setCode(user.address, delegatedTo(a().delegates[0]!))
    await scene.emptyDatabase()
    await scene.withService({}, async (service) => {
      const api = createApi(service.url!)
      const { body } = await api.post('/actions', { user: user.address, chainAuthorizations: [], intents: [intent] })
      await scene.automine(false)
      await api.execute(body.actionId, 0, 0, undefined, 0)
      await scene.sent(service)
      await change()
      await scene.mine()
      await scene.automine(true)
      const [step] = await scene.ends(service, [{ user, actionId: body.actionId }])
      await look(step, api)
    })
  }

  it('has no success when the intent has expired before it was asked for', async () => {
    const exp = Math.floor(Date.now() / 1000) + 6
    const { user, merchant, liar, intent } = await deceiver(exp)
    await scene.setCode(user.address, delegatedTo(liar))
    await scene.emptyDatabase()
    await scene.withService({}, async (service) => {
      const api = createApi(service.url!)
      const { body } = await api.post('/actions', { user: user.address, chainAuthorizations: [], intents: [intent] })
      await sendFrom(a(), user, { to: user.address, data: '0x' })
      await until(() => Date.now() > (exp + 2) * 1_000, 'the end of the intent', 20_000, 200)
      await scene.mine()
      await api.execute(body.actionId, 0, 0, undefined, 0)
      const [step] = await scene.ends(service, [{ user, actionId: body.actionId }])
      expect(step).to.include({ status: 'error' })
      expect(step.error).to.include({ code: 'transfer_mismatch', retryable: false })
      expect(await balanceOf(a(), usd(), merchant)).to.equal(0n)
    })
  })

  it('has no success when it gets that code before the transaction is mined', async () => {
    const { user, merchant, liar, intent } = await deceiver(Math.floor(Date.now() / 1000) + 3_600)
    const change = () => scene.setCode(user.address, delegatedTo(liar))
    await withChangeBeforeMined(user, intent, change, async (step) => {
      expect(step.error).to.include({ code: 'transfer_mismatch', retryable: false })
      expect(step.error.message).to.include(`The transfer of 500 of ${getAddress(usd())} from`, 'names what is missing')
      expect(await balanceOf(a(), usd(), merchant)).to.equal(0n)
    })
  })

  it('has not done all that it declares, though it is the delegate’s: what it has paid the vault is credit once reported', async () => {
    const [user, payer, friend] = [newUser(), newUser().address, newUser().address]
    await fund(a(), user.address, { usd: 100n, native: 10n ** 18n })
    await fund(a(), payer, { usd: 40n })
    // Pays the friend when it is called, and minds no failure.
    const data = transferData(friend, 40n).slice(2).padEnd(192, '0')
    const words = [data.slice(0, 64), data.slice(64, 128), data.slice(128)]
    const stored = words.map((word, index) => `7f${word}60${(32 * index).toString(16).padStart(2, '0')}52`).join('')
    await scene.setCode(payer, `0x${stored}5f5f60445f5f73${usd().slice(2)}5af15000`)
    const tokenTransfers = [
      { from: user.address, to: a().vault, token: usd(), amount: 100n },
      { from: payer, to: friend, token: usd(), amount: 40n },
    ]
    const calls = [
      { to: usd(), value: 0n, data: transferData(a().vault, 100n) },
      { to: payer, value: 0n, data: '0x' as const },
    ]
    const intent = await signedIntent(user, [{ chainId: a().chainId, tokenTransfers, calls }])
    const change = () => scene.setCode(payer, '0x00')
    await withChangeBeforeMined(user, intent, change, async (step, api) => {
      expect(step.error).to.include({ code: 'transfer_mismatch', retryable: false })
      expect(step.error.message).to.include('The transfer of 40 of').and.include('POST /coredeposit')
      const parties = { user: user.address, sender: user.address, tokenAddress: usd() }
      const deposit = { ...parties, txHash: step.transactionHash, chainId: a().chainId, amount: '100' }
      expect((await api.post('/coredeposit', deposit)).status).to.equal(200)
      const { tokens } = (await api.get(`/coredeposit/${user.address}`)).body.data
      expect(tokens[0]).to.include({ available: '100' })
    })
  })

  it('has been paid without having run, for a service that has forgotten the payout as for the one that made it', async () => {
    const [user, friend] = [newUser(), newUser().address]
    await fund(a(), user.address, { usd: 1_000n, native: 10n ** 18n })
    const pretender = await createDeployer(a().rpcUrls[0]!, devAccount(6)).deploy(initCodeOf('Pretender'))
    const txHash = await sendFrom(a(), user, { to: usd(), data: transferData(a().vault, 100n) })
    const tokenTransfers = [{ from: 'solver' as const, to: user.address, token: usd(), amount: 100n }]
    const calls = [{ to: usd(), value: 0n, data: transferData(friend, 50n) }]
    const intent = await signedIntent(user, [{ chainId: a().chainId, tokenTransfers, calls }])
    for (const isForgotten of [false, true]) {
      await scene.setCode(user.address, delegatedTo(a().delegates[0]!))
      await scene.emptyDatabase()
      await scene.withService({}, async (service) => {
        const api = createApi(service.url!)
        const parties = { user: user.address, sender: user.address, tokenAddress: usd() }
        const deposit = { ...parties, txHash, chainId: a().chainId, amount: '100' }
        await until(async () => (await api.post('/coredeposit', deposit)).status === 200, 'the deposit')
        const { body } = await api.post('/actions', { user: user.address, chainAuthorizations: [], intents: [intent] })
        if (!isForgotten) await scene.automine(false)
        await api.execute(body.actionId, 0, 0, undefined, 0)
        if (!isForgotten) {
          await scene.sent(service)
          await scene.setCode(user.address, delegatedTo(pretender))
          await scene.mine()
          await scene.automine(true)
        }
        const [step] = await scene.ends(service, [{ user, actionId: body.actionId }])
        expect(step).to.include({ status: 'error' })
        expect(step.error).to.include({ code: 'batch_not_executed', retryable: false })
        const { tokens } = (await api.get(`/coredeposit/${user.address}`)).body.data
        expect(tokens[0], 'the credit is spent').to.include({ available: '0', reserved: '0' })
        expect(await balanceOf(a(), usd(), friend)).to.equal(0n)
      })
    }
  })
})

type Ended = Awaited<ReturnType<ReturnType<typeof bundleScene>['ends']>>[number]
