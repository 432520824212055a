import { request as rawRequest } from 'node:http'
import { expect } from 'chai'
import { getAddress } from 'viem'
import { createDocsHandlers } from '../../server/api/handlers/docs.js'
import { createHealthHandlers } from '../../server/api/handlers/health.js'
import type { Handlers } from '../../server/api/handlerTypes.js'
import type * as wire from '../../server/api/generated/types.gen.js'
import { ServiceError } from '../../server/domain/errors.js'
import type { HealthReport, HealthService } from '../../server/services/health.js'
import { exchange, get, post } from '../fuzz/wire.js'
import { createApi } from '../support/api.js'
import { randomAddress } from '../support/builders.js'
import { type HttpLayer, Outage, startHttpLayer } from '../support/httpLayer.js'
import { pause } from '../support/pause.js'
import { until } from '../support/until.js'
import { actionId, step } from './aStep.js'

describe('a reply on its way to the client', () => {
  let http: HttpLayer
  afterEach(() => http.stop())

  const start = async (handlers: Partial<Handlers>, options?: { corsOrigins: string[] }) => {
    http = await startHttpLayer(handlers, options)
    return createApi(http.url)
  }

  it('says nothing of a fault but its request id, under which the log has the rest', async () => {
    const api = await start({
      getAction: () => Promise.reject(new Error('mysql://root:secret@db refused at secret.ts:1')),
    })
    const reply = await api.get(`/actions/${actionId}`, { 'x-request-id': 'fault-1' })
    expect(reply.status).to.equal(500)
    expect(reply.body).to.deep.equal({
      success: false,
      data: null,
      error: { message: 'Internal server error', code: 'internal_error' },
      requestId: 'fault-1',
    })
    const logged = http.log.find((line) => line.requestId === 'fault-1' && 'err' in line)
    expect(logged).to.deep.include({ operationId: 'getAction', level: 50 })
    expect(JSON.stringify(logged)).to.contain('secret.ts')
  })

  it('asks to come back when the database or a chain is away', async () => {
    const api = await start({ getAction: () => Promise.reject(new Outage()) })
    const reply = await api.get(`/actions/${actionId}`)
    expect(reply.status).to.equal(503)
    expect(reply.body.error.code).to.equal('unavailable')
    expect(reply.headers.get('retry-after')).to.equal('5')
  })

  it('shows what a refusal is about beside its message', async () => {
    const token = randomAddress()
    const api = await start({
      executeStep: () =>
        Promise.reject(
          new ServiceError('insufficient_credit', 'Not enough.', { token, required: '20', available: '5' }),
        ),
    })
    const reply = await api.post(`/actions/${actionId}/intents/0/steps/0`)
    expect(reply.status).to.equal(400)
    expect(reply.body.error).to.deep.equal({
      message: 'Not enough.',
      code: 'insufficient_credit',
      token: getAddress(token),
      required: '20',
      available: '5',
    })
  })

  it('logs each request once, without its query', async () => {
    const api = await start({})
    await api.get('/venue-tx-hashes?address=secret', { 'x-request-id': 'log-1' })
    const line = await until(() => http.log.find((entry) => entry.requestId === 'log-1'), 'the log')
    expect(line).to.deep.include({
      operationId: 'queryVenueTxHashes',
      method: 'GET',
      path: '/venue-tx-hashes',
      status: 400,
      complete: true,
    })
    expect(JSON.stringify(http.log)).to.not.contain('secret')
  })

  it('logs a request whose client is gone before the answer as 499, and not as a route that is not there', async () => {
    await start({ getStep: () => new Promise(() => undefined) })
    const path = `/actions/${actionId}/intents/0/steps/0`
    const half = post('/actions', '{"user":', { 'Content-Length': '1000', 'x-request-id': 'gone-1' })
    await exchange(http.url, half, { hangUpAfterMs: 20 })
    await exchange(http.url, get(path, 'x-request-id: gone-2\r\n'), { hangUpAfterMs: 20 })
    for (const id of ['gone-1', 'gone-2']) {
      const line = await until(() => http.log.find((entry) => entry.requestId === id), 'the log')
      expect(line).to.deep.include({ status: 499, complete: false })
    }
  })

  it('logs a read whose client was gone when it was its turn as 499 too', async () => {
    const underWay: (() => void)[] = []
    await start({ getAction: () => new Promise((_answer, refuse) => underWay.push(() => refuse(new Error('late')))) })
    const ask = (id: string) => exchange(http.url, get(`/actions/${actionId}`, `x-request-id: ${id}\r\n`))
    const before = Array.from({ length: 16 }, (_, index) => ask(`before-${index}`))
    await until(() => underWay.length === 16, 'as many reads as there are at once')
    const last = ask('last')
    // It waits for its turn, which nothing tells.
    await pause(50)
    // In one go, so that its turn comes before its response hears of the end.
    http.breakOff()
    underWay.forEach((end) => end())
    await Promise.all([...before, last])
    const line = await until(() => http.log.find((entry) => entry.requestId === 'last'), 'the log')
    expect(line).to.deep.include({ status: 499, complete: false })
    expect(underWay).to.have.length(16)
  })

  it('is readable for the configured origins only', async () => {
    await start({}, { corsOrigins: ['https://a.example', 'https://b.example'] })
    const originFor = async (origin: string) =>
      (await fetch(`${http.url}/nowhere`, { headers: { origin } })).headers.get('access-control-allow-origin')
    expect(await originFor('https://b.example')).to.equal('https://b.example')
    expect(await originFor('https://c.example')).to.equal(null)
  })

  it('is readable for the same pages where it refuses what is no request yet', async () => {
    const refused = {
      'no host': [400, 'GET /livez HTTP/1.1\r\n\r\n'],
      'no HTTP': [400, 'HELLO\r\n\r\n'],
      'large headers': [431, get('/livez', `X-Much: ${'y'.repeat(40_000)}\r\n`)],
    } as const
    for (const [corsOrigins, allowed] of [
      [['*'], '*'],
      [['https://a.example'], undefined],
    ] as const) {
      await start({}, { corsOrigins: [...corsOrigins] })
      for (const [what, [status, bytes]] of Object.entries(refused)) {
        const [answer] = (await exchange(http.url, bytes)).answers
        expect([answer?.status, answer?.headers['access-control-allow-origin']], what).to.deep.equal([status, allowed])
      }
      await http.stop()
    }
  })

  it('tells the methods of a route to OPTIONS', async () => {
    await start({})
    const reply = await fetch(`${http.url}/actions`, { method: 'OPTIONS' })
    expect(reply.status).to.equal(204)
    expect(reply.headers.get('allow')).to.equal('GET, HEAD, POST, OPTIONS')
  })

  it('forbids browsers to sniff, to frame, and to run anything', async () => {
    await start({})
    const { headers } = await fetch(`${http.url}/nowhere`)
    expect(headers.get('x-content-type-options')).to.equal('nosniff')
    expect(headers.get('content-security-policy')).to.equal("default-src 'none';frame-ancestors 'none'")
    expect(headers.get('cache-control')).to.equal('no-store')
    expect(headers.get('content-type')).to.contain('application/json')
    expect(headers.has('x-powered-by')).to.equal(false)
  })

  describe('with an ETag', () => {
    let status: wire.Status = 'executing'
    const getStep: Handlers['getStep'] = async () => ({ status: 200, body: { ...step, status } })
    const path = `/actions/${actionId}/intents/0/steps/0`

    it('is 304 while the state is the same, in whatever form the client names it', async () => {
      const api = await start({ getStep })
      const etag = (await api.get(path)).headers.get('etag')!
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const reply = await api.get(path, { 'if-none-match': known })
        expect([reply.status, reply.body, reply.headers.get('etag')], known).to.deep.equal([304, '', etag])
      }
      expect((await fetch(http.url + path, { method: 'HEAD', headers: { 'if-none-match': etag } })).status).to.equal(
        304,
      )
    })

    it('is 200 with another one once the state has changed', async () => {
      const api = await start({ getStep })
      const etag = (await api.get(path)).headers.get('etag')!
      status = 'success'
      const reply = await api.get(path, { 'if-none-match': etag })
      expect(reply.status).to.equal(200)
      expect(reply.headers.get('etag')).to.not.equal(etag)
    })
  })

  describe('that is the same each time', () => {
    let written = 0
    const document = { openapi: '3.1.0', info: {}, paths: {} }
    const spec = {
      text: 'openapi: 3.1.0\n',
      document: { toJSON: () => ((written += 1), document) },
    }
    const known = (path: string, etag: string, encoding: string) =>
      fetch(http.url + path, { headers: { 'if-none-match': etag, 'accept-encoding': encoding } })

    it('is written once, and compressed for who takes that, under an ETag of its own', async () => {
      await start(createDocsHandlers(spec))
      for (const [path, type, body] of [
        ['/openapi.json', 'application/json', JSON.stringify(document)],
        ['/openapi.yaml', 'application/yaml', spec.text],
      ] as const) {
        const etags = new Map<string, string>()
        for (const encoding of ['gzip', 'identity']) {
          const reply = await fetch(http.url + path, { headers: { 'accept-encoding': encoding } })
          expect([reply.status, await reply.text()]).to.deep.equal([200, body])
          expect(reply.headers.get('content-type')).to.equal(`${type}; charset=utf-8`)
          expect(reply.headers.get('content-encoding')).to.equal(encoding === 'gzip' ? 'gzip' : null)
          expect(reply.headers.get('cache-control')).to.equal('no-cache')
          expect(reply.headers.get('vary')).to.match(/\bAccept-Encoding\b/)
          etags.set(encoding, reply.headers.get('etag')!)
        }
        const [zipped, plain] = [etags.get('gzip')!, etags.get('identity')!]
        expect(zipped).to.not.equal(plain)
        expect((await known(path, zipped, 'gzip')).status).to.equal(304)
        expect((await known(path, plain, 'identity')).status).to.equal(304)
        expect((await known(path, plain, 'gzip')).status).to.equal(200)
      }
      expect(written).to.equal(1)
    })
  })

  describe('of the probes', () => {
    const report: HealthReport = {
      status: 'ok',
      version: '1.2.3',
      database: 'ok',
      chains: [],
      draining: false,
      findings: [],
    }
    const health = (isReady: boolean, current = report) =>
      createHealthHandlers({ report: async () => current, isReady: async () => isReady } as HealthService)

    it('follows the database and the shutdown for readiness, and nothing for liveness', async () => {
      let ready = true
      const api = await start({ ...health(true), getReadiness: (request) => health(ready).getReadiness(request) })
      expect((await api.get('/readyz')).status).to.equal(200)
      ready = false
      expect((await api.get('/readyz')).status).to.equal(503)
      ready = true
      http.shutdown.abort()
      const closing = await api.get('/readyz')
      expect([closing.status, closing.headers.get('connection')]).to.deep.equal([503, 'close'])
      expect((await api.get('/livez')).status).to.equal(200)
    })

    it('names in /health what does not answer, beside the whole report', async () => {
      const chain = { chainId: 5, status: 'down' as const, blockNumber: null, solverBalance: null, lanes: [] }
      const api = await start(health(true, { ...report, status: 'down', chains: [{ ...chain, ageMs: null }] }))
      const reply = await api.get('/health')
      expect(reply.status).to.equal(503)
      expect(reply.body.error.message).to.equal('No answer from chain 5.')
      expect(reply.body.data).to.deep.equal({ ...report, status: 'down', chains: [chain] })
    })

    it('is 200 in /health while something only needs an operator', async () => {
      const api = await start(health(true, { ...report, status: 'degraded' }))
      expect((await api.get('/health')).status).to.equal(200)
    })
  })

  it('is JSON for a path that no URL has', async () => {
    await start({})
    const { port } = new URL(http.url)
    for (const path of ['/%', '/actions/%ff', '/a?b=%']) {
      const body = await new Promise<string>((resolve, reject) => {
        const request = rawRequest({ host: '127.0.0.1', port, path }, (response) => {
          let text = ''
          response.setEncoding('utf8').on('data', (part: string) => (text += part))
          response.on('end', () => resolve(text))
        })
        request.on('error', reject).end()
      })
      expect(JSON.parse(body).error.code, path).to.equal('validation_failed')
    }
  })
})
