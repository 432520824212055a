import { expect } from 'chai'
import { rpc } from '../../server/devnet/anvil.js'
import { until } from '../support/until.js'
import { useServiceOnChains } from '../support/useTestService.js'
import { fund, newUser, sendFrom, tokenOf, transferData } from '../support/wallets.js'

describe('a reorganisation within the confirmations', () => {
  const { service, api } = useServiceOnChains((chain) => ({ ...chain, confirmations: 4 }))

  it('that removes a deposit leaves no credit behind', async function () {
    this.timeout(60_000)
    const [chain] = service.chains
    const url = chain.rpcUrls[0]!
    const usd = tokenOf(chain, 'usd').address
    const user = newUser()
    await fund(chain, user.address, { usd: 9n, native: 10n ** 18n })
    const pay = () => sendFrom(chain, user, { to: usd, data: transferData(chain.vault, 4n) })
    const report = (txHash: string) =>
      api.post('/coredeposit', {
        ...{ user: user.address, sender: user.address, tokenAddress: usd, chainId: chain.chainId },
        ...{ txHash, amount: '4' },
      })
    const confirmations = async (txHash: string) => {
      const rows = await service.database.knex<{ transaction_hash: string; confirmations: number }>('deposits')
      return rows.find((row) => row.transaction_hash === txHash)?.confirmations
    }

    const removed = await pay()
    const waiting = report(removed)
    await until(async () => (await confirmations(removed)) === 1, 'the first confirmation')
    await rpc(url, 'anvil_reorg', [1, []])
    await rpc(url, 'anvil_mine', ['0x8'])
    expect((await waiting).status).to.equal(202)
    expect((await api.get(`/coredeposit/${user.address}`)).body.data.tokens).to.deep.equal([])

    const kept = await pay()
    const recorded = report(kept)
    await until(async () => (await confirmations(kept)) === 1, 'the first confirmation')
    await rpc(url, 'anvil_mine', ['0x3'])
    expect((await recorded).status).to.equal(200)
    expect((await api.get(`/coredeposit/${user.address}`)).body.data.tokens[0].available).to.equal('4')
  })
})
