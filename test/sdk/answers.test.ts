import { expect } from 'chai'
import { createIntentClient } from '../../sdk/src/client.js'
import { IntentApiError, IntentConnectionError, IntentError, IntentTimeoutError } from '../../sdk/src/errors.js'
import type { Reaction } from '../support/scriptedServer.js'
import type { Step } from '../../sdk/src/wire.js'
import { actionId, anAction, aStep, created, ref, user } from './replies.js'
import { errorOf, scriptedClient } from './scriptedClient.js'

const failed: Step['error'] = { code: 'execution_reverted', message: 'no', retryable: true }
const soon = { 'retry-after': '0' }

describe('answers that are none', () => {
  const clientOf = scriptedClient()

  for (const [what, body] of [
    ['a word of a gateway', { status: 'maintenance' }],
    ['a step of another action', { ...aStep(), actionId: `${actionId}0` }],
    ['another step', { ...aStep(), stepIndex: ref.stepIndex + 1 }],
    ['a status that none has', { ...aStep(), status: 'fine' }],
  ] as const) {
    it(`are no step: ${what}`, async () => {
      const { client } = await clientOf([{ status: 200, body }], { retries: 0 })
      for (const ask of [client.getStep(ref), client.executeStep(ref)]) {
        expect((await errorOf(ask, IntentConnectionError)).message).to.contain('no step of the action')
      }
    })
  }

  it('are the step all the same where its id was given in capitals', async () => {
    const { client } = await clientOf([{ status: 200, body: aStep() }])
    expect((await client.getStep({ ...ref, actionId: actionId.toUpperCase() })).actionId).to.equal(actionId)
  })

  it('are no request taken, where the step is as it was before', async () => {
    const { client } = await clientOf([{ status: 200, body: aStep({ status: 'created' }) }], { retries: 0 })
    expect((await errorOf(client.executeStep(ref), IntentConnectionError)).message).to.contain('not taken')
  })

  it('are named by what they lack', async () => {
    const { client } = await clientOf([{ status: 200, body: { data: {}, intents: 5, actions: null } }], { retries: 0 })
    for (const [ask, member] of [
      [client.getChains(), 'data.chains[]'],
      [client.getBalances(`0x${'1'.repeat(40)}`), 'data.tokens[]'],
      [client.findVenueTxHashes({ address: `0x${'1'.repeat(40)}` }), 'data.txHashes[]'],
      [client.getAction(actionId), 'intents[]'],
      [client.listActions(), 'actions[]'],
    ] as const) {
      expect((await errorOf<Error>(ask, IntentConnectionError)).message).to.contain(`lacks ${member};`)
    }
  })

  it('are no answer where they are broken within', async () => {
    const data = {
      chains: [{ chainId: 1, delegate: user, solver: user, tokens: [{ airdrop: { amount: '1.5' } }] }],
      tokens: [{ amount: '', available: '0', reserved: '0' }],
      record: { amount: null },
      amount: 'x',
    }
    const broken = anAction([null as never])
    const { client } = await clientOf(({ path }) => {
      const body = path.startsWith('/actions/') ? broken : { data, actions: [null] }
      return { status: 200, body: path === '/health' ? { data: { chains: [{ lanes: null }] } } : body }
    })
    for (const ask of [
      () => client.getChains(),
      () => client.getBalances(user),
      () => client.recordDeposit({ amount: 1n } as never),
      () => client.requestAirdrop({ chainId: 1, tokenId: 'usd', wallet: user }),
      () => client.getAction(actionId),
      () => client.listActions(),
      () => client.getHealth(),
    ]) {
      const error = await errorOf<Error>(ask(), IntentConnectionError)
      expect(error.message).to.match(/^The answer has a broken \w+; is baseUrl the service's address\?$/)
      expect(error.cause).to.be.instanceOf(TypeError)
    }
    data.chains[0]!.tokens = []
    delete (data.chains[0] as { delegate?: string }).delegate
    await errorOf(client.getChains(), IntentConnectionError)
  })

  it('are refusals with issues, whatever else is among those', async () => {
    const { client } = await clientOf([{ status: 400, body: { error: 'bad', issues: [null, { code: 'enum' }] } }])
    expect((await errorOf(client.getAction(actionId), IntentApiError)).issues).to.deep.equal([{ code: 'enum' }])
  })
})

describe('an action whose answer is lost', () => {
  const clientOf = scriptedClient()
  const request = { user, intents: [] } as const
  const unreadable: Reaction[] = [
    { status: 201 },
    { status: 204 },
    { status: 201, text: '<html>Welcome</html>' },
    { status: 201, text: '{"actionId": "0193' },
  ]

  it('is asked for again under its key, where the answer can’t be read', async () => {
    for (const reaction of unreadable) {
      const { client, received } = await clientOf([reaction, { status: 201, body: created }])
      expect(await client.createAction(request)).to.deep.equal(created)
      const [first, second, ...more] = received.map(({ headers }) => headers['idempotency-key'])
      expect(second).to.equal(first)
      expect(more).to.deep.equal([])
    }
  })

  it('names the key that it made, so that the caller can do so', async () => {
    for (const reaction of [...unreadable, 'hang up', { status: 503 }, { status: 200, body: {} }] as Reaction[]) {
      const { client, received } = await clientOf([reaction], { retries: 0 })
      const { idempotencyKey } = await errorOf(client.createAction(request), IntentError)
      expect(idempotencyKey).to.match(/^[0-9a-f]{32}$/)
      await errorOf(client.createAction(request, { idempotencyKey: idempotencyKey! }), IntentError)
      const keys = received.map(({ headers }) => headers['idempotency-key'])
      expect(keys).to.deep.equal([idempotencyKey, idempotencyKey])
      expect((await errorOf(client.getStep(ref), IntentError)).idempotencyKey).to.equal(null)
    }
  })

  it('is not asked for again where that could do twice what it asks for', async () => {
    for (const reaction of unreadable) {
      const { client, received } = await clientOf([reaction])
      await errorOf(client.requestAirdrop({ chainId: 1, tokenId: 'usd', wallet: user }), IntentConnectionError)
      expect(received).to.have.length(1)
    }
  })
})

describe('a step that is asked for once more', () => {
  const clientOf = scriptedClient()
  const lost = { status: 504, headers: soon }

  it('is not tried again where only the answer was lost', async () => {
    const { client, received } = await clientOf(({ method }) =>
      method === 'POST' ? lost : { status: 200, body: aStep({ status: 'reverted', attempts: 2, error: failed }) },
    )
    const step = await client.executeStep({ ...ref, attempts: 1 } as typeof ref)
    expect(step).to.include({ status: 'reverted', attempts: 2 })
    expect(received.map(({ method }) => method)).to.deep.equal(['POST', 'GET'])
  })

  it('is not taken for tried by an old failure, where nothing says how often it was asked for before', async () => {
    const before = aStep({ status: 'reverted', attempts: 1, error: failed })
    const { client, received } = await clientOf(({ method }) =>
      method === 'POST' ? { status: 503, headers: soon } : { status: 200, body: before },
    )
    const { status } = await errorOf(client.executeStep(ref), IntentApiError)
    expect(status).to.equal(503)
    expect(received.map(({ method }) => method)).to.deep.equal(['POST', 'GET', 'GET'])
  })

  for (const status of ['executing', 'success'] as const) {
    it(`is known to be tried where it is ${status}, whatever was known before`, async () => {
      const { client } = await clientOf(({ method }) =>
        method === 'POST' ? lost : { status: 200, body: aStep({ status }) },
      )
      expect((await client.executeStep(ref)).status).to.equal(status)
    })
  }

  it('waits as long as Retry-After says, and not for longer than a minute', async () => {
    let status = 0
    const { client, received } = await clientOf(({ method }) =>
      method === 'POST' && status++ === 0
        ? { status: 503, headers: { 'retry-after': '1' } }
        : { status: 200, body: aStep({ status: method === 'GET' ? 'created' : 'success' }) },
    )
    const began = performance.now()
    expect((await client.executeStep(ref)).status).to.equal('success')
    expect(performance.now() - began).to.be.at.least(990)
    expect(received.map(({ method }) => method)).to.deep.equal(['POST', 'GET', 'POST'])
    const { client: other } = await clientOf([{ status: 503, headers: { 'retry-after': '61' } }])
    expect((await errorOf(other.executeStep(ref), IntentApiError)).retryAfterMs).to.equal(61_000)
  })

  it('is tried where it has not been', async () => {
    let asked = 0
    const { client } = await clientOf(({ method }) => {
      if (method === 'GET') return { status: 200, body: aStep({ status: 'reverted', attempts: 1, error: failed }) }
      return ++asked === 1 ? lost : { status: 202, body: aStep({ status: 'executing', attempts: 2 }) }
    })
    expect((await client.executeStep({ ...ref, attempts: 1 } as typeof ref)).status).to.equal('executing')
    expect(asked).to.equal(2)
  })
})

describe('what never answers', () => {
  const clientOf = scriptedClient()
  const never = () => new Promise<never>(() => {})

  it('is given up in time, be it the headers or a fetch that knows no signal', async () => {
    const baseUrl = 'http://127.0.0.1:9'
    for (const silent of [{ headers: never }, { fetch: never }]) {
      const client = createIntentClient({ baseUrl, timeoutMs: 50, retries: 0, ...silent })
      await errorOf(client.getStep(ref), IntentTimeoutError)
      const controller = new AbortController()
      const asked = client.getStep(ref, { signal: controller.signal, timeoutMs: 60_000 })
      controller.abort(new RangeError('enough'))
      await errorOf(asked, RangeError)
    }
  })

  it('takes no longer than a step may', async () => {
    const action = { status: 200, body: anAction([aStep({ status: 'created' })]) }
    const { client } = await clientOf(({ method }) => (method === 'GET' ? action : 'silence'))
    const began = performance.now()
    await errorOf(client.runAction(actionId, { stepTimeoutMs: 300 }), IntentTimeoutError)
    expect(performance.now() - began).to.be.below(3_000)
  })
})

describe('pauses that a service asks for', () => {
  const clientOf = scriptedClient()

  for (const wanted of ['0', '9999999999', new Date(0).toUTCString()]) {
    it(`are no storm of requests: ${wanted}`, async () => {
      const { client, received } = await clientOf([{ status: 503, headers: { 'retry-after': wanted } }], { retries: 0 })
      await errorOf(client.waitForStep(ref, { timeoutMs: 700 }), IntentTimeoutError)
      expect(received.length).to.be.within(1, 6)
    })
  }
})
