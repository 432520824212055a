import { expect } from 'chai'
import type { Hash } from 'viem'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { availableOf } from '../support/credit.js'
import { until } from '../support/until.js'
import { ask, confirmations, type FaultWorld, mine, rawOf, startFaultWorld } from './faultWorld.js'

const depths = Array.from({ length: confirmations - 1 }, (_, index) => index + 1)

/** What becomes of a transaction whose block is gone: it is in a later block of the new chain, or nowhere. */
const fates = ['mined again', 'dropped'] as const

for (const depth of depths) {
  for (const fate of fates) {
    describe(`a reorganisation of depth ${depth} of ${confirmations} confirmations (${fate})`, () => {
      let world: FaultWorld

      before(async () => {
        world = await startFaultWorld()
      })
      after(() => world.stop())

      it('under a payout lets it happen once, and calls it a success only when it is final', async function () {
        this.timeout(90_000)
        const { a, b } = world
        const action = await world.makePaidAction()
        await mine(a, confirmations)
        const payout = () => world.step(action.actionId, 1)
        await until(async () => (await payout()).confirmations === 1, 'the payout to be mined')
        const { transactionHash } = await payout()
        await mine(b, depth - 1)
        await until(async () => (await payout()).confirmations === depth, 'the block before the reorganisation')
        await reorganise(b, depth, fate, transactionHash)
        await until(async () => (await payout()).confirmations === 1, 'the payout in its new block')
        await followToFinality(b, async () => (await payout()).transactionHash)
        await world.expectNoSuccessYet(action, 1)
        await mine(b, 1)
        await until(async () => (await payout()).status === 'success', 'the payout')
        expect(await world.payoutTo(action)).to.equal(action.gets)
        await world.expectBooksToBalance()
        await world.expectLanesToWork()
      })

      it('under a payment pays out on it only once it is final on the new chain', async function () {
        this.timeout(90_000)
        const { a, b } = world
        const action = await world.makePaidAction()
        const raw = await rawOf(a, action.payment)
        const payment = () => world.step(action.actionId, 0)
        await until(async () => (await payment()).confirmations === 1, 'the payment to be seen')
        await mine(a, depth - 1)
        await until(async () => (await payment()).confirmations === depth, 'the block before the reorganisation')
        await reorganise(a, depth, fate, action.payment)
        if (fate === 'dropped') {
          await mine(a, 2 * confirmations)
          await until(async () => (await payment()).confirmations === 0, 'the payment to be missed')
          expect((await payment()).status).to.equal('executing')
          expect((await world.step(action.actionId, 1)).transactionHash, 'no payout').to.equal(null)
          await ask(a, 'eth_sendRawTransaction', raw)
        }
        await followToFinality(a, () => Promise.resolve(action.payment))
        await world.expectNoSuccessYet(action, 0)
        expect((await world.step(action.actionId, 1)).transactionHash, 'no payout').to.equal(null)
        await mine(a, 1)
        await until(async () => (await payment()).status === 'success', 'the payment')
        await until(async () => (await world.step(action.actionId, 1)).confirmations > 0, 'the payout to be mined')
        await mine(b, confirmations)
        await until(async () => (await world.step(action.actionId, 1)).status === 'success', 'the payout')
        expect(await world.payoutTo(action)).to.equal(action.gets)
        await world.expectBooksToBalance()
        await world.expectLanesToWork()
      })

      it('under a deposit gives credit for it once, and only while it is there', async function () {
        this.timeout(90_000)
        const { a } = world
        const { user, payment: txHash } = await world.pay(7n)
        const raw = await rawOf(a, txHash)
        const report = () =>
          world.api().post('/coredeposit', {
            ...{ user, sender: user, tokenAddress: world.usd.a, chainId: a.chainId, txHash, amount: '7' },
          })
        const available = () => availableOf(world.api(), user)
        const row = async () =>
          (await world.database().knex('deposits').where({ transaction_hash: txHash }).first()) as
            { confirmations: number; status: string } | undefined
        const reported = report()
        await until(async () => (await row())?.confirmations === 1, 'the deposit to be seen')
        await mine(a, depth - 1)
        await until(async () => (await row())?.confirmations === depth, 'the block before the reorganisation')
        await reorganise(a, depth, fate, txHash)
        if (fate === 'dropped') {
          await mine(a, 2 * confirmations)
          expect((await reported).status).to.equal(202)
          expect(await available()).to.equal('0')
          await ask(a, 'eth_sendRawTransaction', raw)
        }
        await followToFinality(a, () => Promise.resolve(txHash))
        await until(async () => (await row())?.confirmations === confirmations - 1, 'all confirmations but one')
        expect(await row()).to.include({ status: 'pending' })
        expect(await available()).to.equal('0')
        await mine(a, 1)
        await until(async () => (await row())?.status === 'recorded', 'the deposit')
        expect(await available()).to.equal('7')
        expect((await reported).status).to.equal(fate === 'dropped' ? 202 : 200)
        expect((await report()).status, 'reported again').to.equal(200)
        expect(await available()).to.equal('7')
        await world.expectBooksToBalance()
      })
    })
  }
}

/** Replaces the newest blocks; the transaction is in the last of the new ones, or in none. */
async function reorganise(chain: ChainConfig, depth: number, fate: (typeof fates)[number], hash: Hash): Promise<void> {
  const raw = await rawOf(chain, hash)
  await ask(chain, 'anvil_reorg', depth, fate === 'mined again' ? [[raw, depth - 1]] : [])
  if (fate === 'mined again') return
  expect(await ask(chain, 'eth_getTransactionReceipt', hash), 'dropped').to.equal(null)
}

/** Adds blocks until the transaction lacks one of being final. */
async function followToFinality(chain: ChainConfig, hash: () => Promise<Hash>): Promise<void> {
  await until(async () => {
    const receipt = (await ask(chain, 'eth_getTransactionReceipt', await hash())) as { blockNumber: string } | null
    if (!receipt) return mine(chain, 1).then(() => false)
    const depth = Number(await ask(chain, 'eth_blockNumber')) - Number(receipt.blockNumber) + 1
    if (depth < confirmations - 1) await mine(chain, confirmations - 1 - depth)
    return true
  }, 'the transaction to be in a block again')
}
