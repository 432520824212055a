import { expect } from 'chai'
import { rpc } from '../../server/devnet/anvil.js'
import { until } from '../support/until.js'
import { useServiceOnChains } from '../support/useTestService.js'
import { actionOf, balanceOf, fund, newUser, tokenOf, transferData } from '../support/wallets.js'

/** What the engine sends again without a block's word, it sends after this. */
const resendMs = 3_000
/** What was sent later than this before a block, nobody expects in it. */
const passedOverMs = 250

describe('what a full block has left over', function () {
  this.timeout(60_000)
  const { service, api } = useServiceOnChains((chain) => chain)

  it('is sent again at once, all of it, when the node has dropped it', async () => {
    const [chain] = service.chains
    const url = chain.rpcUrls[0]!
    const usd = tokenOf(chain, 'usd').address
    const actionIds: string[] = []
    for (let left = 6; left > 0; left--) {
      const user = newUser()
      await fund(chain, user.address, { usd: 9n })
      const calls = [{ to: usd, value: 0n, data: transferData(chain.vault, 9n) }]
      actionIds.push((await api.post('/actions', await actionOf(user, chain, calls))).body.actionId)
    }
    await rpc(url, 'evm_setAutomine', [false])
    // Each in a transaction of its own, since the one before is sent by then.
    for (const [before, actionId] of actionIds.entries()) {
      await api.execute(actionId, 0, 0, undefined, 0)
      await until(async () => (await pooled(url)) === before + 1, 'the step in the pool')
    }
    const sentAt = await lastSends()
    await until(async () => Date.now() - Math.max(...sentAt) > passedOverMs, 'a time in which a block could take them')
    const held = await balanceOf(chain, usd, chain.vault)

    await rpc(url, 'anvil_dropAllTransactions', [])
    expect(await pooled(url)).to.equal(0)
    await rpc(url, 'evm_mine', [])
    await until(async () => (await pooled(url)) === 6, 'all of them in the pool again')
    await until(async () => (await lastSends()).every((at, index) => at > sentAt[index]!), 'the sends in the journal')
    const waited = (await lastSends()).map((at, index) => at - sentAt[index]!)
    expect(Math.min(...waited)).to.be.lessThan(resendMs)

    await rpc(url, 'evm_setAutomine', [true])
    await rpc(url, 'evm_mine', [])
    for (const actionId of actionIds) {
      const step = `/actions/${actionId}/intents/0/steps/0`
      await until(async () => (await api.get(step)).body.status === 'success', step)
    }
    expect(await balanceOf(chain, usd, chain.vault)).to.equal(held + 54n)
  })

  async function pooled(url: string): Promise<number> {
    const { pending, queued } = (await rpc(url, 'txpool_status', [])) as { pending: string; queued: string }
    return Number(pending) + Number(queued)
  }

  async function lastSends(): Promise<number[]> {
    const rows = await service.database.knex('transactions').orderBy('id').select<{ sent_at: number }[]>('sent_at')
    return rows.map((row) => Number(row.sent_at))
  }
})
