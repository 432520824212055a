import { expect } from 'chai'
import { parseUnits, zeroAddress } from 'viem'
import { compareVaults } from '../../scripts/reconcile/compareVaults.js'
import { useWatchedService } from '../support/useTestService.js'
import { until } from '../support/until.js'
import { balanceOf, newUser, reader, sendFrom, tokenOf } from '../support/wallets.js'

describe('airdrops', () => {
  const { service, api, queries } = useWatchedService()

  const usdA = () => tokenOf(service.chains[0], 'usd').address
  const usdB = () => tokenOf(service.chains[1], 'usd').address

  it('pay a wallet once, however many ask at once', async () => {
    const [a] = service.chains
    const wallet = newUser().address
    const path = `/airdrop/${a.chainId}/usd`
    const replies = await Promise.all(Array.from({ length: 50 }, () => api.post(path, { wallet })))
    for (const reply of replies) expect(reply.status).to.be.oneOf([200, 202, 400])
    const { knex } = service.database
    const key = { chain_id: a.chainId, token: usdA(), wallet: wallet.toLowerCase() }
    const rounds = () => knex('airdrops').where(key).select('round', 'status')
    await until(async () => (await rounds()).every(({ status }) => status === 'success'), 'the airdrop')
    expect(await rounds()).to.have.length(1)
    expect(await balanceOf(a, usdA(), wallet)).to.equal(1_000_000_000n)
    const again = await api.post(path, { wallet })
    expect(again.status).to.equal(400)
    expect(again.body.error.code).to.equal('airdrop_cooldown')
    expect(again.body.error.retryAfter).to.be.within(86_000, 86_400)
  })

  it('take a token by its address and a smaller amount, and refuse a larger one', async () => {
    const [, b] = service.chains
    const wallet = newUser().address
    const path = `/airdrop/${b.chainId}/${usdB()}`
    const tooMuch = await api.post(path, { wallet, amount: parseUnits('1001', 18).toString() })
    const message = `amount must be from 1 to ${parseUnits('1000', 18)}`
    expect([tooMuch.status, tooMuch.body.error.message]).to.deep.equal([400, message])
    expect(tooMuch.body.error.issues).to.deep.equal([{ path: '/amount', message, code: 'maximum' }])
    const given = await api.post(path, { wallet, amount: '5' })
    expect(given.status, JSON.stringify(given.body)).to.equal(200)
    expect(given.body.data.amount).to.equal('5')
    expect(await balanceOf(b, usdB(), wallet)).to.equal(5n)
    for (const [place, problem] of [
      [`${b.chainId}/none`, `tokenId: there is no airdrop of this token on chain ${b.chainId}.`],
      ['1/usd', 'chainId: this service does not work on chain 1.'],
    ]) {
      const { error } = (await api.post(`/airdrop/${place}`, { wallet })).body
      expect([error.code, error.message]).to.deep.equal(['airdrop_unavailable', problem])
    }
  })

  it('take native currency by any address that stands for it', async () => {
    const [a] = service.chains
    for (const token of [zeroAddress, '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE']) {
      const given = await api.post(`/airdrop/${a.chainId}/${token}`, { wallet: newUser().address })
      expect(given.status, JSON.stringify(given.body)).to.equal(200)
    }
  })

  it('go to nobody’s address, where they would be lost', async () => {
    const [a] = service.chains
    for (const wallet of [zeroAddress, a.vault, a.delegates[0]!]) {
      const refused = await api.post(`/airdrop/${a.chainId}/eth`, { wallet })
      expect([refused.status, refused.body.error.code]).to.deep.equal([400, 'validation_failed'])
      expect(refused.body.error.issues[0]).to.include({ path: '/wallet', code: 'user_not_allowed' })
    }
  })

  it('give native currency for the gas of a first transaction, once a day', async () => {
    const [a] = service.chains
    const user = newUser()
    const path = `/airdrop/${a.chainId}/eth`
    const compare = () => compareVaults(service.database, service.chains)
    const unexplained = async () => (await queries().leaveOut(compare)).vaults.map((vault) => vault.unexplained)
    const before = await unexplained()
    const given = await api.post(path, { wallet: user.address })
    expect(given.body.data?.amount, JSON.stringify(given.body)).to.equal(parseUnits('0.1', 18).toString())
    expect(await reader(a).getBalance({ address: user.address })).to.equal(parseUnits('0.1', 18))
    expect(await unexplained()).to.deep.equal(before)
    await sendFrom(a, user, { to: newUser().address, value: 1n })
    expect((await api.post(path, { wallet: user.address })).body.error.code).to.equal('airdrop_cooldown')
  })

  it('are paid without reading a whole table', async () => {
    // MariaDB's plans depend on how much there is; `npm run bench` measures it with a million actions.
    if (service.database.kind === 'sqlite') expect(await queries().scans()).to.deep.equal([])
  })
})
