import { expect } from 'chai'
import fc from 'fast-check'
import { createApi } from '../support/api.js'
import { useTestService } from '../support/useTestService.js'
import { newUser, signedIntent } from '../support/wallets.js'
import { createRowCounter } from './rowCounts.js'
import { exchange, get, post } from './wire.js'

const seed = Number(process.env.FUZZ_SEED ?? 20_261_121)
/** Long enough for an answer, mostly. */
const halfCloseAfterMs = 50
const runs = Number(process.env.FUZZ_RUNS ?? 100)

/** What is done to the bytes of a sound request, at a place between its beginning (0) and its end (1). */
const change = fc.record({
  how: fc.constantFrom('flip', 'replace', 'insert', 'remove', 'repeat', 'cut', 'swapEnds'),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.nat({ max: 40 }),
  bytes: fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 24 }),
    fc
      .constantFrom('\r\n', '\r\n\r\n', '\0', ' ', ':', '\t', '%', '{', '"', 'HTTP/1.1', 'Content-Length: 9\r\n')
      .map((text) => new Uint8Array(Buffer.from(text))),
  ),
})
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never

function apply(request: Buffer, { how, at, length, bytes }: Change): Buffer {
  const from = Math.floor(at * request.length)
  const [head, part, tail] = [
    request.subarray(0, from),
    request.subarray(from, from + length),
    request.subarray(from + length),
  ]
  switch (how) {
    case 'flip':
      return Buffer.concat([head, part.map((byte) => byte ^ (bytes[0]! | 1)), tail])
    case 'replace':
      return Buffer.concat([head, bytes, tail])
    case 'insert':
      return Buffer.concat([head, bytes, part, tail])
    case 'remove':
      return Buffer.concat([head, tail])
    case 'repeat':
      return Buffer.concat([head, part, part, part, tail])
    case 'cut':
      return head
    case 'swapEnds':
      return Buffer.concat([part, tail, head])
  }
}

describe(`sound requests with bytes changed (FUZZ_SEED=${seed} FUZZ_RUNS=${runs})`, function () {
  this.timeout(120_000 + runs * 500)
  const { service } = useTestService({ ROLE: 'api' })
  let requests: Buffer[]
  let countRows: () => Promise<Record<string, number>>

  before(async () => {
    countRows = await createRowCounter(service.database)
    const user = newUser()
    const [chain] = service.chains
    const call = { to: user.address, value: 0n, data: '0x' as const }
    const intents = [await signedIntent(user, [{ chainId: chain.chainId, tokenTransfers: [], calls: [call] }])]
    const action = JSON.stringify({ user: user.address, chainAuthorizations: [], intents })
    const record = { txHash: `0x${'ab'.repeat(32)}`, actionType: 'deposit', venue: 'a', chainId: chain.chainId }
    requests = [
      get('/chains'),
      get(`/venue-tx-hashes?address=${user.address}&count=1`, 'If-None-Match: "x"\r\nAccept-Encoding: gzip\r\n'),
      post('/actions', action, {
        'Idempotency-Key': 'a-key',
        Prefer: 'wait=0',
        traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
      }),
      post('/venue-tx-hashes', JSON.stringify({ address: user.address, ...record })),
    ]
  })

  it('are answered as the spec has it or cut off, and store nothing that was not accepted', async () => {
    let rows = await countRows()
    const statuses = new Set<number>()
    const property = fc.asyncProperty(
      fc.nat({ max: 3 }),
      fc.array(change, { minLength: 1, maxLength: 4 }),
      async (which, changes) => {
        const bytes = changes.reduce(apply, requests[which]!)
        // Saying that nothing more comes ends what would be waited for.
        const { answers, isClosed, ms } = await exchange(service.url, bytes, { halfCloseAfterMs })
        expect(isClosed).to.equal(true)
        expect(ms).to.be.lessThan(5_000)
        for (const { status, headers, body } of answers) {
          statuses.add(status)
          expect(status, body).to.be.lessThan(500)
          if (status < 400 || body === '') continue
          expect(headers['content-type']).to.contain('application/json')
          expect(JSON.parse(body)).to.have.property('error')
          expect(body).not.to.match(/\bat .*\.(ts|js):\d+/)
        }
        const before = rows
        rows = await countRows()
        // What was sound and cut off may have been accepted.
        const isRefused = answers.length > 0 && !answers.some(({ status }) => status < 300)
        if (isRefused) expect(rows, 'rows by table').to.deep.equal(before)
      },
    )
    await fc.assert(property, { seed, numRuns: runs, endOnFailure: process.env.CI !== undefined })
    expect([...statuses]).to.include.members([200, 400])
    expect((await createApi(service.url).get('/readyz')).status).to.equal(200)
  })
})
