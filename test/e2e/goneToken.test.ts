import { expect } from 'chai'
import { parseUnits } from 'viem'
import { createApi } from '../support/api.js'
import { bundleScene } from '../support/bundleScene.js'
import { balanceOf, newUser } from '../support/wallets.js'

describe('a token that is taken out of the configuration', () => {
  const scene = bundleScene()

  it('ends what waits to pay it, is refused to who asks, changes nothing of what is done, and is paid once when it is back', async () => {
    const { b, usd } = scene
    const [user, friend] = [newUser(), newUser()]
    const asked = await scene.askOncePaid([{ user, intent: await scene.acrossChains(user, friend.address) }])
    const [{ actionId }] = asked as [(typeof asked)[number]]
    const without = scene.changedChains((chain, index) => {
      if (index === 1) chain.tokens = chain.tokens.filter((token) => (token as { id: string }).id !== 'usd')
    })
    await scene.withService(without, async (service) => {
      const api = createApi(service.url!)
      const [ended] = await scene.ends(service, asked, 1)
      expect(ended.error).to.include({ code: 'solver_liquidity', retryable: true })
      expect(ended.error.message).to.contain('not configured')
      const refused = await api.execute(actionId, 0, 1)
      expect([refused.status, refused.body.error.code]).to.deep.equal([400, 'token_unsupported'])
      const done = await api.execute(actionId, 0, 0)
      expect([done.status, done.body.status]).to.deep.equal([200, 'success'])
    })
    await scene.withService({}, async (service) => {
      const api = createApi(service.url!)
      const paid = await api.execute(actionId, 0, 1)
      expect(paid.body.status, JSON.stringify(paid.body)).to.equal('success')
    })
    await scene.withService(without, async (service) => {
      const again = await createApi(service.url!).execute(actionId, 0, 1)
      expect([again.status, again.body.status]).to.deep.equal([200, 'success'])
    })
    expect(await balanceOf(b(), usd(b()), friend.address)).to.equal(parseUnits('3', 18))
    expect(await balanceOf(b(), usd(b()), user.address)).to.equal(parseUnits('7', 18))
  }).timeout(90_000)
})
