import { expect } from 'chai'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { readKnownDeployment } from '../../server/start/knownDeployment.js'
import { rememberAddresses } from '../../server/store/knownAddresses.js'
import { randomAddress, stepOf, usdOn1 } from '../support/builders.js'
import { moneyScene, need } from '../store/money/moneyScene.js'

describe('a token that something on another chain is to be paid for with', () => {
  const scene = moneyScene()

  it('may not be dropped until the credit is set aside', async () => {
    const vault = randomAddress()
    const named = [1, 2].map((chainId) => ({ chainId, vault, tokens: [] }) as unknown as ChainConfig)
    const token = { chainId: 1, kind: 'token', address: usdOn1 } as const
    await rememberAddresses(scene.database, { named: [token], dropped: [] })
    const refused = async (chains = named) =>
      (await readKnownDeployment(scene.database, chains)).refused.map(({ kind, what }) => `${kind}: ${what}`)
    expect(await refused()).to.deep.equal([])

    const entry = await scene.paidAction(randomAddress(), 100n)
    const payout = stepOf(entry, 0, 1)
    // As one that waits for its chain.
    await scene.ask(payout)
    const [ofToken] = await refused()
    expect(ofToken).to.match(/^token: .* and 1 steps on other chains that credit on it may pay for$/)
    const [ofChain] = await refused([named[1]!])
    expect(ofChain).to.match(/^chain: .* and 1 steps on other chains that credit on it may pay for$/)

    await scene.database.knex('steps').where({ action_id: payout.actionId, step_index: 1 }).update({ status: 'error' })
    expect(await refused()).to.deep.equal([])
    await scene.ask(payout, { needs: [need(100n)] })
    expect(await refused()).to.deep.equal([])
  })
})
