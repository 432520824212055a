import { expect } from 'chai'
import { type Hash, parseUnits } from 'viem'
import { createApi } from '../support/api.js'
import { bundleScene } from '../support/bundleScene.js'
import { balanceOf, fund, newUser, onDemandIntent, sendFrom, transferData } from '../support/wallets.js'

describe('payouts that follow a payout', function () {
  this.timeout(60_000)
  const scene = bundleScene()
  const { a, b, usd } = scene
  const actions = 8

  it('are all paid, whatever transaction the ones before them have shared', async () => {
    const user = newUser()
    const amount = parseUnits('10', 6)
    await fund(a(), user.address, { usd: BigInt(actions) * amount, native: parseUnits('1', 18) })
    const payment = {
      chainId: a().chainId,
      tokenTransfers: [{ from: user.address, to: a().vault, token: usd(), amount }],
    }
    const payout = (units: string) => ({
      chainId: b().chainId,
      tokenTransfers: [{ from: 'solver' as const, to: user.address, token: usd(b()), amount: parseUnits(units, 18) }],
    })
    await scene.emptyDatabase()
    const actionIds = await scene.withService({}, async ({ url }) => {
      const api = createApi(url!)
      const created: string[] = []
      for (let left = actions; left > 0; left--) {
        const intents = [onDemandIntent([payment, payout('4'), payout('6')])]
        const { actionId } = (await api.post('/actions', { user: user.address, intents })).body
        const hash = await sendFrom(a(), user, { to: usd(), data: transferData(a().vault, amount) })
        const paid = await api.execute(actionId, 0, 0, { action: 'register', hash })
        expect(paid.body.status, JSON.stringify(paid.body)).to.equal('success')
        created.push(actionId)
      }
      return created
    })
    const asked = actionIds.map((actionId) => ({ user, actionId }))
    for (const stepIndex of [1, 2]) {
      await scene.throughApi({}, async (api) => {
        for (const actionId of actionIds) await api.execute(actionId, 0, stepIndex, undefined, 0)
      })
      await scene.withService({}, async (service) => {
        const steps = await scene.ends(service, asked, stepIndex)
        for (const step of steps) expect(step.status, JSON.stringify(step)).to.equal('success')
        expect(new Set(steps.map(({ transactionHash }) => transactionHash as Hash)).size).to.equal(1)
      })
    }
    expect(await balanceOf(b(), usd(b()), user.address)).to.equal(BigInt(actions) * parseUnits('10', 18))
  })
})
