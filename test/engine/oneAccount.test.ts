import { expect } from 'chai'
import { until } from '../support/until.js'
import { useTestService } from '../support/useTestService.js'
import { actionOf, fund, newUser, tokenOf, transferData } from '../support/wallets.js'

describe('many steps of one user on one chain', () => {
  const { service, api } = useTestService()
  const count = 60

  it('have his account one after the other, as they came, and are not looked at all the time meanwhile', async () => {
    const [a] = service.chains
    const user = newUser()
    await fund(a, user.address, { usd: BigInt(count) })
    const calls = [{ to: tokenOf(a, 'usd').address, value: 0n, data: transferData(a.vault, 1n) }]
    const ids: string[] = []
    for (let nbf = 0; nbf < count; nbf++) {
      const { body } = await api.post('/actions', await actionOf(user, a, calls, { nbf }))
      ids.push(body.actionId as string)
    }
    let looks = 0
    service.database.knex.on(
      'query',
      ({ sql }: { sql: string }) => void (looks += Number(sql.includes('concat(chain_id'))),
    )
    for (const id of ids) expect((await api.execute(id, 0, 0, undefined, 0)).status).to.equal(202)
    const stepOf = async (id: string) => (await api.get(`/actions/${id}/intents/0/steps/0`)).body
    await until(
      async () => (await Promise.all(ids.map(stepOf))).every(({ status }) => status === 'success'),
      'all',
      60_000,
      500,
    )
    const blocks = (await Promise.all(ids.map(stepOf))).map(({ blockNumber }) => blockNumber as number)
    const places = blocks.map((block) => blocks.filter((other) => other < block).length)
    expect(looks, 'looks at the account').to.be.lessThan(10 * count)
    // One whose time to look by himself has come may find the account free; nobody is passed by for long.
    const passedBy = places.map((place, index) => place - index)
    expect(Math.max(...passedBy), places.join(' ')).to.be.lessThan(count / 6)
  }).timeout(90_000)
})
