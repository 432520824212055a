import { randomBytes } from 'node:crypto'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { connectionLimits } from '../../server/api/connections/httpServer.js'
import { createApi } from '../support/api.js'
import { useTestService } from '../support/useTestService.js'
import { createRowCounter } from './rowCounts.js'
import { type Chunk, exchange, expectRefused, get, post } from './wire.js'

const address = `0x${'1a'.repeat(20)}`
const record = { address, txHash: `0x${'ab'.repeat(32)}`, actionType: 'deposit', venue: 'a', chainId: 31337 }
const json = JSON.stringify(record)
const writing = ['/actions', '/venue-tx-hashes', '/coredeposit', '/airdrop/31337/usd', '/transaction/submit']

describe('bytes that no good client sends', function () {
  this.timeout(120_000)
  const { service } = useTestService({ ROLE: 'api' })
  let countRows: () => Promise<Record<string, number>>
  let rows: Record<string, number>

  before(async () => {
    countRows = await createRowCounter(service.database)
  })
  beforeEach(async () => {
    rows = await countRows()
  })
  afterEach(async () => {
    expect(await countRows(), 'rows by table').to.deep.equal(rows)
    expect(Object.hasOwn(Object.prototype, 'polluted')).to.equal(false)
    expect((await createApi(service.url).get('/readyz')).status).to.equal(200)
  })

  const refused = async (what: string, bytes: Chunk, statuses?: number[], options = {}) =>
    expectRefused(await exchange(service.url, bytes, options), what, statuses)

  describe('JSON', () => {
    const deep = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth)
    const bodies: Record<string, Chunk> = {
      'arrays in arrays': deep('[', ']', 130_000),
      'objects in objects': `${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}`,
      'arrays without an end': '['.repeat(250_000),
      'a deep user': `{"user":${deep('[', ']', 100_000)},"intents":[]}`,
      'deep intents': `{"user":"${address}","intents":${deep('[', ']', 100_000)}}`,
      'a number of 200,000 digits': `{"chainId":${'9'.repeat(200_000)}}`,
      'a number beyond doubles': '{"chainId":1e400}',
      'a word of 250,000 letters': `{"user":"${'x'.repeat(250_000)}"}`,
      'hex of 250,000 digits': `{"user":"0x${'0'.repeat(250_000)}"}`,
      '40,000 keys': `{${Array.from({ length: 20_000 }, (_, n) => `"k${n}":1`).join(',')}}`,
      '60,000 intents': `{"user":"${address}","intents":[${'{},'.repeat(60_000)}{}]}`,
      '100,000 nulls': `[${'null,'.repeat(50_000)}null]`,
      'a prototype': '{"__proto__":{"polluted":1}}',
      'a prototype deep inside': `{"user":"${address}","intents":[{"__proto__":{"polluted":1}}]}`,
      'an escaped prototype': '{"\\u005f_proto__":{"polluted":1}}',
      'a constructor': '{"constructor":{"prototype":{"polluted":1}}}',
      'names of methods': '{"toString":1,"hasOwnProperty":1,"valueOf":null,"toJSON":1}',
      'half a surrogate pair': '{"user":"\\ud800"}',
      'the NUL character': '{"user":"\\u0000","wallet":"\\u0000","address":"\\u0000"}',
      'right to left marks': '{"user":"\u202e0x\u2066","wallet":"\u202e"}',
      'a byte order mark': Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from('{}')]),
      'UTF-16': Buffer.from(json, 'utf16le'),
      'bytes that are no UTF-8': Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d]),
      'bare NUL bytes': Buffer.alloc(1_000),
      'a trailing comma': '{"user":1,}',
      'a comment': '{/* */"user":1}',
      NaN: '{"user":NaN}',
      'single quotes': "{'user':1}",
      'two values': '{}{}',
      'an empty key': '{"":{"":{}}}',
      null: 'null',
      false: 'false',
      'a number': '0',
      'a text': '"text"',
      'white space': ' \n\t ',
    }
    for (const [what, body] of Object.entries(bodies)) {
      it(`refuses ${what}`, async () => {
        for (const path of writing) await refused(`${path}: ${what}`, post(path, body), [400])
      })
    }

    it('takes the last of duplicate keys, and refuses by it', async () => {
      await refused(
        'last is bad',
        post('/venue-tx-hashes', json.replace('{', '{"chainId":31337,').replace(/31337}$/, '"x"}')),
        [400],
      )
    })
  })

  it('refuses other types and charsets with 415', async () => {
    for (const type of [
      null,
      '',
      'text/plain',
      'text/json',
      'application/jsonx',
      'application/json, text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/json; charset=utf-16',
      'application/json; charset=iso-8859-1',
      'application/json; charset=\u00ff',
      'application/json; charset=utf-7',
      'application/json; charset="',
      '*/*',
    ]) {
      for (const path of writing)
        await refused(`${path} as ${type}`, post(path, '{}', { 'Content-Type': type }), [400, 415])
    }
  })

  it('takes chunks without a byte for no body, whatever they are said to be', async () => {
    const path = '/actions/0190a5b2-0000-7000-8000-000000000000/intents/0/steps/0'
    const untyped = { Connection: null, 'Content-Length': null, 'Content-Type': null, 'Transfer-Encoding': 'chunked' }
    for (const [chunks, status] of [
      ['0\r\n\r\n', 404],
      ['2\r\n{}\r\n0\r\n\r\n', 415],
    ] as const) {
      const head = post(path, '', untyped).toString()
      const next = get('/livez').toString()
      const atOnce = await exchange(service.url, head + chunks + next, { answers: 2 })
      const drip = { bytes: chunks + next, everyMs: 5, once: true }
      const late = await exchange(service.url, head, { answers: 2, drip })
      for (const { answers } of [atOnce, late]) expect(answers.map((sent) => sent.status)).to.deep.equal([status, 200])
    }
  })

  it('carries out nothing for chunks that break off before the first byte', async () => {
    const path = '/actions/0190a5b2-0000-7000-8000-000000000000/intents/0/steps/0'
    const head = post(path, '', { 'Content-Length': null, 'Content-Type': null, 'Transfer-Encoding': 'chunked' })
    for (const begun of ['', '40\r\n']) {
      const sent = await exchange(service.url, head + begun, { halfCloseAfterMs: 50 })
      expectRefused(sent, begun, [400])
    }
  })

  it('reads what it refuses to its end, so that what follows on the connection is answered', async () => {
    const length = 2_000_000
    const inChunks = `${length.toString(16)}\r\n${'a'.repeat(length)}\r\n0\r\n\r\n`
    const chunked = { Connection: null, 'Content-Length': null, 'Transfer-Encoding': 'chunked' }
    const packed = { Connection: null, 'Content-Encoding': 'gzip' }
    const step = '/actions/0190a5b2-0000-7000-8000-000000000000/intents/0/steps/0'
    const random = Buffer.from(Array.from({ length }, (_, index) => (index * 7919) % 251))
    for (const [refused, status] of [
      [post('/actions', random, packed), 413],
      [post('/actions', gzipSync(randomBytes(length)), packed), 413],
      [Buffer.concat([post('/actions', '', chunked), Buffer.from(inChunks)]), 413],
      [Buffer.concat([post(step, '', { ...chunked, 'Content-Type': null }), Buffer.from(inChunks)]), 415],
    ] as const) {
      const { answers } = await exchange(service.url, Buffer.concat([refused, get('/livez')]), { answers: 2 })
      expect(answers.map((sent) => sent.status)).to.deep.equal([status, 200])
    }
  })

  it('refuses packed bodies that burst, lie or are packed in an unknown way, in little time', async () => {
    const zeros = Buffer.alloc(50_000_000, '0')
    const packed: [string, string, Uint8Array][] = [
      ['a bomb', 'gzip', gzipSync(zeros)],
      ['a bomb', 'br', brotliCompressSync(zeros, { params: { 1: 3 } })],
      ['a bomb', 'deflate', deflateSync(zeros)],
      ['packed twice', 'gzip, gzip', gzipSync(gzipSync(json))],
      ['a part', 'gzip', gzipSync(json).subarray(0, 30)],
      ['a part', 'br', brotliCompressSync(json).subarray(0, 30)],
      ['a part', 'deflate', deflateSync(json).subarray(0, 30)],
      ['a lie', 'gzip', Buffer.from(json)],
      ['a lie', 'br', Buffer.from(json)],
      ['a lie', 'deflate', Buffer.from(json)],
      ['gzip', 'br', gzipSync(json)],
      ['nothing known', 'zstd', Buffer.from(json)],
      ['nothing known', 'compress', Buffer.from(json)],
      ['nothing known', '__proto__', Buffer.from(json)],
    ]
    for (const [what, encoding, body] of packed) {
      for (const path of ['/actions', '/venue-tx-hashes']) {
        const sent = await exchange(service.url, post(path, body, { 'Content-Encoding': encoding }))
        expectRefused(sent, `${what} as ${encoding}`, [400, 413, 415])
        expect(sent.ms, `${what} as ${encoding}`).to.be.lessThan(3_000)
      }
    }
  })

  it('refuses bodies whose length is a riddle', async () => {
    const path = '/venue-tx-hashes'
    const chunked = { 'Content-Length': null, 'Transfer-Encoding': 'chunked' }
    const riddles: [string, Buffer, { halfCloseAfterMs?: number }?][] = [
      ['a negative length', post(path, json, { 'Content-Length': '-1' })],
      ['no number', post(path, json, { 'Content-Length': 'many' })],
      ['hex', post(path, json, { 'Content-Length': '0x10' })],
      ['beyond integers', post(path, json, { 'Content-Length': '99999999999999999999999' })],
      ['two lengths', post(path, json, { 'Content-length': '5' })],
      ['a list', post(path, json, { 'Content-Length': '5, 5' })],
      ['both length and chunks', post(path, '0\r\n\r\n', { 'Transfer-Encoding': 'chunked' })],
      ['too short', post(path, json, { 'Content-Length': '10' })],
      ['too long', post(path, json, { 'Content-Length': '5000' }), { halfCloseAfterMs: 0 }],
      ['far too long', post(path, json, { 'Content-Length': '99999999999' })],
      ['no chunks', post(path, json, chunked)],
      ['a negative chunk', post(path, '-1\r\na\r\n0\r\n\r\n', chunked)],
      ['an endless chunk', post(path, 'ffffffffffffffffff\r\na', chunked)],
      ['a cut chunk', post(path, '50\r\nabc', chunked), { halfCloseAfterMs: 0 }],
      ['long extensions', post(path, `1;${'x'.repeat(20_000)}\r\na\r\n0\r\n\r\n`, chunked)],
      ['chunks that are not last', post(path, json, { 'Content-Length': null, 'Transfer-Encoding': 'chunked, gzip' })],
      ['neither', post(path, json, { 'Content-Length': null })],
    ]
    for (const [what, bytes, options] of riddles) await refused(what, bytes, undefined, options)
  })

  it('refuses what is no HTTP, and headers beyond measure', async () => {
    const line = (first: string, rest = '') =>
      Buffer.from(`${first}\r\nHost: a\r\nConnection: close\r\n${rest}\r\n`, 'latin1')
    const cases: Record<string, Buffer> = {
      'a TLS greeting': Buffer.from('16030100c8010000c40303', 'hex'),
      'HTTP/2': Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
      'NUL bytes': Buffer.alloc(100),
      'another version': line('GET /chains HTTP/9.9'),
      'an unknown method': line('BREW /chains HTTP/1.1'),
      'small letters': line('get /chains HTTP/1.1'),
      'another known method': line('TRACE /chains HTTP/1.1'),
      'a tunnel': line('CONNECT example.org:443 HTTP/1.1'),
      'a bare path': line('/chains'),
      'spaces in the path': line('GET /chains /x HTTP/1.1'),
      'raw bytes in the path': line('GET /\xff\xfe HTTP/1.1'),
      'a NUL in the path': line('GET /ch\0ains HTTP/1.1'),
      'a NUL in a header': line('GET /nowhere HTTP/1.1', 'X-A: a\0b\r\n'),
      'a header without a colon': line('GET /nowhere HTTP/1.1', 'nonsense\r\n'),
      'a header with a space': line('GET /nowhere HTTP/1.1', 'a b: c\r\n'),
      'a folded header': line('GET /nowhere HTTP/1.1', 'a: b\r\n c\r\n'),
      'no host': Buffer.from('GET /chains HTTP/1.1\r\nConnection: close\r\n\r\n'),
      'bare line feeds': Buffer.from('GET /nowhere HTTP/1.1\nHost: a\nConnection: close\n\n'),
      'thousands of headers': get('/nowhere', Array.from({ length: 3_000 }, (_, n) => `h${n}: 1\r\n`).join('')),
      'thousands of short headers': get('/nowhere', 'a:\r\n'.repeat(3_500)),
      'a long header': get('/nowhere', `x: ${'y'.repeat(100_000)}\r\n`),
      'a long path': get(`/${'x'.repeat(100_000)}`),
      'a fairly long path': get(`/actions/${'x'.repeat(15_000)}`),
      'an unknown expectation': get('/nowhere', 'Expect: miracles\r\n'),
      'an upgrade': get('/nowhere', 'Upgrade: websocket\r\n').fill('Upgrade; ', 0, 0),
      'nothing but line ends': Buffer.from('\r\n'.repeat(50) + 'x\r\n\r\n'),
    }
    for (const [what, bytes] of Object.entries(cases)) await refused(what, bytes)
    const overflow = await exchange(service.url, cases['a long header']!)
    if (overflow.answers.length > 0) expect(overflow.answers[0]!.status).to.equal(431)
  })

  it('reads paths once, and finds nothing by tricks with them', async () => {
    const tricks = [
      '/%',
      '/%zz',
      '/%00',
      '/%c0%ae%c0%ae/',
      '/%ff',
      '/%e0%a4%a',
      '/..%2f..%2fetc%2fpasswd',
      '/docs/../../package.json',
      '/docs/..%2f..%2fpackage.json',
      '/docs/%2e%2e/package.json',
      '/explorer/files/..%2f..%2fconfig.ts',
      '/explorer/files/%2e%2e/page.html',
      '//chains',
      '/chains%2f',
      '/chains%00',
      '/chains;a=1',
      '/%63hains/x',
      '/CHAINS',
      '\\chains',
      '/actions/%2e%2e',
      '/actions/..',
      '/actions/%00',
      '/actions/%F0%9F%92%A9',
      '/actions/__proto__',
      '/actions/constructor/intents/0',
      '/actions/a/intents/00',
      '/actions/a/intents/%30%30',
      '/actions/a/intents/2147483648',
      '/actions/a/intents/0/steps/-0',
      `/actions/${'a/'.repeat(2_000)}`,
      '/venue-tx-hashes/verify/%00',
      `/venue-tx-hashes?address=${address}&count=%EF%BC%91`,
      `/venue-tx-hashes?address=${address}&address=${address}`,
      '/venue-tx-hashes?address[]=1&__proto__[a]=1',
      `/venue-tx-hashes?${'a=1&'.repeat(1_200)}`,
      '/intent/%25%30%30/step/0/status',
      '/intent/a%2f0/step/0/status',
      '/coredeposit/0x0',
      'http://elsewhere.example/nowhere',
    ]
    for (const path of tricks) await refused(path, get(path))
  })

  it('lives through targets with a scheme and a host, sound or not', async () => {
    const authorities = [
      '[::1',
      '[',
      '[]',
      'x:99999999',
      'x:-1',
      'a b',
      'a^b',
      '%',
      '%zz@h',
      'u:%@h',
      ':@',
      '@',
      '*',
      '|',
    ]
    const schemes = ['http', 'HTTP', 'https', 'ftp', 'javascript', 'file', 'ws']
    for (const scheme of schemes) {
      for (const authority of [...authorities, '', 'elsewhere.example', 'u:p@elsewhere.example:80']) {
        for (const path of ['/nowhere', '', '?a=[', '#x']) {
          const target = `${scheme}://${authority}${path}`
          await refused(target, get(target))
        }
      }
    }
    const sound = await exchange(service.url, get('http://u:p@elsewhere.example:80/livez?a=1'))
    expect(sound.answers.map(({ status }) => status)).to.deep.equal([200])
  })

  it('answers pipelined requests in their order, and garbage after them with nothing wrong', async () => {
    // One that is answered, and as many as may wait behind it.
    const length = 1 + connectionLimits.waiting
    const many = Array.from({ length }, (_, n) => {
      const path = n % 3 === 0 ? '/nowhere' : '/livez'
      return `GET ${path} HTTP/1.1\r\nHost: a\r\nx-request-id: r${n}\r\n\r\n`
    }).join('')
    const piped = await exchange(service.url, many, { answers: length })
    expect(piped.answers.map(({ headers }) => headers['x-request-id'])).to.deep.equal(
      Array.from({ length }, (_, n) => `r${n}`),
    )
    expect(piped.answers.map(({ status }) => status)).to.deep.equal(
      Array.from({ length }, (_, n) => (n % 3 ? 200 : 404)),
    )
    const spoilt = await exchange(service.url, `GET /health HTTP/1.1\r\nHost: a\r\n\r\n\0\0garbage\r\n\r\n`)
    for (const { status } of spoilt.answers) expect(status).to.be.oneOf([200, 400])
    expect(spoilt.isClosed).to.equal(true)
  })

  it('lives through clients that vanish in the middle', async () => {
    const full = post('/venue-tx-hashes', json)
    const cuts = Array.from({ length: 60 }, (_, n) => Math.floor(((n + 1) * (full.length - 1)) / 61))
    for (const sent of await Promise.all(
      cuts.map((cut) => exchange(service.url, full.subarray(0, cut), { halfCloseAfterMs: 0 })),
    )) {
      expectRefused(sent, 'half a request')
    }
  })
})
