import { expect } from 'chai'
import { type Address, parseUnits } from 'viem'
import { until } from '../support/until.js'
import { useWatchedService } from '../support/useTestService.js'
import { balanceOf, fund, newUser, sendFrom, signedIntent, tokenOf, transferData } from '../support/wallets.js'

describe('deposits', () => {
  const { service, api, queries } = useWatchedService()

  const usdA = () => tokenOf(service.chains[0], 'usd').address
  const usdB = () => tokenOf(service.chains[1], 'usd').address

  async function paid(amount: bigint, to?: Address) {
    const [a] = service.chains
    const user = newUser()
    await fund(a, user.address, { usd: amount, native: parseUnits('1', 18) })
    const hash = await sendFrom(a, user, { to: usdA(), data: transferData(to ?? a.vault, amount) })
    return { user, hash }
  }

  function report(user: Address, hash: string, amount: bigint, more: object = {}, headers = {}) {
    const [a] = service.chains
    const body = {
      user,
      txHash: hash,
      sender: user,
      tokenAddress: usdA(),
      chainId: a.chainId,
      amount: amount.toString(),
      ...more,
    }
    return api.post('/coredeposit', body, headers)
  }

  it('become credit that funds a signed payout on another chain, once', async () => {
    const [a, b] = service.chains
    const { user, hash } = await paid(8_000_000n)
    const recorded = await report(user.address, hash, 8_000_000n)
    expect(recorded.status, JSON.stringify(recorded.body)).to.equal(200)
    expect(recorded.body.data.record).to.include({ status: 'recorded', custody: 'vault', amount: '8000000' })
    const balances = await api.get(`/coredeposit/${user.address}`)
    expect(balances.body.data.tokens).to.have.length(1)
    expect(balances.body.data.tokens[0]).to.include({
      chainId: a.chainId,
      amount: '8000000',
      available: '8000000',
      reserved: '0',
      decimals: 6,
    })

    const payout = (amount: string) => ({
      chainId: b.chainId,
      tokenTransfers: [{ from: 'solver' as const, to: user.address, token: usdB(), amount: parseUnits(amount, 18) }],
      calls: [],
    })
    const created = await api.post('/actions', {
      user: user.address,
      chainAuthorizations: [],
      intents: [await signedIntent(user, [payout('5')]), await signedIntent(user, [payout('5')], { nbf: 1 })],
    })
    expect(created.status, JSON.stringify(created.body)).to.equal(201)
    const { actionId } = created.body
    expect((await api.execute(actionId, 0, 0)).body.status).to.equal('success')
    const refused = await api.execute(actionId, 1, 0)
    expect(refused.status).to.equal(400)
    expect(refused.body.error).to.include({ code: 'insufficient_credit', available: parseUnits('3', 18).toString() })
    expect(await balanceOf(b, usdB(), user.address)).to.equal(parseUnits('5', 18))
    expect((await api.get(`/coredeposit/${user.address}`)).body.data.tokens[0].available).to.equal('3000000')
  })

  it('are recorded once, however often they are reported', async () => {
    const { user, hash } = await paid(1_000_000n)
    const replies = await Promise.all(Array.from({ length: 10 }, () => report(user.address, hash, 1_000_000n)))
    expect(replies.map((reply) => reply.status)).to.deep.equal(Array.from({ length: 10 }, () => 200))
    expect((await api.get(`/coredeposit/${user.address}`)).body.data.tokens[0].amount).to.equal('1000000')
  })

  it('into the user’s own account are recorded and fund nothing', async () => {
    const friend = newUser().address
    const { user, hash } = await paid(2_000_000n, friend)
    const recorded = await report(friend, hash, 2_000_000n, { sender: user.address })
    expect(recorded.body.data.record.custody).to.equal('wallet')
    const [token] = (await api.get(`/coredeposit/${friend}`)).body.data.tokens
    expect(token).to.include({ amount: '2000000', available: '0' })
  })

  it('of the vault into the user’s own account are recorded and fund nothing', async () => {
    const { chainId, vault } = service.chains[0]
    const wallet = newUser().address
    const { txHash, amount } = (await api.post(`/airdrop/${chainId}/usd`, { wallet })).body.data
    const recorded = await report(wallet, txHash, BigInt(amount), { sender: vault })
    expect(recorded.status, JSON.stringify(recorded.body)).to.equal(200)
    expect(recorded.body.data.record.custody).to.equal('wallet')
    const [token] = (await api.get(`/coredeposit/${wallet}`)).body.data.tokens
    expect(token).to.include({ amount, available: '0' })
  })

  it('of someone else can’t be claimed', async () => {
    const { user, hash } = await paid(1_000_000n)
    const thief = newUser().address
    const claimed = await report(thief, hash, 1_000_000n, { sender: user.address })
    expect(claimed.status).to.equal(400)
    expect(claimed.body.error.code).to.equal('deposit_mismatch')
    const asSender = await report(thief, hash, 1_000_000n)
    expect(asSender.body.error.code).to.equal('deposit_mismatch')
    expect((await api.get(`/coredeposit/${thief}`)).body.data.tokens).to.deep.equal([])
  })

  it('of another amount are refused with what the transaction moves', async () => {
    const { user, hash } = await paid(1_000_000n)
    const reply = await report(user.address, hash, 1_000_001n)
    expect(reply.status).to.equal(400)
    expect(reply.body.error.message).to.contain('1000000')
  })

  it('are refused also where nobody waits, as they were when they were looked at last', async () => {
    const { user, hash } = await paid(1_000_000n)
    const wrong = () => report(user.address, hash, 1_000_001n, {}, { Prefer: 'wait=0' })
    expect((await wrong()).status).to.equal(202)
    const refused = await until(async () => {
      const reply = await wrong()
      return reply.status !== 202 && reply
    }, 'the refusal')
    expect(refused.status).to.equal(400)
    expect(refused.body.error.code).to.equal('deposit_mismatch')
    expect(refused.body.error.message).to.contain('1000000')
  })

  it('can’t be withdrawn beyond what is recorded, nor by a payout to someone', async () => {
    const { user, hash } = await paid(1_000_000n, newUser().address)
    const reply = await report(user.address, hash, 1_000_000n, { isDeposit: false })
    expect(reply.status).to.equal(400)
    expect(reply.body.error.code).to.equal('withdrawal_exceeds_balance')
  })

  it('are recorded without reading a whole table', async () => {
    // MariaDB's plans depend on how much there is.
    if (service.database.kind === 'sqlite') expect(await queries().scans()).to.deep.equal([])
  })
})
