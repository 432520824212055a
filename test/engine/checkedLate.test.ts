import { expect } from 'chai'
import { bundleScene } from '../support/bundleScene.js'
import { useFaultyNode } from '../support/useFaultyNode.js'
import { pause } from '../support/pause.js'
import { newUser } from '../support/wallets.js'

/** A payout that was asked for so long ago would wait for half a minute if it were held for an operator. */
const askedForAgoMs = 600_000
/** Longer than a payout waits for the lanes to be checked. */
const silentForMs = 2_500

describe('a payout whose process starts while another chain is silent', function () {
  this.timeout(90_000)
  const scene = bundleScene()
  const node = useFaultyNode(() => scene.a().rpcUrls[0]!)

  it('is paid as soon as that chain’s lanes are checked, however long ago it was asked for', async () => {
    const user = newUser()
    const asked = await scene.askOncePaid([{ user, intent: await scene.acrossChains(user, newUser().address) }])
    await scene.withService({ ROLE: 'api' }, async ({ database }) => {
      const ago = Date.now() - askedForAgoMs
      await database.knex('steps').where({ status: 'executing' }).update({ updated_at: ago })
    })
    node.behave({ kind: 'silence' })
    const behindNode = scene.changedChains((chain, index) => {
      if (index === 0) chain.rpcUrls = [node.url]
    })
    await scene.withService(behindNode, async (service) => {
      await pause(silentForMs)
      const [waiting] = await scene.views(service, asked, 1)
      expect(waiting.status).to.equal('executing')
      node.behave({ kind: 'pass' })
      const [paid] = await scene.ends(service, asked, 1)
      expect(paid.status, JSON.stringify(paid)).to.equal('success')
    })
  })
})
