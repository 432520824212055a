import { expect } from 'chai'
import { createIntentClient } from '../../sdk/src/index.js'
import { useTestService } from '../support/useTestService.js'
import { balanceOf, fund, newUser, tokenOf, transferData } from '../support/wallets.js'

describe('a refund with the client', () => {
  const { service } = useTestService()

  it('brings back what the user has paid and the solver has not spent', async () => {
    const [a] = service.chains
    const usd = tokenOf(a, 'usd').address
    const account = newUser()
    await fund(a, account.address, { usd: 5n })
    const client = createIntentClient({ baseUrl: service.url })
    const calls = [{ to: usd, value: 0n, data: transferData(a.vault, 5n) }]
    await client.send({ account, intents: [{ chainBatches: [{ chainId: a.chainId, tokenTransfers: [], calls }] }] })
    expect((await client.getBalances(account.address))[0]?.available).to.equal(5n)

    const back = { from: 'solver', to: account.address, token: usd, amount: 5n } as const
    const chainBatches = [{ chainId: a.chainId, tokenTransfers: [back], calls: [] }]
    const action = await client.send({ account, intents: [{ chainBatches }] })
    expect(action.status).to.equal('success')
    expect(await balanceOf(a, usd, account.address)).to.equal(5n)
  })
})
