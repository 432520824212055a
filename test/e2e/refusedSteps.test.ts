import { expect } from 'chai'
import { useTestService } from '../support/useTestService.js'
import { authorization, balanceOf, fund, newUser, signedIntent, tokenOf, transferData } from '../support/wallets.js'

describe('signed steps that can’t be carried out', () => {
  const { service, api } = useTestService()

  const usd = () => tokenOf(service.chains[0], 'usd').address

  async function execute(options: {
    pays?: bigint
    nonce?: number
    authorized?: boolean
    declared?: bigint
    window?: { nbf?: number }
  }) {
    const [a] = service.chains
    const user = newUser()
    await fund(a, user.address, { usd: 10n })
    const tokenTransfers = options.declared
      ? [{ from: user.address, to: a.vault, token: usd(), amount: options.declared }]
      : []
    const calls = [{ to: usd(), value: 0n, data: transferData(a.vault, options.pays ?? 5n) }]
    const created = await api.post('/actions', {
      user: user.address,
      chainAuthorizations: options.authorized === false ? [] : [await authorization(user, a, options.nonce ?? 0)],
      intents: [await signedIntent(user, [{ chainId: a.chainId, tokenTransfers, calls }], options.window ?? {})],
    })
    expect(created.status, JSON.stringify(created.body)).to.equal(201)
    const reply = await api.execute(created.body.actionId, 0, 0)
    const nothingSent = (await balanceOf(a, usd(), user.address)) === 10n
    return { user, step: reply.body, nothingSent }
  }

  it('end as transfer_mismatch when the calls do not bring the declared transfers about', async () => {
    const { step, nothingSent } = await execute({ declared: 6n })
    expect(step).to.include({ status: 'error', transactionHash: null })
    expect(step.error.code).to.equal('transfer_mismatch')
    expect(nothingSent).to.equal(true)
    expect((await execute({ declared: 5n })).step.status).to.equal('success')
  })

  it('end as execution_reverted while tokens are missing, and succeed under the same signature once they are there', async () => {
    const { user, step, nothingSent } = await execute({ pays: 25n })
    expect(step).to.include({ status: 'reverted', transactionHash: null })
    expect(step.error).to.include({ code: 'execution_reverted', retryable: true })
    expect(step.error.message).to.contain('InsufficientBalance')
    expect(nothingSent).to.equal(true)
    await fund(service.chains[0], user.address, { usd: 15n })
    const again = await api.execute(step.actionId, 0, 0)
    expect(again.body).to.include({ status: 'success', attempts: 2, error: null })
    expect(await balanceOf(service.chains[0], usd(), user.address)).to.equal(0n)
  })

  it('tell of a missing authorization, and of one for another nonce', async () => {
    const missing = await execute({ authorized: false })
    expect([missing.step.error.code, missing.nothingSent]).to.deep.equal(['authorization_missing', true])
    const other = await execute({ nonce: 3 })
    expect([other.step.error.code, other.nothingSent]).to.deep.equal(['authorization_invalid', true])
    expect(other.step.error.message).to.contain('nonce 3')
  })

  it('tell of a time window that has not begun', async () => {
    const { step, nothingSent } = await execute({ window: { nbf: Math.floor(Date.now() / 1000) + 1000 } })
    expect([step.error.code, step.error.retryable, nothingSent]).to.deep.equal(['intent_not_yet_valid', true, true])
  })
})
