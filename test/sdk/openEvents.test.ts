import { mock } from 'node:test'
import { expect } from 'chai'
import { IntentConnectionError, IntentTimeoutError } from '../../sdk/src/errors.js'
import { NoEventStreamError, openEvents } from '../../sdk/src/openEvents.js'
import { aStep } from './replies.js'

const first = aStep({ status: 'executing' })
const second = aStep({ status: 'success' })
const told = [
  { id: '1', step: first },
  { id: '2', step: second },
]

describe('an event stream', () => {
  const bytesOf = (text: string) => new TextEncoder().encode(text)

  /** What a stream tells that arrives in these pieces. */
  async function read(pieces: Uint8Array[], contentType = 'text/event-stream'): Promise<unknown[]> {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const piece of pieces) controller.enqueue(piece)
        controller.close()
      },
    })
    const seen: unknown[] = []
    const connect = async () => new Response(body, { headers: { 'content-type': contentType } })
    for await (const event of openEvents(connect, { signal: undefined, timeoutMs: 2_000 })) seen.push(event)
    return seen
  }

  for (const [name, end] of [
    ['line feeds', '\n'],
    ['carriage returns', '\r'],
    ['both', '\r\n'],
  ] as const) {
    it(`is read alike wherever it is cut, with ${name} at the ends of its lines`, async () => {
      const lines = [': hello', 'retry: 9', 'event: step', 'id: 1', `data: ${JSON.stringify(first)}`, '', ':', '']
      const more = [`data:${JSON.stringify({ ...second, error: { message: 'zu spät ✗\u2028' } })}`, 'id:2', '', '']
      const bytes = bytesOf([...lines, ...more].join(end))
      const expected = [told[0], { id: '2', step: { ...second, error: { message: 'zu spät ✗\u2028' } } }]
      // What ends in a carriage return alone might go on with a line feed, so one more line tells.
      const tail = bytesOf(': bye')
      for (let at = 0; at <= bytes.length; at++) {
        expect(await read([bytes.slice(0, at), bytes.slice(at), tail]), `cut at ${at}`).to.deep.equal(expected)
      }
    })
  }

  it('joins the lines of one event, and drops an event that is not ended', async () => {
    const [head, ...rest] = JSON.stringify(first, null, 1).split('\n')
    const text = ['id: 1', `data: ${head}`, ...rest.map((line) => `data: ${line}`), '', '', 'id: 2', 'data: {}'].join(
      '\n',
    )
    expect(await read([bytesOf(text)])).to.deep.equal([told[0]])
  })

  it('is none when it tells no steps, or is of another type', async () => {
    for (const data of ['hello', '7', 'null', '{']) {
      const error = await read([bytesOf(`data: ${data}\n\n`)]).catch((reason: unknown) => reason)
      expect(error, data).to.be.instanceOf(NoEventStreamError)
    }
    const page = await read([bytesOf('<html>')], 'text/html').catch((reason: unknown) => reason)
    expect(page).to.be.instanceOf(NoEventStreamError)
  })

  it('rejects when it breaks off, after what it told', async () => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(bytesOf(`id: 1\ndata: ${JSON.stringify(first)}\n\n`)),
      pull: (controller) => controller.error(new Error('gone')),
    })
    const connect = async () => new Response(body, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } })
    const stream = openEvents(connect, { signal: undefined, timeoutMs: 2_000 })
    const seen: unknown[] = []
    const error = await (async () => {
      for await (const event of stream) seen.push(event)
    })().catch((reason: unknown) => reason)
    expect(error).to.be.instanceOf(IntentConnectionError).and.not.instanceOf(NoEventStreamError)
    expect(seen).to.have.length.at.most(1)
  })

  it('is given up after 45 seconds of silence, so that it can be resumed', async () => {
    mock.timers.enable({ apis: ['setTimeout'] })
    try {
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(bytesOf(`id: 1\ndata: ${JSON.stringify(first)}\n\n`)),
      })
      const connect = async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } })
      const stream = openEvents(connect, { signal: undefined, timeoutMs: 2_000 })
      expect((await stream.next()).value).to.deep.equal(told[0])
      let error: unknown = null
      const ended = stream.next().catch((reason: unknown) => (error = reason))
      mock.timers.tick(44_999)
      await new Promise((resolve) => setImmediate(resolve))
      expect(error).to.equal(null)
      mock.timers.tick(1)
      await ended
      expect(error).to.be.instanceOf(IntentTimeoutError)
    } finally {
      mock.timers.reset()
    }
  })
})
