import { expect } from 'chai'
import { createAirdropHandlers } from '../../server/api/handlers/airdrops.js'
import { createDepositHandlers } from '../../server/api/handlers/deposits.js'
import { createStepHandlers } from '../../server/api/handlers/steps.js'
import { createVenueTxHashHandlers } from '../../server/api/handlers/venueTxHashes.js'
import type { StepView } from '../../server/domain/views.js'
import type { ActionsService } from '../../server/services/actions.js'
import type { AirdropsService } from '../../server/services/airdrops.js'
import type { DepositsService } from '../../server/services/deposits.js'
import type { StepsService } from '../../server/services/steps.js'
import type { VenueTxHashesService } from '../../server/services/venueTxHashes.js'
import { createApi, type Api } from '../support/api.js'
import { type HttpLayer, startHttpLayer } from '../support/httpLayer.js'
import { actionId, step } from './aStep.js'

const user = '0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc'
const json = { 'content-type': 'application/json' }

describe('parameters and small bodies on their way to the services', () => {
  let http: HttpLayer
  let api: Api
  let asked: unknown[][] = []
  let traces: string[] = []
  let queried: unknown[] = []

  const { txid: _txid, ...told } = step
  const seen: StepView = { ...told, createdAt: 0, updatedAt: 0 }
  // The services' side of the seam: what reaches it is what these tests are about.
  const steps = {
    async request(ref: unknown, { traceparent, ...order }: { traceparent: string }, waitMs: unknown) {
      asked.push([ref, order, waitMs])
      traces.push(traceparent)
      return seen
    },
  } as unknown as StepsService
  const venueTxHashes = {
    async query(filter: unknown) {
      queried.push(filter)
      return []
    },
    record: async () => undefined,
  } as unknown as VenueTxHashesService
  let waits: unknown[] = []
  const deposits = {
    async record(report: object, waitMs: unknown) {
      waits.push(waitMs)
      const rest = { custody: null, confirmations: 0, requiredConfirmations: 1, error: null, recordedAt: null }
      return { ...report, status: 'pending', ...rest }
    },
  } as unknown as DepositsService
  const airdrops = {
    async request({ amount }: { amount: bigint }, waitMs: unknown) {
      waits.push(waitMs)
      return { status: 'executing', transactionHash: null, amount }
    },
  } as unknown as AirdropsService

  before(async () => {
    http = await startHttpLayer({
      ...createStepHandlers({ actions: {} as ActionsService, steps }),
      ...createVenueTxHashHandlers(venueTxHashes),
      ...createDepositHandlers(deposits),
      ...createAirdropHandlers(airdrops),
    })
    api = createApi(http.url)
  })
  after(() => http.stop())
  beforeEach(() => {
    asked = []
    traces = []
    queried = []
    waits = []
  })

  describe('POST …/steps/{stepIndex}', () => {
    const path = `/actions/${actionId}/intents/0/steps/1`
    const ref = { actionId, intentIndex: 0, stepIndex: 1 }
    const hash = `0x${'Ab'.repeat(32)}`

    it('means execute without a body, and with an empty one', async () => {
      expect((await api.post(path)).status).to.equal(202)
      expect((await api.post(path, {})).status).to.equal(202)
      expect((await fetch(http.url + path, { method: 'POST', headers: json, body: '' })).status).to.equal(202)
      const execute = [
        ref,
        { action: 'execute', hash: null, signature: null, behindFailed: false, countFor: null },
        null,
      ]
      expect(asked).to.deep.equal([execute, execute, execute])
    })

    it('passes on the trace of the request, with a span of its own', async () => {
      const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
      await api.post(path, {}, { traceparent: `00-${traceId}-00f067aa0ba902b7-01` })
      await api.post(path, {}, { traceparent: 'nonsense' })
      expect(traces[0]).to.match(new RegExp(`^00-${traceId}-(?!00f067aa0ba902b7)[0-9a-f]{16}-01$`))
      expect(traces[1]).to.match(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/)
    })

    it('passes on what to do with which transaction', async () => {
      await api.post(path, { action: 'register', hash, signature: '0xAA' })
      expect(asked[0]![1]).to.deep.equal({
        action: 'register',
        hash: hash.toLowerCase(),
        signature: '0xaa',
        behindFailed: false,
        countFor: null,
      })
      const refused = await api.post(path, { action: 'cancel', hash: '0x1' })
      expect(refused.status).to.equal(400)
      expect(refused.body.error.code).to.equal('validation_failed')
      expect(refused.body.error.message).to.equal('action must be one of execute, register (and 1 more)')
      expect(refused.body.error.issues.map((issue: { path: string }) => issue.path)).to.deep.equal(['/action', '/hash'])
    })

    it('takes the wait from Prefer, up to 60 seconds, and says which it took', async () => {
      for (const [prefer, waitMs, applied] of [
        ['wait=5', 5_000, 'wait=5'],
        ['respond-async, wait=0', 0, 'wait=0'],
        ['handling=lenient; Wait="7"', 7_000, 'wait=7'],
        ['wait=99999999999999999999', 60_000, 'wait=60'],
        ['wait=-1', null, null],
        ['await=3', null, null],
        ['nonsense', null, null],
      ] as const) {
        const reply = await api.post(path, undefined, { prefer })
        expect(reply.headers.get('preference-applied'), prefer).to.equal(applied)
        expect(asked.at(-1)![2], prefer).to.equal(waitMs)
      }
    })
  })

  for (const [path, body] of [
    [
      '/coredeposit',
      { user, txHash: `0x${'ab'.repeat(32)}`, sender: user, tokenAddress: user, chainId: 31337, amount: '1' },
    ],
    ['/airdrop/31337/usd', { wallet: user, amount: '1' }],
  ] as const) {
    it(`POST ${path} is held open as long as Prefer says, or for the service's time`, async () => {
      const reply = await api.post(path, body, { prefer: 'wait=0' })
      expect([reply.status, reply.headers.get('preference-applied')]).to.deep.equal([202, 'wait=0'])
      expect((await api.post(path, body)).headers.get('preference-applied')).to.equal(null)
      expect(waits).to.deep.equal([0, null])
    })
  }

  describe('query parameters', () => {
    const query = (rest: string) => api.get(`/venue-tx-hashes?address=${user}${rest}`)

    it('that are no lists are given once, and a refusal says so', async () => {
      const refused = await query('&venue=a&venue=b&count=1&count=1')
      const message = 'venue is given more than once; count is given more than once'
      expect([refused.status, refused.body.error.message]).to.deep.equal([400, message])
      expect(queried).to.deep.equal([])
    })

    it('that are too large, as in a path, are told their bound, however many digits they have', async () => {
      const refused = await api.post(`/airdrop/${'9'.repeat(20)}/usd`, { wallet: user })
      expect(refused.body.error.message).to.equal('chainId must be at most 9007199254740991')
    })

    it('take lists repeated, with commas, or both', async () => {
      for (const list of ['&actionTypes=a&actionTypes=b', '&actionTypes=a,b', '&actionTypes=a%2Cb'])
        expect((await query(list)).status).to.equal(200)
      expect((await query('&actionTypes=a,b&actionTypes=c')).status).to.equal(200)
      expect((await query('&actionTypes=')).status).to.equal(200)
      expect((await query('&actionTypes=a%2C+b')).status).to.equal(200)
      expect((await query('&actionTypes[]=a&actionTypes[]=c')).status).to.equal(200)
      expect((await query('&actionTypes[0]=a&actionTypes%5B1%5D=c')).status).to.equal(200)
      const types = queried.map((filter) => (filter as { actionTypes: unknown }).actionTypes)
      // A type may itself have commas.
      const [both, withThird] = [
        ['a', 'b', 'a,b'],
        ['a', 'b', 'a,b', 'c'],
      ]
      const spaced = ['a', 'b', 'a, b']
      expect(types).to.deep.equal([['a', 'b'], both, both, withThird, null, spaced, ['a', 'c'], ['a', 'c']])
    })

    it('take a list that is longer than any of its items may be', async () => {
      const types = Array.from({ length: 20 }, (_, index) => `action-type-${index}`)
      expect((await query(`&actionTypes=${types.join(',')}`)).status).to.equal(200)
      expect((queried.at(-1) as { actionTypes: unknown }).actionTypes).to.deep.equal(types)
    })

    it('are refused by name when they are missing or malformed', async () => {
      const messageOf = async (path: string) => {
        const reply = await api.get(path)
        expect([reply.status, reply.body.error.code], path).to.deep.equal([400, 'validation_failed'])
        return reply.body.error.message as string
      }
      const base = `/venue-tx-hashes?address=${user}`
      expect(await messageOf('/venue-tx-hashes')).to.equal('address is required')
      expect(await messageOf('/venue-tx-hashes?address=0x1&count=0')).to.equal(
        'address must be an address, 0x and 40 hex digits; count must be at least 1',
      )
      for (const count of ['1e1', '01', '%201', '1.5', '', 'NaN', '9007199254740993'])
        expect(await messageOf(`${base}&count=${count}`), count).to.match(/^count must be /)
      expect(await messageOf(`${base}&venue=`)).to.equal('venue must have at least 1 character')
      expect(await messageOf(`${base}&actionTypes=${'x'.repeat(129)}`)).to.contain(
        'actionTypes[0] must have at most 128',
      )
      expect(await messageOf(`${base}&venue=%E0%A4%A`)).to.equal('The query has a malformed percent escape')
      expect(queried).to.deep.equal([])
    })
  })

  it('finds its route by the exact path, and reads escapes in it', async () => {
    for (const path of ['/Actions', '//actions', '/actions//intents/0', '/venue-tx-hashes/verify'])
      expect((await api.get(path)).status, path).to.equal(404)
    // One parameter, though it has a slash in it: no such transaction, rather than no such route.
    const escaped = await api.get('/venue-tx-hashes/verify/a%2Fb')
    expect(escaped.body.error.message).to.equal('Transaction hash not found')
  })
})
