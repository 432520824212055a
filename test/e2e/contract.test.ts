import { expect } from 'chai'
import { formatUnits, parseUnits } from 'viem'
import { randomHash } from '../support/builders.js'
import { until } from '../support/until.js'
import { useTestService } from '../support/useTestService.js'
import { authorization, balanceOf, fund, newUser, signedIntent, tokenOf, transferData } from '../support/wallets.js'

/** Sentences of the interface that a smaller service might do without. */
describe('the interface, to its limits', () => {
  const { service, api } = useTestService()

  it('saves labels of 128 characters, and tells as many records as a query may ask for', async () => {
    const address = newUser().address
    const [actionType, venue] = ['a'.repeat(128), 'é'.repeat(128)]
    const record = { address, txHash: randomHash(), actionType, venue, chainId: service.chains[0].chainId }
    expect((await api.post('/venue-tx-hashes', record)).status).to.equal(200)
    const query = `/venue-tx-hashes?address=${address}&count=1000&venue=${encodeURIComponent(venue)}`
    const { status, body } = await api.get(query)
    expect([status, body.success]).to.deep.equal([200, false])
    expect(body.data.txHashes).to.have.length(1)
  })

  it('takes an idempotency key of 255 characters, which is its user’s alone', async () => {
    const headers = { 'idempotency-key': 'k'.repeat(255) }
    const [a] = service.chains
    const create = (user: string) => {
      const transfer = { from: user, to: a.vault, token: tokenOf(a, 'usd').address, amount: '5' }
      const call = { to: a.vault, value: '0', data: '0x' }
      const chainBatches = [{ chainId: a.chainId, tokenTransfers: [transfer], call }]
      return api.post('/actions', { user, intents: [{ mode: 'non-7702:on-demand', chainBatches }] }, headers)
    }
    const [first, second] = [newUser().address, newUser().address]
    const made = await create(first)
    expect(made.status).to.equal(201)
    const others = await create(second)
    expect(others.status).to.equal(201)
    expect(others.body.actionId).not.to.equal(made.body.actionId)
    expect((await create(first)).body.actionId).to.equal(made.body.actionId)
  })

  it('begins with wrapped ether like the native one, a million in each vault, and gives ten of it', async () => {
    const { chains } = (await api.get('/chains')).body.data
    for (const [index, chain] of service.chains.entries()) {
      const weth = tokenOf(chain, 'weth')
      const told = chains[index].tokens.find(({ id }: { id: string }) => id === 'weth')
      expect(told).to.include({ decimals: 18, group: 'eth' })
      expect(Number(formatUnits(await balanceOf(chain, weth.address, chain.vault), 18))).to.be.closeTo(1_000_000, 1_000)
      const wallet = newUser().address
      expect((await api.post(`/airdrop/${chain.chainId}/weth`, { wallet })).status).to.equal(200)
      expect(await balanceOf(chain, weth.address, wallet)).to.equal(parseUnits('10', 18))
    }
  })

  it('carries out a legacy transaction that is signed as typed data, with a window and what it moves', async () => {
    const [a] = service.chains
    const [user, friend] = [newUser(), newUser().address]
    const usd = tokenOf(a, 'usd').address
    await fund(a, user.address, { usd: 3_000_000n })
    const nbf = Math.floor(Date.now() / 1000) - 60
    const window = { signatureType: 'eip712', nbf, exp: nbf + 3_600 } as const
    const calls = [{ to: usd, value: 0n, data: transferData(friend, 3_000_000n) }]
    const intent = await signedIntent(user, [{ chainId: a.chainId, tokenTransfers: [], calls }], window)
    const submitted = await api.post('/transaction/submit', {
      address: user.address,
      authorization: [await authorization(user, a)],
      intentAuthorization: {
        ...window,
        signature: intent.signature,
        chainBatches: intent.chainBatches.map((batch) => ({
          hash: batch.hash,
          chainId: a.chainId,
          calls: batch.calls,
        })),
      },
      tokenAddress: usd,
      tokenAmount: '3000000',
    })
    expect(submitted.status, JSON.stringify(submitted.body)).to.equal(200)
    const path = `/intent/${submitted.body.data.intentId}/step/0/status`
    await until(async () => (await api.get(path)).body.data?.status === 'success', 'the legacy step')
    expect(await balanceOf(a, usd, friend)).to.equal(3_000_000n)
  })
})
