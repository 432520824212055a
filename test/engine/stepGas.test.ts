import { expect } from 'chai'
import { bundleScene } from '../support/bundleScene.js'
import { formsOf } from '../support/journalForms.js'
import { newUser } from '../support/wallets.js'

describe('a step on a chain that allows one step less gas than a block has', function () {
  this.timeout(60_000)
  const scene = bundleScene()
  const maxStepGas = 2_000_000

  /**
   * The end of a step that calls what burns 26 gas for each of so many rounds, and how many transactions were signed.
   */
  async function burn(rounds: number) {
    const [user] = await scene.users(1)
    const { address: target } = newUser()
    await scene.setCode(target, `0x62${rounds.toString(16).padStart(6, '0')}5b60019003806004575f5f5500`)
    const intent = await scene.intentOf(user!, [{ to: target, value: 0n, data: '0x' }])
    const asked = await scene.ask([{ user: user!, intent }])
    const allowing = scene.changedChains((chain) => Object.assign(chain, { maxStepGas }))
    return scene.withService(allowing, async (service) => {
      const [ended] = await scene.ends(service, asked)
      return { ended, signed: (await formsOf(service)).length }
    })
  }

  it('is carried out up to there', async () => {
    const { ended, signed } = await burn(40_000)
    expect(ended).to.include({ status: 'success', error: null })
    expect(signed).to.equal(1)
  })

  it('ends before anything is signed where its limit would be above that, and tells both', async () => {
    // 1.82 million in the call: it is above two only with the margin.
    const { ended, signed } = await burn(70_000)
    expect(ended).to.include({ status: 'error', transactionHash: null })
    expect(ended.error).to.include({ code: 'gas_limit_exceeded', retryable: true })
    const [limit, allowed] = (/limit of (\d+);.* more than (\d+)/.exec(ended.error!.message) ?? []).slice(1)
    expect(Number(limit)).to.be.within(maxStepGas + 1, 3_000_000)
    expect(allowed).to.equal(String(maxStepGas))
    expect(signed).to.equal(0)
  })
})
