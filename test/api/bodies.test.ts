import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { heldTooMuch } from '../../server/api/connections/heldTooMuch.js'
import { exchange, post } from '../fuzz/wire.js'
import { type HttpLayer, startHttpLayer } from '../support/httpLayer.js'
import { pause } from '../support/pause.js'
import { until } from '../support/until.js'

const limit = 262_144
const path = '/venue-tx-hashes'
const record = {
  address: `0x${'1a'.repeat(20)}`,
  txHash: `0x${'ab'.repeat(32)}`,
  actionType: 'a',
  venue: 'b',
  chainId: 1,
}

describe('bodies on their way', () => {
  let http: HttpLayer
  let read: unknown[] = []

  beforeEach(async () => {
    read = []
    http = await startHttpLayer({
      async recordVenueTxHash({ body }) {
        read.push(body)
        return { status: 200, body: { success: true, data: null, error: null } as never }
      },
    })
  })
  afterEach(() => http.stop())

  it('are read as they were sent, however they are cut into pieces', async () => {
    const json = Buffer.from(JSON.stringify({ ...record, venue: 'Börse 取引所' }))
    const inChunks = (body: Buffer, headers: Record<string, string>) => {
      const head = post(path, '', { 'Content-Length': null, 'Transfer-Encoding': 'chunked', ...headers })
      const chunks = [...body].map((byte) =>
        Buffer.concat([Buffer.from('1\r\n'), Buffer.of(byte), Buffer.from('\r\n')]),
      )
      return Buffer.concat([head, ...chunks, Buffer.from('0\r\n\r\n')])
    }
    for (const bytes of [
      post(path, json),
      inChunks(json, {}),
      inChunks(gzipSync(json), { 'Content-Encoding': 'gzip' }),
      post(path, gzipSync(json), { 'Content-Encoding': 'GZip' }),
      post(path, Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), json])),
    ]) {
      const { answers } = await exchange(http.url, bytes)
      expect(answers.map(({ status }) => status)).to.deep.equal([200])
    }
    expect(read).to.deep.equal(Array(5).fill({ ...record, venue: 'Börse 取引所' }))
  })

  for (const [encoding, pack] of [
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const) {
    it(`end nothing but themselves where they break off behind the limit, packed as ${encoding}`, async () => {
      const unheard: unknown[] = []
      const listen = (error: unknown) => unheard.push(error)
      const others = process.listeners('uncaughtException')
      process.removeAllListeners('uncaughtException').on('uncaughtException', listen)
      try {
        for (const length of [limit + 1, 290_000, 400_000]) {
          const packed = pack(Buffer.alloc(length, '0'))
          for (const cut of [1, 4, 8]) {
            const request = post(path, packed.subarray(0, -cut), { 'Content-Encoding': encoding })
            const { answers } = await exchange(http.url, request)
            expect(answers.map(({ status }) => status)[0]).to.be.oneOf([400, 413])
          }
        }
        await pause(100)
      } finally {
        process.removeListener('uncaughtException', listen)
        for (const other of others) process.on('uncaughtException', other)
      }
      expect(unheard).to.deep.equal([])
    })
  }

  it('take up to the limit, as they come and unpacked, and nothing above it', async () => {
    const ofLength = (length: number) => JSON.stringify(record).padEnd(length)
    const gzip = { 'Content-Encoding': 'gzip' }
    const chunked = { 'Content-Length': null, 'Transfer-Encoding': 'chunked' }
    const inOne = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
    for (const [length, status] of [
      [limit, 200],
      [limit + 1, 413],
    ] as const) {
      const body = ofLength(length)
      for (const bytes of [post(path, body), post(path, gzipSync(body), gzip), post(path, inOne(body), chunked)]) {
        const { answers } = await exchange(http.url, bytes)
        expect(answers.map((answer) => answer.status)).to.deep.equal([status])
      }
    }
  })

  it('are kept packed until they have come whole', async () => {
    const packed = gzipSync(' '.repeat(limit))
    const bytes = post(path, packed.subarray(0, -1), {
      'Content-Length': String(packed.length),
      'Content-Encoding': 'gzip',
    })
    const before = memory()
    const stalled = Array.from({ length: 300 }, () => exchange(http.url, bytes, { withinMs: 20_000 }).catch(() => null))
    await until(async () => (await http.connections()) === 300, 'the connections')
    // Another one is answered when those before it are unpacked, if they are.
    const { answers } = await exchange(
      http.url,
      post(path, gzipSync(JSON.stringify(record)), { 'Content-Encoding': 'gzip' }),
    )
    expect(answers.map(({ status }) => status)).to.deep.equal([200])
    const grown = memory() - before
    http.breakOff()
    await Promise.all(stalled)
    // Unpacked they would be 78 MB.
    expect(grown).to.be.lessThan(40_000_000)
  }).timeout(30_000)

  it('are refused to who has most of them under way where they are too many, and to nobody else', async () => {
    const part = post(path, 'x'.repeat(limit - 1), { 'Content-Length': String(limit) })
    const json = JSON.stringify(record)
    const half = post(path, json.slice(0, 50), { 'Content-Length': String(json.length) })
    const rest = { bytes: json.slice(50), everyMs: 3_000 / json.length, once: true }
    const slow = exchange(http.url, half, { from: '127.0.0.2', answers: 1, drip: rest })
    await until(async () => (await http.connections()) === 1, 'the slow one')
    const crowd = Array.from({ length: 300 }, () => exchange(http.url, part, { from: '127.0.0.3', withinMs: 25_000 }))
    const refused = () => http.log.filter(({ status }) => status === 503).length
    // 256 of them have room; there is some again after each refusal.
    await until(() => refused() >= 44, 'the refusals', 10_000)
    expect((await slow).answers.map(({ status }) => status)).to.deep.equal([200])
    expect(refused()).to.be.lessThan(150)
    http.breakOff()
    for (const sent of await Promise.all(crowd)) {
      for (const { status, headers, body } of sent.answers) {
        expect([status, headers['retry-after']]).to.deep.equal([503, '5'])
        expect(JSON.parse(body).error.code).to.equal('unavailable')
      }
    }
  }).timeout(30_000)
})

describe('what clients hold', () => {
  it('is given up where it is too much: of who holds most his oldest, in turn, and not what holds nothing', () => {
    const held = [
      { name: 'small', client: 'a', bytes: 10 },
      { name: 'nothing', client: 'b', bytes: 0 },
      { name: 'old', client: 'b', bytes: 30 },
      { name: 'new', client: 'b', bytes: 30 },
      { name: 'other', client: 'c', bytes: 40 },
    ]
    const over = (most: number) => heldTooMuch(held, most).map(({ name }) => name)
    expect(over(110)).to.deep.equal([])
    expect(over(109)).to.deep.equal(['old'])
    expect(over(79)).to.deep.equal(['old', 'other'])
    expect(over(39)).to.deep.equal(['old', 'other', 'new'])
    expect(over(0)).to.deep.equal(['old', 'other', 'new', 'small'])
  })
})

/** What is held, once all that is not is gone. */
function memory(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
