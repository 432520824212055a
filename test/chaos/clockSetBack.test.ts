import { copyFileSync } from 'node:fs'
import { expect } from 'chai'
import { until } from '../support/until.js'
import { ask, confirmations, type FaultWorld, mine, type PaidAction, startFaultWorld } from './faultWorld.js'

const hourMs = 3_600_000

describe('a payout that was sent by a clock an hour ahead, which is set right', function () {
  this.timeout(90_000)
  let world: FaultWorld
  beforeEach(async () => {
    world = await startFaultWorld()
  })
  afterEach(() => world.stop())

  const payout = (action: PaidAction) => world.step(action.actionId, 1)

  /** One whose payout lies in the node's pool. */
  async function sent(): Promise<PaidAction> {
    await ask(world.b, 'evm_setAutomine', false)
    const action = await world.makePaidAction()
    world.setClockAhead(hourMs)
    await mine(world.a, confirmations)
    const hash = await until(async () => (await payout(action)).transactionHash, 'the payout to be signed')
    await until(() => ask(world.b, 'eth_getTransactionByHash', hash), 'the payout to be in the pool')
    return action
  }

  async function requirePaid(action: PaidAction): Promise<void> {
    const isPaid = async () => {
      await mine(world.b, 1)
      return (await payout(action)).status === 'success'
    }
    await until(isPaid, 'the payout', 45_000)
    expect(await world.payoutTo(action)).to.equal(action.gets)
  }

  it('is sent again when the node drops it', async () => {
    const action = await sent()
    await ask(world.b, 'anvil_dropTransaction', (await payout(action)).transactionHash)
    world.setClockAhead(0)
    await ask(world.b, 'evm_setAutomine', true)
    await requirePaid(action)
  })

  it('is found where it was mined while the service was stopped', async () => {
    const action = await sent()
    await world.stopService()
    await mine(world.b, 10)
    world.setClockAhead(0)
    // Within one process the same file is refused as in use.
    copyFileSync(`${world.folder}/first.sqlite`, `${world.folder}/second.sqlite`)
    await world.start(`sqlite:${world.folder}/second.sqlite`)
    await ask(world.b, 'evm_setAutomine', true)
    await requirePaid(action)
  })
})
