import { expect } from 'chai'
import { createApi } from '../support/api.js'
import { useTestService } from '../support/useTestService.js'
import { actionOf, fund, newUser, tokenOf, transferData } from '../support/wallets.js'

describe('a thousand open event streams', () => {
  const { service } = useTestService()

  it('all get every event, while the service goes on answering', async () => {
    const api = createApi(service.url)
    const [a] = service.chains
    const usd = tokenOf(a, 'usd').address
    const user = newUser()
    await fund(a, user.address, { usd: 1n })
    const calls = [{ to: usd, value: 0n, data: transferData(a.vault, 1n) }]
    const created = await api.post('/actions', await actionOf(user, a, calls))
    const { actionId } = created.body
    const open = await Promise.all(
      Array.from({ length: 1000 }, () => fetch(`${service.url}/actions/${actionId}/events`)),
    )
    expect(open.every((response) => response.status === 200)).to.equal(true)
    // On a slow machine the first streams have had a heartbeat before the last are open.
    const textOf = async (response: Response) => (await response.text()).replaceAll(': still here\n\n', '')
    const texts = Promise.all(open.map(textOf))
    expect((await api.get('/chains')).status).to.equal(200)
    expect((await api.execute(actionId, 0, 0)).body.status).to.equal('success')
    const [first, ...others] = await texts
    expect(first).to.contain('"status":"success"')
    for (const text of others) expect(text).to.equal(first)
  }).timeout(60_000)
})
