import { expect } from 'chai'
import { createWalletClient, http } from 'viem'
import { bundleScene } from '../support/bundleScene.js'
import { fund } from '../support/wallets.js'

describe('an authorization that has lost its nonce when its transaction is mined', () => {
  const scene = bundleScene()
  const { a } = scene

  it('is told as such where the step goes by itself, and nothing is spent', async () => {
    const [user] = await scene.users(1)
    await fund(a(), user!.address, { native: 10n ** 18n })
    const asked = await scene.ask([{ user: user!, intent: await scene.intentOf(user!, [scene.payVault(7n)]) }])
    await scene.automine(false)
    await scene.withService({ BUNDLE_MAX_STEPS: '1' }, async (service) => {
      const sent = await scene.sent(service)
      await scene.overtake(sent, async () => {
        const wallet = createWalletClient({ account: user!, transport: http(a().rpcUrls[0]) })
        await wallet.sendTransaction({
          chain: null,
          to: user!.address,
          gas: 21_000n,
          maxFeePerGas: 10n ** 12n,
          maxPriorityFeePerGas: 10n ** 11n,
        })
      })
      await scene.automine(true)
      const [ended] = await scene.ends(service, asked)
      expect(ended).to.include({ status: 'error', transactionHash: sent.hash, confirmations: 1 })
      expect(ended!.error).to.deep.include({ code: 'account_not_delegated', retryable: true })
    })
  })
})
