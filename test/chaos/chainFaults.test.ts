import { expect } from 'chai'
import { encodeFunctionData, type Hash, parseUnits, toHex } from 'viem'
import { devTokenAbi, solverVaultAbi } from '../../server/chain/generated/contracts.js'
import { devAccount } from '../../server/devnet/accounts.js'
import { until } from '../support/until.js'
import { balanceOf, sendFrom } from '../support/wallets.js'
import { ask, confirmations, type FaultWorld, mine, type PaidAction, startFaultWorld } from './faultWorld.js'

const operator = devAccount(1).address
const gwei = (amount: number) => toHex(BigInt(amount) * 10n ** 9n)

/** The chain loses, refuses or prices out what the service sends, or the solver has run out of something. */
describe('a service whose chain or purse fails it', () => {
  let world: FaultWorld

  before(async () => {
    world = await startFaultWorld()
  })
  after(() => world.stop())
  afterEach(async function () {
    this.timeout(60_000)
    await ask(world.b, 'evm_setAutomine', true)
    await world.expectLanesToWork()
  })

  const payout = (action: PaidAction) => world.step(action.actionId, 1)

  /** Actions whose payments are final and whose payouts are signed. */
  async function startPayouts(count: number): Promise<PaidAction[]> {
    const actions: PaidAction[] = []
    for (let index = 0; index < count; index++) actions.push(await world.makePaidAction())
    await mine(world.a, confirmations)
    for (const action of actions) await until(async () => (await payout(action)).transactionHash, 'the payout')
    return actions
  }

  async function expectEachPaidOnce(actions: readonly PaidAction[]): Promise<void> {
    for (const action of actions) {
      await until(
        async () => {
          const { status, confirmations: depth, transactionHash } = await payout(action)
          if (depth > 0 || (transactionHash && (await inPool(transactionHash)))) await mine(world.b, 1)
          return status === 'success'
        },
        'the payout to be final',
        30_000,
      )
      expect(await world.payoutTo(action)).to.equal(action.gets)
    }
    await world.expectBooksToBalance()
  }

  async function findings(): Promise<{ code: string; chainId: number; message: string }[]> {
    return (await world.api().get('/health')).body.data.findings
  }

  it('sends again what nodes have dropped, the lowest nonce and all that wait behind it', async function () {
    this.timeout(90_000)
    await ask(world.b, 'evm_setAutomine', false)
    const actions = await startPayouts(4)
    for (const at of [0, 2]) {
      const { transactionHash } = await payout(actions[at]!)
      await until(() => inPool(transactionHash), 'the payout to be in the pool')
      await ask(world.b, 'anvil_dropTransaction', transactionHash)
    }
    await expectEachPaidOnce(actions)
  })

  it('follows base fees that rise time after time, and waits where they rise above its cap', async function () {
    this.timeout(90_000)
    await ask(world.b, 'evm_setAutomine', false)
    const actions = await startPayouts(2)
    const hashesNow = () => Promise.all(actions.map(async (action) => (await payout(action)).transactionHash))
    for (const price of [30, 120]) {
      const before = await hashesNow()
      await ask(world.b, 'anvil_setNextBlockBaseFeePerGas', gwei(price))
      await mine(world.b, 1)
      // Of the lowest nonce, whichever of them has it; the other one waits for it.
      await until(async () => (await hashesNow()).some((hash, at) => hash !== before[at]), 'a replacement')
    }
    await ask(world.b, 'anvil_setNextBlockBaseFeePerGas', gwei(700))
    await mine(world.b, 1)
    const isStuck = async () => (await findings()).some(({ code }) => code === 'transactions_stuck')
    await until(isStuck, 'a finding', 40_000)
    for (const action of actions) expect(await payout(action)).to.include({ status: 'executing', confirmations: 0 })
    // At the cap nothing is signed any more; what nodes have thrown out meanwhile has to come from the journal again.
    // One transaction if they share a bundle, and none while a bundle that was replaced too often is being given up.
    const sent = new Set((await hashesNow()).filter((hash) => hash !== null))
    for (const hash of sent) await ask(world.b, 'anvil_dropTransaction', hash)
    await ask(world.b, 'anvil_setNextBlockBaseFeePerGas', gwei(1))
    await mine(world.b, 1)
    await until(async () => {
      const { transactionHash } = await payout(actions[0]!)
      return transactionHash !== null && inPool(transactionHash)
    }, 'the payout to be sent again')
    await expectEachPaidOnce(actions)
  })

  it('waits for an operator without gas to be refilled, says so, and then goes on', async function () {
    this.timeout(90_000)
    await ask(world.b, 'anvil_setBalance', operator, '0x0')
    const actions = await startPayouts(2)
    await until(async () => (await findings()).some(({ code }) => code === 'signer_low_on_gas'), 'a finding')
    await mine(world.b, confirmations)
    for (const action of actions) expect(await payout(action)).to.include({ status: 'executing', confirmations: 0 })
    await ask(world.b, 'anvil_setBalance', operator, toHex(parseUnits('10', 18)))
    await expectEachPaidOnce(actions)
  })

  it('ends steps that the vault has no tokens for as solver_liquidity, and pays when asked again after a refill', async function () {
    this.timeout(90_000)
    const held = await emptyVault()
    const action = await world.makePaidAction()
    await mine(world.a, confirmations)
    const failed = await until(async () => ended(await payout(action)), 'the end of the payout')
    expect(failed.error).to.include({ code: 'solver_liquidity', retryable: true })
    // What was seen a second ago is told, so it may be of before.
    await until(async () => (await findings()).some(({ code }) => code === 'vault_empty'), 'the finding')
    await refillVault(held)
    await world.api().execute(action.actionId, 0, 1, undefined, 0)
    await expectEachPaidOnce([action])
  })

  it('pays once what reverted since the vault was emptied after it was sent', async function () {
    this.timeout(90_000)
    await ask(world.b, 'evm_setAutomine', false)
    const [action] = await startPayouts(1)
    const { transactionHash } = await payout(action!)
    await until(() => inPool(transactionHash), 'the payout to be in the pool')
    await ask(world.b, 'anvil_dropTransaction', transactionHash)
    const held = await emptyVault()
    const failed = await until(
      async () => ended(await payout(action!)) || (await mine(world.b, 1), false),
      'the end of the payout',
    )
    expect(failed).to.include({ status: 'reverted' })
    expect(failed.error).to.include({ code: 'solver_liquidity', retryable: true })
    expect(await world.payoutTo(action!)).to.equal(0n)
    await refillVault(held)
    await world.api().execute(action!.actionId, 0, 1, undefined, 0)
    await expectEachPaidOnce([action!])
  })

  async function inPool(hash: Hash): Promise<boolean> {
    return (await ask(world.b, 'eth_getTransactionByHash', hash)) !== null
  }

  function ended<T extends { status: string }>(view: T): T | false {
    return view.status !== 'executing' && view.status !== 'created' && view
  }

  /** Everything that the vault of chain B holds of the token goes back to its owner. */
  async function emptyVault(): Promise<bigint> {
    const held = await balanceOf(world.b, world.usd.b, world.b.vault)
    const args = [world.usd.b, devAccount(0).address, held] as const
    const data = encodeFunctionData({ abi: solverVaultAbi, functionName: 'withdraw', args })
    await ask(world.b, 'evm_setAutomine', true)
    await sendFrom(world.b, devAccount(0), { to: world.b.vault, data })
    return held
  }

  async function refillVault(amount: bigint): Promise<void> {
    const args = [world.b.vault, amount] as const
    const data = encodeFunctionData({ abi: devTokenAbi, functionName: 'mint', args })
    await sendFrom(world.b, devAccount(0), { to: world.usd.b, data })
  }
})
