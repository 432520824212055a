import { join } from 'node:path'
import { expect } from 'chai'
import { devAccount } from '../../server/devnet/accounts.js'
import { until } from '../support/until.js'
import { ask, confirmations, type FaultWorld, mine, type PaidAction, startFaultWorld } from './faultWorld.js'

const operator = devAccount(1).address.toLowerCase()

describe('a database that was restored from a copy older than the chain', () => {
  let world: FaultWorld

  before(async () => {
    world = await startFaultWorld({ sqlite: true })
  })
  after(() => world.stop())

  it('pauses its lanes before anything is signed, says so, and pays nothing twice', async function () {
    this.timeout(120_000)
    const copy = join(world.folder, 'copy.sqlite')
    const old = await finish(await world.makePaidAction())
    // The copy knows the payment of this one and not its payout; of the next it knows nothing.
    const half = await world.makePaidAction()
    await world.database().knex.raw('VACUUM INTO ?', [copy])
    await finish(half)
    const lost = await finish(await world.makePaidAction())
    const paid = await Promise.all([old, half, lost].map(world.payoutTo))
    expect(paid).to.deep.equal([old, half, lost].map(({ gets }) => gets))
    const nonce = await ask(world.b, 'eth_getTransactionCount', operator, 'latest')
    await world.stopService()

    await world.start(`sqlite:${copy}`)
    const findings = await until(async () => {
      const { data } = (await world.api().get('/health')).body
      return data.findings.length > 0 && (data.findings as { code: string; chainId: number; message: string }[])
    }, 'a finding')
    expect(findings[0]).to.include({ code: 'lane_paused', chainId: world.b.chainId })
    expect(findings[0]!.message).to.include('the database is older than the chain')
    await until(
      async () => (await world.step(half.actionId, 1)).status === 'success',
      'the payout that the copy does not know to be found on the chain',
    )
    expect(await world.payoutTo(half)).to.equal(half.gets)

    // What comes now waits for an operator; nothing of it is signed.
    const next = await world.makePaidAction()
    await mine(world.a, confirmations)
    await until(async () => (await world.step(next.actionId, 0)).status === 'success', 'the payment')
    await until(async () => (await world.step(next.actionId, 1)).status === 'executing', 'the payout to be asked for')
    await mine(world.b, confirmations)
    expect(await world.step(next.actionId, 1)).to.include({ status: 'executing', transactionHash: null })
    expect(await ask(world.b, 'eth_getTransactionCount', operator, 'pending')).to.equal(nonce)
    const paidNow = await Promise.all([old, half, lost].map(world.payoutTo))
    expect(paidNow).to.deep.equal(paid)
    expect(await world.payoutTo(next)).to.equal(0n)
  })

  async function finish(action: PaidAction): Promise<PaidAction> {
    await mine(world.a, confirmations)
    await until(async () => (await world.step(action.actionId, 1)).confirmations > 0, 'the payout to be mined')
    await mine(world.b, confirmations)
    await until(async () => (await world.step(action.actionId, 1)).status === 'success', 'the payout')
    return action
  }
})
