import { expect } from 'chai'
import { rpc } from '../../server/devnet/anvil.js'
import { lowerBaseFee, minePassingOver } from '../support/passOver.js'
import { until } from '../support/until.js'
import { useServiceOnChains } from '../support/useTestService.js'
import { actionOf, balanceOf, fund, newUser, tokenOf, transferData } from '../support/wallets.js'

describe('a transaction that is stuck', () => {
  const { service, api } = useServiceOnChains((chain) => ({ ...chain, replaceAfterMs: 1_000 }))

  it('below a base fee that has risen is replaced at the same nonce, and takes effect once', async function () {
    this.timeout(60_000)
    const [chain] = service.chains
    const url = chain.rpcUrls[0]!
    const usd = tokenOf(chain, 'usd').address
    const user = newUser()
    await fund(chain, user.address, { usd: 9n })
    const calls = [{ to: usd, value: 0n, data: transferData(chain.vault, 9n) }]
    const created = await api.post('/actions', await actionOf(user, chain, calls))
    const step = `/actions/${created.body.actionId}/intents/0/steps/0`
    await rpc(url, 'evm_setAutomine', [false])
    await api.execute(created.body.actionId, 0, 0, undefined, 0)
    const hashOf = async () => (await api.get(step)).body.transactionHash as string | null
    const first = await until(hashOf, 'the first form of the transaction')
    await rpc(url, 'anvil_setNextBlockBaseFeePerGas', ['0x174876e800'])
    await rpc(url, 'evm_mine', [])
    const second = await until(async () => ((await hashOf()) === first ? null : hashOf()), 'a replacement')
    await rpc(url, 'evm_setAutomine', [true])
    await rpc(url, 'evm_mine', [])
    await until(async () => (await api.get(step)).body.status === 'success', 'the step')
    expect(await balanceOf(chain, usd, user.address)).to.equal(0n)
    expect((await api.get(step)).body.transactionHash).to.not.equal(first)
    expect(second).to.not.equal(first)
    const forms = await service.database.knex('attempts').select('hash')
    const transactions = await service.database.knex('transactions').select('id')
    expect(forms.length).to.be.greaterThan(1)
    expect(transactions).to.have.length(1)
    await lowerBaseFee(url)
    await rpc(url, 'evm_mine', [])
  })

  it('keeps its fees while the chain makes no blocks, which they would not change', async function () {
    this.timeout(60_000)
    const [chain] = service.chains
    const url = chain.rpcUrls[0]!
    const user = newUser()
    await fund(chain, user.address, { usd: 9n })
    const calls = [{ to: tokenOf(chain, 'usd').address, value: 0n, data: transferData(chain.vault, 9n) }]
    const created = await api.post('/actions', await actionOf(user, chain, calls))
    await rpc(url, 'evm_setAutomine', [false])
    await api.execute(created.body.actionId, 0, 0, undefined, 0)
    const open = async () => {
      const { knex } = service.database
      const rows = await knex('transactions').where({ status: 'open' }).select('sent_at', 'signed_at')
      return rows[0] as { sent_at: number | null; signed_at: number } | undefined
    }
    // A block that was there before may be seen after it was signed, and raise them once. It is sent again all the same.
    const isKept = async () => {
      const transaction = await open()
      return transaction !== undefined && (transaction.sent_at ?? 0) - transaction.signed_at > 8_000
    }
    await until(isKept, 'looks at it, five seconds apart, that leave its fees as they are', 40_000)
    await rpc(url, 'evm_setAutomine', [true])
    await rpc(url, 'evm_mine', [])
    const step = `/actions/${created.body.actionId}/intents/0/steps/0`
    await until(async () => (await api.get(step)).body.status === 'success', 'the step')
  })

  it('is never given up while no node refuses it, however often its fees are raised', async function () {
    this.timeout(90_000)
    const [chain] = service.chains
    const url = chain.rpcUrls[0]!
    const user = newUser()
    await fund(chain, user.address, { usd: 9n })
    const calls = [{ to: tokenOf(chain, 'usd').address, value: 0n, data: transferData(chain.vault, 9n) }]
    const created = await api.post('/actions', await actionOf(user, chain, calls))
    await rpc(url, 'evm_setAutomine', [false])
    await api.execute(created.body.actionId, 0, 0, undefined, 0)
    const { knex } = service.database
    const forms = () =>
      knex('attempts')
        .join('transactions', 'transactions.id', 'attempts.transaction_id')
        .where({ 'transactions.status': 'open' })
        .select('is_cancel')
    // Blocks come whose base fee is above what it pays; one raise more than after which a bundle is given up.
    const isRaised = async () => {
      await minePassingOver(url, knex)
      return (await forms()).length > 5
    }
    await until(isRaised, 'its fees to be raised five times', 50_000, 500)
    expect((await forms()).filter(({ is_cancel }) => is_cancel)).to.deep.equal([])
    await lowerBaseFee(url)
    await rpc(url, 'evm_setAutomine', [true])
    await rpc(url, 'evm_mine', [])
    const step = `/actions/${created.body.actionId}/intents/0/steps/0`
    await until(async () => (await api.get(step)).body.status === 'success', 'the step')
  })
})
