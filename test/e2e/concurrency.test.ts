import { expect } from 'chai'
import { useTestService } from '../support/useTestService.js'
import { actionOf, balanceOf, fund, newUser, reader, tokenOf, transferData } from '../support/wallets.js'

describe('many steps at once', () => {
  const { service, api } = useTestService()

  it('all take effect once, for many users and for several intents of one user on one chain', async () => {
    const [a] = service.chains
    const usd = tokenOf(a, 'usd').address
    const friend = newUser().address
    const users = Array.from({ length: 15 }, newUser)
    for (const user of users) await fund(a, user.address, { usd: 10n })
    const operatorsBefore = await noncesOfOperators()
    const steps = await Promise.all(
      users.flatMap((user) =>
        [0, 1].map(async (nbf) => {
          const calls = [{ to: usd, value: 0n, data: transferData(friend, 3n) }]
          const created = await api.post('/actions', await actionOf(user, a, calls, { nbf }))
          const asked = await Promise.all([1, 2, 3].map(() => api.execute(created.body.actionId, 0, 0, undefined, 30)))
          return asked.map((reply) => reply.body)
        }),
      ),
    )
    for (const [first, ...others] of steps) {
      expect(first.status, JSON.stringify(first.error)).to.equal('success')
      for (const other of others) expect(other.transactionHash).to.equal(first.transactionHash)
    }
    const transactions = new Set(steps.map(([step]) => step.transactionHash as string))
    const rows = (await service.database.knex('transactions').select('signed_for')) as { signed_for: string }[]
    const signedFor = rows.flatMap((row) => JSON.parse(row.signed_for) as object[]).map((ref) => JSON.stringify(ref))
    expect(signedFor, 'each step is signed for once').to.have.length(30)
    expect(new Set(signedFor).size).to.equal(30)
    for (let user = 0; user < users.length; user++) {
      const [first, second] = steps.slice(2 * user, 2 * user + 2).map(([step]) => step.transactionHash as string)
      expect(first, 'two steps of one user never share a transaction').not.to.equal(second)
    }
    if (process.env.BUNDLE_MAX_STEPS === '1') expect(transactions.size).to.equal(30)
    expect(await balanceOf(a, usd, friend)).to.equal(90n)
    expect((await noncesOfOperators()) - operatorsBefore, 'no transaction besides').to.equal(transactions.size)
  }).timeout(60_000)

  async function noncesOfOperators(): Promise<number> {
    const [a] = service.chains
    const { lanes } = (await api.get('/health')).body.data.chains[0] as { lanes: { signer: `0x${string}` }[] }
    const nonces = await Promise.all(lanes.map(({ signer }) => reader(a).getTransactionCount({ address: signer })))
    return nonces.reduce((sum, nonce) => sum + nonce, 0)
  }
})
