import { expect } from 'chai'
import { toHex } from 'viem'
import { devAccount } from '../../server/devnet/accounts.js'
import { until } from '../support/until.js'
import { ask, confirmations, type FaultWorld, mine, type PaidAction, startFaultWorld } from './faultWorld.js'

const operator = devAccount(1).address.toLowerCase()
/** Longer than the lanes rest between two checks. */
const nextCheckMs = 31_000

describe('a lane whose next nonce is not the chain’s', () => {
  let world: FaultWorld

  beforeEach(async () => {
    world = await startFaultWorld()
  })
  afterEach(() => world.stop())

  const payout = (action: PaidAction) => world.step(action.actionId, 1)
  const lanes = () => world.database().knex('lanes').where({ chain_id: world.b.chainId, signer: operator })

  const isFilled = async (nonce: number) =>
    (await world.database().knex('transactions').where({ chain_id: world.b.chainId, nonce }).first('id')) !== undefined

  it('since it began above has the gap filled after two checks, and then goes on', async function () {
    this.timeout(90_000)
    await until(() => lanes().first(), 'the lane')
    await lanes().update({ next_nonce: 1 })
    const action = await startPayout()
    await mine(world.b, confirmations)
    expect(await payout(action), 'before the checks').to.include({ status: 'executing', confirmations: 0 })
    await letChecksPass(() => isFilled(0))
    await until(async () => (await payout(action)).confirmations > 0, 'the payout behind the gap')
    await mine(world.b, confirmations)
    await until(async () => (await payout(action)).status === 'success', 'the payout')
    expect(await world.payoutTo(action)).to.equal(action.gets)
    world.setClockAhead(0)
    await world.expectLanesToWork()
  })

  for (const behind of [1, 3]) {
    it(`that fell ${behind} behind does not jam silently, nor pay what it has not signed`, async function () {
      this.timeout(90_000)
      await world.expectLanesToWork()
      const { next_nonce } = (await lanes().first()) as { next_nonce: number }
      await ask(world.b, 'anvil_setNonce', operator, toHex(next_nonce + behind))
      // Were the next check to come before the payout is signed, it would not be.
      const action = await startPayout(() => isFound(['lane_paused']))
      await letChecksPass(() => isFound(behind > 1 ? ['lane_paused'] : ['lane_paused', 'transactions_stuck']))
      await mine(world.b, confirmations)
      expect([0n, action.gets]).to.include(await world.payoutTo(action))
      await world.expectBooksToBalance()
    })
  }

  async function startPayout(isKept = () => Promise.resolve(false)): Promise<PaidAction> {
    const action = await world.makePaidAction()
    await mine(world.a, confirmations)
    await until(async () => (await payout(action)).transactionHash || (await isKept()), 'the payout to be signed')
    return action
  }

  /** Lets the clock run so fast that one check comes after the other. */
  async function letChecksPass(condition: () => Promise<boolean>): Promise<void> {
    let ahead = 0
    await until(
      () => {
        world.setClockAhead((ahead += nextCheckMs))
        return condition()
      },
      'what the checks of the lanes lead to',
      40_000,
    )
  }

  async function isFound(codes: string[]): Promise<boolean> {
    const { findings } = (await world.api().get('/health')).body.data as {
      findings: { code: string; chainId: number }[]
    }
    return findings.some(({ chainId, code }) => chainId === world.b.chainId && codes.includes(code))
  }
})
