import { expect } from 'chai'
import { createApi } from '../support/api.js'
import { useTestService } from '../support/useTestService.js'
import { newUser } from '../support/wallets.js'

describe('rate limits', () => {
  const { service } = useTestService({ RATE_LIMIT_PER_MINUTE: '20' })

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
})
