import { Agent, get as httpGet } from 'node:http'
import { expect } from 'chai'
import { connectionLimits } from '../../server/api/connections/httpServer.js'
import { createApi } from '../support/api.js'
import { type HttpLayer, startHttpLayer } from '../support/httpLayer.js'
import { pause } from '../support/pause.js'
import { until } from '../support/until.js'
import { exchange, expectRefused, get, post } from './wire.js'

/** As those of the service, a twentieth of them or less. */
const limits = {
  ...connectionLimits,
  headersMs: 500,
  requestMs: 1_500,
  idleMs: 5_000,
  silenceMs: 2_000,
  unreadBytes: 2 ** 30,
  checkEveryMs: 100,
  connections: 200,
}

/** On a machine that others use too. */
const slackMs = 3_000

describe('slow clients', () => {
  let http: HttpLayer

  before(async () => {
    http = await startHttpLayer(
      {
        getLiveness: async () => ({ status: 200, body: { success: true, data: { status: 'ok' }, error: null } }),
        // Larger than what the kernel takes in for a client that does not read.
        getOpenapiYaml: async () => ({ status: 200, body: 'x'.repeat(50_000_000) }),
      },
      { connectionLimits: limits },
    )
  })
  after(() => http.stop())
  afterEach(async () => {
    expect((await createApi(http.url).get('/livez')).status).to.equal(200)
  })

  const openRequest = post('/venue-tx-hashes', '{"address":', { 'Content-Length': '100000' })
  const slow: [string, number, string | Uint8Array, Parameters<typeof exchange>[2]?][] = [
    ['that say nothing', limits.headersMs, ''],
    ['that stop within the first line', limits.headersMs, 'GET /li'],
    ['that stop within the headers', limits.headersMs, 'GET /livez HTTP/1.1\r\nHost: a\r\n'],
    [
      'that drip their headers',
      limits.headersMs,
      'GET /livez HTTP/1.1\r\nHost: a\r\nX: ',
      { drip: { bytes: 'y', everyMs: 50 } },
    ],
    ['that drip a first line', limits.headersMs, 'GET /', { drip: { bytes: 'x', everyMs: 50 } }],
    ['that stop within the body', limits.requestMs, openRequest],
    ['that drip their body', limits.requestMs, openRequest, { drip: { bytes: ' ', everyMs: 50 } }],
    [
      'that drip chunks',
      limits.requestMs,
      post('/venue-tx-hashes', '', { 'Content-Length': null, 'Transfer-Encoding': 'chunked' }),
      { drip: { bytes: '1\r\n \r\n', everyMs: 50 } },
    ],
    [
      'that expect to be told to go on, and don’t',
      limits.requestMs,
      post('/venue-tx-hashes', '', { 'Content-Length': '50', Expect: '100-continue' }),
    ],
  ]
  for (const [what, limitMs, bytes, options] of slow) {
    it(`${what} are cut`, async () => {
      const sent = await exchange(http.url, bytes, options)
      expect(sent.isClosed).to.equal(true)
      expect(sent.ms).to.be.lessThan(limitMs + slackMs)
      const answers = sent.answers.filter(({ status }) => status !== 100)
      expectRefused({ ...sent, answers }, what, [408])
    })
  }

  it('that do not read their answer are cut', async () => {
    // They don't notice themselves, as they don't look.
    const deaf = exchange(http.url, get('/openapi.yaml'), { deaf: true }).catch(() => null)
    await until(async () => (await http.connections()) > 0, 'the connection')
    await until(async () => (await http.connections()) === 0, 'the end of all connections', 9_000)
    await deaf
  })

  it('keep their connection between requests for longer than the headers of one may take, and not for ever', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const ask = () =>
      new Promise<boolean>((resolve, reject) => {
        const request = httpGet(new URL('/livez', http.url), { agent }, (response) => {
          response.resume().on('end', () => resolve(request.reusedSocket))
        })
        request.on('error', reject)
      })
    expect(await ask()).to.equal(false)
    await pause(limits.headersMs + 3 * limits.checkEveryMs)
    expect(await ask(), 'the same connection').to.equal(true)
    await until(async () => (await http.connections()) === 0, 'its end', limits.idleMs + slackMs)
    agent.destroy()
  })

  it('in hundreds leave room for others, and are all cut', async () => {
    const crowd = Array.from({ length: 300 }, () => exchange(http.url, 'GET /livez HTTP/1.1\r\nHost: a\r\n'))
    expect((await createApi(http.url).get('/livez')).status).to.equal(200)
    for (const sent of await Promise.all(crowd)) expectRefused(sent, 'one of many', [408])
  })

  it('have less than a minute with the service itself, which still waits out steps and event streams', () => {
    expect(connectionLimits.headersMs).to.be.at.most(connectionLimits.requestMs)
    expect(connectionLimits.requestMs).to.be.lessThan(60_000)
    expect(connectionLimits.silenceMs).to.be.greaterThan(60_000)
    expect(connectionLimits.idleMs).to.be.within(60_001, connectionLimits.silenceMs)
  })
})
