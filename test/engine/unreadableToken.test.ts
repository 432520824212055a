import { expect } from 'chai'
import { type Hex, toEventSelector } from 'viem'
import type { TokenConfig } from '../../server/domain/chainConfig.js'
import { bundleScene } from '../support/bundleScene.js'
import { newUser, tokenOf, transferData } from '../support/wallets.js'

/** Logs a transfer of the amount to whom it names, whatever it is asked; but balanceOf, which reverts. */
function withoutBalances(): Hex {
  const topic = toEventSelector('Transfer(address,address,uint256)').slice(2)
  const code = (jump: string) =>
    `5f3560e01c6370a082311460${jump}576024355f52600435337f${topic}60205fa360015f5260205ff35b5f5ffd`
  const jump = (code('00').length - 8) / 2
  return `0x${code(jump.toString(16).padStart(2, '0'))}`
}

describe('a configured token that does not say what anyone has of it', () => {
  const scene = bundleScene()

  for (const most of ['20', '1']) {
    describe(`with ${most} to a transaction`, () => {
      it('gives no credit, and costs the steps of others nothing', async () => {
        const { a } = scene
        const weth = tokenOf(a(), 'weth').address
        const honest = await scene.users(3)
        const payer = newUser()
        const wanted = []
        for (const user of honest) wanted.push({ user, intent: await scene.intentOf(user, [scene.payVault(7n)]) })
        const call = { to: weth, value: 0n, data: transferData(a().vault, 5n) }
        wanted.push({ user: payer, intent: await scene.intentOf(payer, [call]) })
        const asked = await scene.ask(wanted)
        const code = await scene.codeOf(weth)
        await scene.setCode(weth, withoutBalances())
        // It answers 1 to whatever it is asked, and a start compares the chains file with that.
        const chains = scene.changedChains((chain, index) => {
          const token = (chain.tokens as TokenConfig[]).find(({ address }) => address === weth)
          if (index === 0) token!.decimals = 1
        })
        await scene.withService({ ...chains, BUNDLE_MAX_STEPS: most }, async (service) => {
          const ended = await scene.ends(service, asked)
          expect(ended.map(({ status }) => status)).to.deep.equal(asked.map(() => 'success'))
          expect(await scene.transactions(service)).to.have.length(most === '1' ? 4 : 1)
          for (const { address } of honest) expect(await scene.availableOf(service, address)).to.equal('7')
          const booked = await service.database.knex('credits').where({ user: payer.address })
          expect(booked).to.deep.equal([])
          const taken = await service.database.knex('steps').whereNotNull('open_account')
          expect(taken).to.deep.equal([])
        })
        await scene.setCode(weth, code)
      })
    })
  }
})
