import { expect } from 'chai'
import { parseUnits } from 'viem'
import { ConfigurationRefused } from '../../server/start/configurationRefused.js'
import { createApi } from '../support/api.js'
import { bundleScene } from '../support/bundleScene.js'
import { balanceOf, newUser } from '../support/wallets.js'

describe('a token that is taken out of the configuration', () => {
  const scene = bundleScene()

  it('keeps the service from starting while a step waits to pay it, is paid once when it is back, and changes nothing of that when it is gone again', async () => {
    const { b, usd } = scene
    const [user, friend] = [newUser(), newUser()]
    const asked = await scene.askOncePaid([{ user, intent: await scene.acrossChains(user, friend.address) }])
    const [{ actionId }] = asked as [(typeof asked)[number]]
    const without = scene.changedChains((chain, index) => {
      if (index === 1) chain.tokens = chain.tokens.filter((token) => (token as { id: string }).id !== 'usd')
    })
    const refused = await scene.withService(without, async () => 'started').catch((reason: unknown) => reason)
    expect(refused).to.be.instanceOf(ConfigurationRefused)
    expect((refused as Error).message).to.match(/token 0x\w+ of chain \d+ is named no more, with 1 steps/)
    await scene.withService({}, async (service) => {
      const [ended] = await scene.ends(service, asked, 1)
      expect(ended.status, JSON.stringify(ended)).to.equal('success')
    })
    await scene.withService(without, async (service) => {
      const api = createApi(service.url!)
      for (const step of [0, 1]) {
        const again = await api.execute(actionId, 0, step)
        expect([again.status, again.body.status]).to.deep.equal([200, 'success'])
      }
    })
    expect(await balanceOf(b(), usd(b()), friend.address)).to.equal(parseUnits('3', 18))
    expect(await balanceOf(b(), usd(b()), user.address)).to.equal(parseUnits('7', 18))
  }).timeout(90_000)
})
