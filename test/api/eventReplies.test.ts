import { request } from 'node:http'
import { expect } from 'chai'
import { type Handlers, type StreamEvent } from '../../server/api/handlerTypes.js'
import type * as wire from '../../server/api/generated/types.gen.js'
import { createApi } from '../support/api.js'
import { type HttpLayer, startHttpLayer } from '../support/httpLayer.js'
import { until } from '../support/until.js'
import { actionId, step } from './aStep.js'

describe('a reply of events', () => {
  let http: HttpLayer
  afterEach(() => http.stop())

  const start = async (handlers: Partial<Handlers>) => {
    http = await startHttpLayer(handlers)
    return createApi(http.url)
  }

  const path = `/actions/${actionId}/events`
  const event = { ...step, traceId: null }
  const events = (stream: () => AsyncIterable<StreamEvent<wire.StepEvent>>): Partial<Handlers> => ({
    streamActionEvents: async () => ({ status: 200, body: stream() }),
  })

  it('comes as server-sent events and ends with the action', async () => {
    const api = await start(
      events(async function* () {
        yield { id: '1', event: 'step', data: event }
        yield { id: '2', event: 'step', data: { ...event, status: 'success' } }
      }),
    )
    const reply = await api.get(path)
    expect(reply.headers.get('content-type')).to.contain('text/event-stream')
    // Comments, which clients skip, keep the connection.
    expect(reply.body.replaceAll(/^:.*\n\n/gm, '')).to.equal(
      `id: 1\nevent: step\ndata: ${JSON.stringify(event)}\n\n` +
        `id: 2\nevent: step\ndata: ${JSON.stringify({ ...event, status: 'success' })}\n\n`,
    )
  })

  it('is 204 when nothing will follow', async () => {
    const api = await start({ streamActionEvents: async () => ({ status: 204 }) })
    const reply = await api.get(path, { 'last-event-id': '7' })
    expect([reply.status, reply.body]).to.deep.equal([204, ''])
    expect(reply.headers.get('cache-control')).to.equal('no-store')
  })

  it('stops when the client hangs up, and when the server shuts down', async () => {
    const ended: boolean[] = []
    await start({
      streamActionEvents: async ({ signal }) => ({
        status: 200,
        body: (async function* () {
          yield { id: '1', event: 'step', data: event }
          await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
          ended.push(signal.aborted)
        })(),
      }),
    })
    const client = new AbortController()
    const stream = await fetch(http.url + path, { signal: client.signal })
    await stream.body!.getReader().read()
    client.abort()
    await until(() => ended.length === 1, 'the end of the stream')
    expect(http.log.filter(({ level }) => level === 50)).to.deep.equal([])

    const other = await fetch(http.url + path)
    const reader = other.body!.getReader()
    await reader.read()
    http.shutdown.abort()
    expect((await reader.read()).done).to.equal(true)
    expect(ended).to.deep.equal([true, true])
  })

  it('breaks off where it fails, which the log tells', async () => {
    await start(
      events(async function* () {
        yield { id: '1', event: 'step', data: event }
        throw new Error('a row that nobody can read')
      }),
    )
    // Not by fetch, which takes the end of a connection that is to be closed for the end of the answer.
    const isWhole = await new Promise<boolean>((resolve) => {
      const asked = request(http.url + path, (answer) => {
        answer.on('error', () => undefined).once('close', () => resolve(answer.complete))
        answer.resume()
      })
      asked.once('error', () => resolve(false)).end()
    })
    expect(isWhole).to.equal(false)
    const broken = () => http.log.filter(({ msg }) => msg === 'an answer has broken off')
    await until(() => broken().length === 1, 'a line of the log')
    expect(broken()[0]).to.include({ level: 50, operationId: 'streamActionEvents', actionId })
    expect((broken()[0]!.err as { message: string }).message).to.equal('a row that nobody can read')
  })

  it('has no body for HEAD', async () => {
    await start(
      events(async function* () {
        yield { id: '1', event: 'step', data: event }
      }),
    )
    const reply = await fetch(http.url + path, { method: 'HEAD' })
    expect([reply.status, await reply.text()]).to.deep.equal([200, ''])
  })
})
