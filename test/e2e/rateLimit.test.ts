import { expect } from 'chai'
import type { PrivateKeyAccount } from 'viem'
import { clientOf } from '../../server/api/connections/clientOf.js'
import { createApi } from '../support/api.js'
import { useTestService } from '../support/useTestService.js'
import { authorization, newUser, signedIntent, tokenOf, transferData } from '../support/wallets.js'

describe('rate limits', () => {
  const { service } = useTestService({ RATE_LIMIT_PER_MINUTE: '20', TRUSTED_PROXIES: '1' })

  it('refuse a client that has used up its share, and say when to come back', async () => {
    const api = createApi(service.url)
    const replies = []
    for (let index = 0; index < 25; index++) replies.push(await api.get('/chains'))
    expect(replies[0]!.headers.get('ratelimit-policy')).to.equal('"default";q=20;w=60')
    expect(replies[0]!.headers.get('ratelimit')).to.match(/^"default";r=19;t=\d+$/)
    expect(replies.filter((reply) => reply.status === 200)).to.have.length(20)
    const refused = replies.at(-1)!
    expect(refused.status).to.equal(429)
    expect(refused.body.error.code).to.equal('rate_limited')
    expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 60)
    expect((await api.get('/health')).status, 'probes are free').to.equal(200)
    const post = await api.post('/airdrop/31337/usd', { wallet: newUser().address })
    expect(post.status).to.equal(429)
  })

  /** What a proxy in front says of a client. */
  const from = (address: string) => createApi(service.url, { headers: { 'x-forwarded-for': address } })

  const soon = Math.floor(Date.now() / 1000) + 86_400

  /** An action that the user has signed, another one for each `exp`. */
  async function signedBody(user: PrivateKeyAccount, exp: number) {
    const [chain] = service.chains
    const usd = tokenOf(chain!, 'usd').address
    const batch = { chainId: chain!.chainId, tokenTransfers: [{ from: user.address, to: usd, token: usd, amount: 1n }] }
    const call = { to: usd, value: 0n, data: transferData(usd, 1n) }
    return {
      user: user.address,
      chainAuthorizations: [await authorization(user, chain!)],
      intents: [await signedIntent(user, [{ ...batch, calls: [call] }], { exp })],
    }
  }

  it('can’t be used up by a stranger who names the user', async () => {
    const victim = newUser().address
    const record = { address: victim, txHash: `0x${'cd'.repeat(32)}`, actionType: 'a', venue: 'b', chainId: 31337 }
    const paths = {
      '/airdrop/31337/none': { wallet: victim },
      '/actions': { user: victim },
      '/venue-tx-hashes': record,
    }
    for (let index = 0; index < 10; index++) {
      for (const [path, body] of Object.entries(paths)) await from('198.51.100.1').post(path, body)
    }
    expect((await from('198.51.100.1').get('/chains')).status).to.equal(429)
    const reply = await from('198.51.100.2').post('/airdrop/31337/none', { wallet: victim })
    expect(reply.body.error.code).to.equal('airdrop_unavailable')
  })

  it('count what a user has signed for himself, from wherever he sends it, and a repetition for nobody', async () => {
    const user = newUser()
    const first = await signedBody(user, soon)
    for (let index = 1; index < 9; index++) {
      // Strangers who have read it somewhere.
      const reply = await from(`198.51.101.${index}`).post('/actions', first)
      expect(reply.status, JSON.stringify(reply.body)).to.equal(201)
    }
    const statuses = []
    for (let index = 1; index < 5; index++) {
      statuses.push((await from(`198.51.102.${index}`).post('/actions', await signedBody(user, soon + index))).status)
    }
    expect(statuses).to.deep.equal([201, 201, 201, 429])
  })

  it('tell of the address’s share and the user’s the one with less left', async () => {
    const user = newUser()
    const remainderFrom = async (address: string, exp: number) => {
      const reply = await from(address).post('/actions', await signedBody(user, exp))
      return [reply.status, reply.headers.get('ratelimit')!.replace(/;t=\d+$/, '')]
    }
    for (let index = 0; index < 12; index++) await from('198.51.103.1').get('/chains')
    expect(await remainderFrom('198.51.103.1', soon), 'the address’s').to.deep.equal([201, '"default";r=3'])
    expect(await remainderFrom('198.51.103.2', soon + 1), 'the user’s').to.deep.equal([201, '"default";r=10'])
  })

  it('count what comes from one IPv6 network together, whatever it says of itself before the proxy', async () => {
    const statuses = []
    for (let index = 0; index < 25; index++) {
      statuses.push((await from(`192.0.2.${index}, 2001:db8:0:7::${index}`).get('/chains')).status)
    }
    expect(statuses.filter((status) => status === 429)).to.have.length(5)
  })

  it('know a client in every spelling of his address', () => {
    const spellings = {
      '198.51.100.1': [
        '198.51.100.1',
        '198.51.100.1:4711',
        '::ffff:198.51.100.1',
        '::FFFF:c633:6401',
        '[::ffff:198.51.100.1]:80',
      ],
      '2001:db8:1:2::/64': [
        '2001:db8:1:2::',
        '2001:DB8:1:2:3:4:5:6',
        '2001:0db8:0001:0002::9%eth0',
        '[2001:db8:1:2::1]:443',
      ],
      '0:0:0:0::/64': ['::', '::1', '0:0:0:0:0:0:0:1'],
      '203.0.113.9': ['', 'unknown', 'x'.repeat(10_000), '1.2.3', '2001:db8::1::2', '_hidden'],
    }
    for (const [client, stated] of Object.entries(spellings)) {
      for (const text of stated) expect(clientOf(text, '203.0.113.9'), text.slice(0, 50)).to.equal(client)
    }
    expect(clientOf('', '')).to.equal('unknown')
  })
})
