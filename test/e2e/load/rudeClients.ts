import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { exchange, expectRefused, get, post } from '../../fuzz/wire.js'
import type { Random } from '../../support/random.js'

/** What clients do beneath HTTP, and what each has to get for it. `actionIds` are those that there are by then. */
export type RudeClient = { what: string; act(url: string, random: Random, actionIds: readonly string[]): Promise<void> }

const withinMs = 60_000
const nothing = '{"intents":['

export const rudeClients: readonly RudeClient[] = [
  refused('huge headers', () => get('/livez', `X-Much: ${'y'.repeat(40_000)}\r\n`), [431]),
  refused('no HTTP', () => 'HELO example.org\r\n\r\n', [400]),
  refused('a length that is none', () => post('/actions', '', { 'Content-Length': '-5' }), [400]),
  refused(
    'two lengths',
    () => post('/actions', '{}', { 'content-length': '2', 'Transfer-Encoding': 'chunked' }),
    [400],
  ),
  refused(
    'a body that is announced as too large',
    () => post('/actions', nothing, { 'Content-Length': '9000000' }),
    [413],
  ),
  refused('too much in chunks', () => chunked('x'.repeat(400_000)), [413, 400]),
  refused(
    'much in little',
    () => post('/actions', gzipSync('0'.repeat(30_000_000)), { 'Content-Encoding': 'gzip' }),
    [413],
  ),
  {
    what: 'a body that comes slowly',
    async act(url) {
      const body = '{"user":"0x12"}'
      const head = post('/actions', '', { 'Content-Length': String(body.length) })
      const { answers } = await exchange(url, head, {
        answers: 1,
        drip: { bytes: body, everyMs: 100, once: true },
        withinMs,
      })
      expectRefused({ answers, isClosed: true, ms: 0 }, this.what, [400])
      expect(answers).to.have.length(1)
    },
  },
  gone('half of a body', () => post('/actions', nothing, { 'Content-Length': '5000' })),
  gone('half of the headers', () => 'POST /actions HTTP/1.1\r\nHost: localhost\r\nContent-Le'),
  gone('nothing at all', () => ''),
  gone('a question without a wait for the answer', () => get('/actions?limit=100')),
  {
    what: 'events that nobody reads to the end',
    async act(url, random, actionIds) {
      if (actionIds.length === 0) return
      const leaving = new AbortController()
      const path = `/actions/${random.pick(actionIds)}/events`
      const headers = { 'last-event-id': String(random.below(5)) }
      const response = await fetch(url + path, { headers, signal: leaving.signal })
      expect(response.status).to.be.oneOf([200, 204])
      await response.body?.getReader().read()
      leaving.abort()
    },
  },
]

function refused(what: string, bytes: () => string | Uint8Array, statuses: number[]): RudeClient {
  return {
    what,
    async act(url) {
      expectRefused(await exchange(url, bytes(), { withinMs }), what, statuses)
    },
  }
}

function gone(what: string, bytes: () => string | Uint8Array): RudeClient {
  return {
    what,
    async act(url, random) {
      await exchange(url, bytes(), { hangUpAfterMs: random.below(50), withinMs })
    },
  }
}

function chunked(text: string): Buffer {
  const head = post('/actions', '', { 'Content-Length': null, 'Transfer-Encoding': 'chunked' })
  return Buffer.concat([head, Buffer.from(`${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`)])
}
