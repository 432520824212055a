import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { load } from 'js-yaml'
import { createActionHandlers } from '../../server/api/handlers/actions.js'
import { loadSpec } from '../../server/api/spec.js'
import type { ActionsService, CreateRequest } from '../../server/services/actions.js'
import { createApi, type Api } from '../support/api.js'
import { type HttpLayer, startHttpLayer } from '../support/httpLayer.js'

const actionId = '019a9c3e-5b7a-7c21-9d0e-3f6a8b2c4d5e'
const user = '0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc'
const json = { 'content-type': 'application/json' }

type Fields = Record<string, unknown>
/** A body in the shape of the spec, into which a test writes anything. */
type Batch = Fields & { tokenTransfers: Fields[]; calls: [Fields, ...Fields[]] }
type Intent = Fields & { chainBatches: [Batch, ...Batch[]] }
type Body = Fields & { chainAuthorizations?: Fields[]; intents: [Intent, ...Intent[]] }

const { components } = load((await loadSpec()).text) as { components: { examples: Record<string, { value: Body }> } }
const example = (name: string): Body => structuredClone(components.examples[name]!.value)

describe('an action on its way to the services', () => {
  let http: HttpLayer
  let api: Api
  let created: CreateRequest[] = []

  // The services' side of the seam: what reaches it is what these tests are about.
  const actions = {
    async create(request: CreateRequest) {
      created.push(request)
      return { actionId, intentIds: request.intents.map((_, index) => `${actionId}/${index}`), replayed: false }
    },
  } as unknown as ActionsService

  before(async () => {
    http = await startHttpLayer(createActionHandlers(actions))
    api = createApi(http.url)
  })
  after(() => http.stop())
  beforeEach(() => {
    created = []
  })

  const issuesOf = async (body: unknown): Promise<{ path: string; message: string; code: string }[]> => {
    const reply = await api.post('/actions', body)
    expect(reply.status).to.equal(400)
    expect(reply.body.error).to.equal('Schema validation failed')
    return reply.body.issues
  }

  describe('POST /actions', () => {
    it('takes every example of the spec', async () => {
      for (const name of [
        'SignedActionRequest',
        'OnDemandActionRequest',
        'AllModesActionRequest',
        'WayOutActionRequest',
      ])
        expect((await api.post('/actions', example(name))).status, name).to.equal(201)
      expect(created).to.have.length(4)
    })

    it('passes an action on in lower case, with amounts as bigint and one name for the native currency', async () => {
      const body = example('AllModesActionRequest')
      body.chainAuthorizations = [{ address: user, chainId: 31337, nonce: 0, r: '0xAB', s: `0x${'Cd'.repeat(32)}` }]
      body.intents[1]!.chainBatches[0].tokenTransfers.push(
        { from: 'solver', to: user, token: '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE', amount: '7' },
        { from: 'solver', to: user, token: user, amount: (2n ** 256n - 1n).toString() },
      )
      await api.post('/actions', body, { 'idempotency-key': 'my key' })
      const [request] = created
      expect(request).to.include({ user: user.toLowerCase(), idempotencyKey: 'my key' })
      expect(request!.chainAuthorizations).to.deep.equal([
        {
          address: user.toLowerCase(),
          chainId: 31337,
          nonce: 0,
          r: `0x${'ab'.padStart(64, '0')}`,
          s: `0x${'cd'.repeat(32)}`,
          yParity: 0,
        },
      ])
      const [, onDemand, presign] = request!.intents
      const transfers = onDemand!.chainBatches[0]!.tokenTransfers
      const native = `0x${'0'.repeat(40)}`
      expect(transfers.map((transfer) => transfer.token)).to.deep.equal([native, native, user.toLowerCase()])
      expect(transfers.map((transfer) => transfer.amount)).to.deep.equal([10n ** 18n, 7n, 2n ** 256n - 1n])
      expect(transfers.map((transfer) => transfer.from)).to.deep.equal([user.toLowerCase(), 'solver', 'solver'])
      expect(onDemand!.chainBatches[0]!.calls).to.have.length(1)
      expect((presign as { callSignatures: string[] }).callSignatures).to.have.length(1)
    })

    it('drops what it does not know', async () => {
      const body = example('OnDemandActionRequest')
      await api.post('/actions?verbose=1', body)
      body.note = 'a note'
      body.intents[0].note = 'a note'
      body.intents[0].chainBatches[0].tokenTransfers[0]!.note = 'a note'
      expect((await api.post('/actions', body)).status).to.equal(201)
      expect(created[1]).to.deep.equal(created[0])
    })

    it('refuses a query that nobody can read by its own kind of body', async () => {
      const refused = await api.post('/actions?verbose=%E0%A4%A', example('OnDemandActionRequest'))
      expect(refused.status).to.equal(400)
      expect(refused.body.error).to.equal('The query has a malformed percent escape')
      expect(created).to.have.length(0)
    })

    it('tells every violation at once, with its place, its rule and a sentence', async () => {
      const body = example('SignedActionRequest')
      const [intent] = body.intents
      body.user = '0x12'
      delete intent.chainBatches[1]!.hash
      intent.nbf = '0'
      intent.signatureType = 'schnorr'
      intent.chainBatches[0].chainId = 0
      intent.chainBatches[0].tokenTransfers[0]!.amount = 25000000
      intent.chainBatches[0].tokenTransfers[0]!.from = 'nobody'
      intent.chainBatches[1]!.tokenTransfers[0]!.amount = (2n ** 256n).toString()
      intent.chainBatches[1]!.calls[0].data = '0xabc'
      body.chainAuthorizations![0]!.yParity = 27
      body.chainAuthorizations![0]!.r = `0x${'1'.repeat(66)}`
      const issues = await issuesOf(body)
      const wanted = [
        ['/user', 'pattern', 'user must be an address, 0x and 40 hex digits'],
        ['/chainAuthorizations/0/r', 'pattern', 'r must be a number in hex, 0x and 1 to 64 hex digits'],
        ['/chainAuthorizations/0/yParity', 'enum', 'yParity must be one of 0, 1'],
        ['/intents/0/signatureType', 'enum', 'signatureType must be one of ecdsa, eip712'],
        ['/intents/0/nbf', 'type', 'nbf must be an integer'],
        ['/intents/0/chainBatches/1/hash', 'required', 'hash is required'],
        ['/intents/0/chainBatches/0/chainId', 'minimum', 'chainId must be at least 1'],
        [
          '/intents/0/chainBatches/0/tokenTransfers/0/amount',
          'type',
          'amount must be a string of decimal digits without leading zeros, at most 2^256-1',
        ],
        [
          '/intents/0/chainBatches/0/tokenTransfers/0/from',
          'pattern',
          'from must be an address, 0x and 40 hex digits, or "solver"',
        ],
        [
          '/intents/0/chainBatches/1/tokenTransfers/0/amount',
          'format',
          'amount must be a string of decimal digits without leading zeros, at most 2^256-1',
        ],
        ['/intents/0/chainBatches/1/calls/0/data', 'pattern', 'data must be hex, 0x and an even number of hex digits'],
      ]
      expect(issues.map(({ path, code, message }) => [path, code, message])).to.have.deep.members(wanted)
      expect(created).to.deep.equal([])
    })

    it('tells 50 violations of the schema at most', async () => {
      const body = example('OnDemandActionRequest')
      const [batch] = body.intents[0].chainBatches
      batch.tokenTransfers = Array.from({ length: 32 }, () => ({}))
      expect(await issuesOf(body)).to.have.length(50)
    })

    it('names the modes it knows when it is given none of them', async () => {
      const body = example('OnDemandActionRequest')
      const intents = [{ ...body.intents[0], mode: '4337' }, { chainBatches: [] }]
      expect(await issuesOf({ ...body, intents })).to.deep.equal([
        {
          path: '/intents/0/mode',
          message: 'mode must be one of 7702, non-7702:on-demand, non-7702:presign',
          code: 'discriminator',
        },
        { path: '/intents/1/mode', message: 'mode is required', code: 'required' },
      ])
    })

    it('takes as many intents, batches, transfers, calls and bytes as the spec allows, and no more', async () => {
      const withIntents = (count: number) => {
        const body = example('OnDemandActionRequest')
        return { ...body, intents: Array.from({ length: count }, () => body.intents[0]) }
      }
      expect((await api.post('/actions', withIntents(16))).status).to.equal(201)
      expect(await issuesOf(withIntents(17))).to.deep.equal([
        { path: '/intents', message: 'intents must have at most 16 items', code: 'maxItems' },
      ])
      expect(await issuesOf(withIntents(0))).to.deep.equal([
        { path: '/intents', message: 'intents must have at least 1 item', code: 'minItems' },
      ])
      const grown = async (change: (intent: Intent) => void) => {
        const body = example('SignedActionRequest')
        change(body.intents[0])
        return (await issuesOf(body)).map(({ path, code }) => [path, code])
      }
      const many = <T>(item: T, count: number): [T, ...T[]] => [item, ...Array.from({ length: count - 1 }, () => item)]
      expect(await grown((i) => (i.chainBatches = many(i.chainBatches[0], 17)))).to.deep.equal([
        ['/intents/0/chainBatches', 'maxItems'],
      ])
      expect(await grown(({ chainBatches: [b] }) => (b.calls = many(b.calls[0], 65)))).to.deep.equal([
        ['/intents/0/chainBatches/0/calls', 'maxItems'],
      ])
      expect(await grown(({ chainBatches: [b] }) => (b.tokenTransfers = many(b.tokenTransfers[0]!, 33)))).to.deep.equal(
        [['/intents/0/chainBatches/0/tokenTransfers', 'maxItems']],
      )
      const data = (bytes: number) => `0x${'00'.repeat(bytes)}`
      expect(await grown(({ chainBatches: [b] }) => (b.calls[0].data = data(65_537)))).to.deep.equal([
        ['/intents/0/chainBatches/0/calls/0/data', 'maxLength'],
      ])
      const largest = example('SignedActionRequest')
      largest.intents[0].chainBatches[0].calls[0].data = data(65_536)
      expect((await api.post('/actions', largest)).status).to.equal(201)
    })

    it('wants chainAuthorizations for a 7702 intent, in these words and after the schema', async () => {
      const body = example('SignedActionRequest')
      delete body.chainAuthorizations
      const reply = await api.post('/actions', body)
      expect(reply.status).to.equal(400)
      expect(reply.body).to.deep.equal({
        error: 'chainAuthorizations are required for 7702 intents',
        requestId: reply.headers.get('x-request-id'),
      })
      expect(await issuesOf({ ...body, user: 1 })).to.have.length(1)
      expect((await api.post('/actions', { ...body, chainAuthorizations: [] })).status).to.equal(201)
    })

    it('tells of missing chainAuthorizations whatever bytes a batch’s hash is', async () => {
      const body = example('SignedActionRequest')
      body.intents[0].chainBatches[0].hash = '0x'
      delete body.chainAuthorizations
      const { body: refusal } = await api.post('/actions', body)
      expect(refusal.error).to.equal('chainAuthorizations are required for 7702 intents')
    })

    it('answers what is no object, no JSON or nothing in its own body', async () => {
      expect((await issuesOf('[]')).map(({ path, code }) => [path, code])).to.deep.equal([['', 'type']])
      expect((await issuesOf('null')).map(({ path, code }) => [path, code])).to.deep.equal([['', 'type']])
      expect((await issuesOf('{')).map(({ path, code }) => [path, code])).to.deep.equal([['', 'json']])
      expect(await issuesOf('')).to.deep.equal([{ path: '', message: 'The body is required', code: 'required' }])
    })

    it('drops a property named __proto__ like any other that it does not know', async () => {
      const text = JSON.stringify(example('OnDemandActionRequest'))
      const reply = await api.post('/actions', text.replace('{', '{"__proto__":{"user":"0x1","intents":1},'))
      expect(reply.status, JSON.stringify(reply.body)).to.equal(201)
    })

    it('refuses an empty Idempotency-Key, since whoever sends one counts on it', async () => {
      const reply = await api.post('/actions', example('OnDemandActionRequest'), { 'idempotency-key': '' })
      expect(reply.status).to.equal(400)
      expect(reply.body.error).to.equal('idempotency-key must have at least 1 character')
    })

    it('refuses a malformed Idempotency-Key in its own body', async () => {
      const reply = await api.post('/actions', example('OnDemandActionRequest'), { 'idempotency-key': 'x'.repeat(256) })
      expect(reply.status).to.equal(400)
      expect(reply.body.error).to.equal('idempotency-key must have at most 255 characters')
      expect(created).to.deep.equal([])
    })

    it('reads gzip, deflate and brotli, and UTF-8 only', async () => {
      const text = JSON.stringify(example('OnDemandActionRequest'))
      const post = (body: Uint8Array | string, headers: Record<string, string>) =>
        fetch(`${http.url}/actions`, {
          method: 'POST',
          headers,
          body: typeof body === 'string' ? body : new Uint8Array(body),
        })
      for (const [encoding, packed] of [
        ['gzip', gzipSync(text)],
        ['deflate', deflateSync(text)],
        ['br', brotliCompressSync(text)],
      ] as const) {
        expect((await post(packed, { ...json, 'content-encoding': encoding })).status, encoding).to.equal(201)
        const broken = await post(packed.subarray(0, 30), { ...json, 'content-encoding': encoding })
        expect(broken.status, `broken ${encoding}`).to.equal(400)
        expect(((await broken.json()) as { issues: { code: string }[] }).issues[0]!.code).to.equal('json')
      }
      expect((await post(text, { 'content-type': 'application/json; charset=UTF-8' })).status).to.equal(201)
      expect((await post(text, { 'content-type': 'application/json; charset=latin1' })).status).to.equal(415)
      expect((await post(text, { 'content-type': 'application/x-www-form-urlencoded' })).status).to.equal(415)
      expect((await post(new TextEncoder().encode(text), {})).status).to.equal(415)
    })
  })
})
