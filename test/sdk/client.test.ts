import { expect } from 'chai'
import { parseRequest, serializeRequest } from '../../sdk/src/amounts.js'
import {
  IntentApiError,
  IntentConnectionError,
  IntentError,
  IntentTimeoutError,
  StepFailedError,
} from '../../sdk/src/errors.js'
import type { OnDemandIntentRequest } from '../../server/api/generated/types.gen.js'
import type { Step } from '../../sdk/src/wire.js'
import { errorOf, scriptedClient } from './scriptedClient.js'
import { actionId, anAction, aStep, created, ref, user } from './replies.js'

const again = { 'retry-after': '0' }

describe('the client and its service', () => {
  const clientOf = scriptedClient()

  it('asks for its headers anew with each call, and takes them from a function', async () => {
    let token = 0
    const headers = () => Promise.resolve({ Authorization: `Bearer ${++token}` })
    const { client, received } = await clientOf([{ status: 200, body: aStep() }], { headers })
    await client.getStep(ref)
    await client.getStep(ref)
    expect(received.map((request) => request.headers.authorization)).to.deep.equal(['Bearer 1', 'Bearer 2'])
  })

  it('takes headers in whatever form the platform does', async () => {
    const pairs: [string, string][] = [
      ['X-Gateway-Key', 'k'],
      ['X-Team', 'blue'],
    ]
    for (const headers of [Object.fromEntries(pairs), pairs, new Headers(pairs), new Map(pairs)]) {
      for (const given of [headers, () => headers]) {
        const { client, received } = await clientOf([{ status: 200, body: aStep() }], { headers: given })
        await client.getStep(ref)
        await client.getStep(ref)
        for (const request of received) expect(request.headers).to.include({ 'x-gateway-key': 'k', 'x-team': 'blue' })
      }
    }
    const changing: Record<string, string> = { authorization: 'old' }
    const { client, received } = await clientOf([{ status: 200, body: aStep() }], { headers: changing })
    changing.authorization = 'new'
    await client.getStep(ref)
    expect(received[0]?.headers.authorization).to.equal('new')
  })

  it('refuses headers that no request can carry, without quoting what may be a key', async () => {
    for (const headers of [
      { 'x-key': 'sec\nret' },
      { 'x-key': 'secret€' },
      { 'x key': 'secret' },
      { 'x-key': null },
      { 'x-key': { secret: 1 } },
      { forEach: (each: (value: string, name: string) => void) => each('secret', 'x-key') },
      [['x-key', undefined]],
      [['x-key', 'secret', 'more']],
      ['secret'],
      [5],
      'secret',
      5,
      new Map([['x-key', 'secret']]).entries(),
    ] as never[]) {
      const thrown = await errorOf((async () => clientOf([], { headers }))(), IntentError)
      expect(thrown.message)
        .to.match(/^headers has /)
        .and.not.contain('secret')
      const { client, received } = await clientOf([], { headers: () => headers })
      const late = await errorOf(client.getStep(ref), IntentError)
      expect(late.message).to.match(/^headers\(\) has /)
      expect(received).to.deep.equal([])
    }
  })

  it('keeps a request as text', async () => {
    const call = { to: user, value: 2n ** 255n, data: '0x12' } as const
    const transfer = { from: 'solver', to: user, token: user, amount: 10n ** 30n } as const
    const request = {
      user,
      intents: [
        { mode: 'non-7702:on-demand' as const, chainBatches: [{ chainId: 1, tokenTransfers: [transfer], call }] },
      ],
    } as const
    expect(parseRequest(serializeRequest(request as never))).to.deep.equal(request)
  })

  describe('when requests fail for a passing reason', () => {
    it('repeats them, and answers as if nothing had been', async () => {
      const { client, received } = await clientOf([
        { status: 503, headers: again },
        { status: 500, headers: again },
        { status: 200, body: aStep() },
      ])
      expect((await client.getStep(ref)).status).to.equal('success')
      expect(received).to.have.length(3)
    })

    it('waits as long as Retry-After says', async () => {
      const { client } = await clientOf([
        { status: 429, headers: { 'retry-after': '1' } },
        { status: 200, body: aStep() },
      ])
      const start = performance.now()
      await client.getStep(ref)
      expect(performance.now() - start).to.be.within(990, 2_500)
    })

    it('does not sit out a long Retry-After, but tells it', async () => {
      const { client, received } = await clientOf([{ status: 429, headers: { 'retry-after': '3600' } }])
      const error = await errorOf(client.getStep(ref), IntentApiError)
      expect(error).to.include({ status: 429, retryable: true, retryAfterMs: 3_600_000 })
      expect(received).to.have.length(1)
    })

    it('gives up after the retries it is allowed', async () => {
      const { client, received } = await clientOf([{ status: 503, headers: again }], { retries: 4 })
      await errorOf(client.getStep(ref), IntentApiError)
      expect(received).to.have.length(5)
      await errorOf(client.getStep(ref, { retries: 0 }), IntentApiError)
      expect(received).to.have.length(6)
    })

    it('creates an action under one idempotency key, however often it is sent', async () => {
      const { client, received } = await clientOf(['hang up', 'half', { status: 201, body: created }])
      expect(await client.createAction({ user, intents: [] })).to.deep.equal(created)
      const keys = received.map((request) => request.headers['idempotency-key'])
      expect(keys).to.have.length(3)
      expect(new Set(keys).size).to.equal(1)
      expect(keys[0]).to.match(/^[0-9a-f]{32}$/)
      await client.createAction({ user, intents: [] })
      expect(received.at(-1)?.headers['idempotency-key']).to.not.equal(keys[0])
    })

    it('does not ask for test tokens twice when the answer got lost', async () => {
      const { client, received } = await clientOf(['hang up'])
      await errorOf(client.requestAirdrop({ chainId: 31337, tokenId: 'usd', wallet: user }), IntentConnectionError)
      expect(received).to.have.length(1)
    })

    it('asks for test tokens again when it was turned away unseen', async () => {
      const { client, received } = await clientOf([
        { status: 429, headers: again },
        { status: 202, body: { success: true, data: { txHash: null, amount: '5' }, error: null } },
      ])
      const airdrop = await client.requestAirdrop({ chainId: 31337, tokenId: 'usd', wallet: user, amount: 5n })
      expect(airdrop).to.deep.equal({ txHash: null, amount: 5n, arrived: false })
      expect(received.at(-1)?.body).to.deep.equal({ wallet: user, amount: '5' })
    })
  })

  it('writes amounts as digits, sends the headers it was given, and drops a slash too many', async () => {
    const { client, received } = await clientOf([{ status: 201, body: created }], { headers: { 'x-team': 'blue' } })
    const amount = 2n ** 200n
    await client.createAction({
      user,
      intents: [
        {
          mode: 'non-7702:on-demand',
          chainBatches: [
            {
              chainId: 1,
              tokenTransfers: [{ from: 'solver', to: user, token: user, amount }],
              call: { to: user, value: 0n, data: '0x' },
            },
          ],
        },
      ],
    })
    expect(received[0]).to.include({ method: 'POST', path: '/actions' })
    expect(received[0]?.headers).to.include({ 'x-team': 'blue', 'content-type': 'application/json' })
    const { intents } = received[0]!.body as { intents: OnDemandIntentRequest[] }
    const batch = intents[0]!.chainBatches[0]!
    expect(batch.tokenTransfers[0]!.amount).to.equal(amount.toString())
    expect(batch.call.value).to.equal('0')
  })

  describe('when it waits for a step', () => {
    it('tells each change once, and survives a service that is away', async () => {
      const hash = `0x${'ab'.repeat(32)}` as const
      const { client } = await clientOf([
        { status: 200, body: aStep({ status: 'executing' }) },
        { status: 200, body: aStep({ status: 'executing' }) },
        { status: 503, headers: again },
        { status: 503, headers: again },
        { status: 503, headers: again },
        { status: 503, headers: again },
        { status: 200, body: aStep({ status: 'executing', transactionHash: hash }) },
        { status: 200, body: aStep({ status: 'success', transactionHash: hash, confirmations: 1 }) },
      ])
      const seen: string[] = []
      const step = await client.waitForStep(ref, {
        pollIntervalMs: 1,
        onChange: (change) => seen.push(`${change.status} ${change.confirmations}`),
      })
      expect(step.status).to.equal('success')
      expect(seen).to.deep.equal(['executing 0', 'executing 0', 'success 1'])
    })

    it('gives up in time and tells what it saw last', async () => {
      const { client } = await clientOf([{ status: 200, body: aStep({ status: 'executing' }) }, 'silence'])
      const pending = client.waitForStep(ref, { timeoutMs: 1_000, pollIntervalMs: 5 })
      expect((await errorOf(pending, IntentTimeoutError)).lastStep?.status).to.equal('executing')
    })

    it('ends with the signal’s reason between two looks', async () => {
      const { client } = await clientOf([{ status: 200, body: aStep({ status: 'executing' }) }])
      const controller = new AbortController()
      const pending = client.waitForStep(ref, {
        signal: controller.signal,
        pollIntervalMs: 60_000,
        onChange: () => setImmediate(() => controller.abort('enough')),
      })
      expect(await pending.catch((reason: unknown) => reason)).to.equal('enough')
    })
  })

  describe('when it runs an action', () => {
    const second = { stepIndex: 1 }

    it('asks for each step after the one before it, and for none that is done or under way', async () => {
      const steps = [
        aStep(),
        aStep({ ...second, status: 'executing' }),
        aStep({ stepIndex: 2, status: 'created', attempts: 0 }),
      ]
      const { client, received } = await clientOf((request) => {
        const index = Number(request.path.match(/steps\/(\d)/)?.[1])
        if (Number.isNaN(index)) return { status: 200, body: anAction(steps) }
        steps[index] = aStep({ stepIndex: index, status: 'success' })
        return { status: 200, body: steps[index] }
      })
      const progress: string[] = []
      await client.runAction(actionId, {
        pollIntervalMs: 1,
        onProgress: (event) =>
          progress.push(event.type === 'step' ? `${event.step.stepIndex} ${event.step.status}` : event.type),
      })
      expect(received.filter((request) => request.method === 'POST').map((request) => request.path)).to.deep.equal([
        `/actions/${actionId}/intents/0/steps/2`,
      ])
      expect(progress).to.deep.equal(['1 executing', '1 success', '2 success'])
    })

    it('waits for a service that is away when all is done', async function () {
      this.timeout(20_000)
      const { client, received } = await clientOf(
        (request, index) => {
          if (request.method === 'POST') return { status: 200, body: aStep() }
          // The first look, then a restart after the step.
          if (index > 0 && index < 4) return 'hang up'
          return { status: 200, body: anAction([aStep({ status: index === 0 ? 'created' : 'success' })], 'success') }
        },
        { retries: 0 },
      )
      expect(await client.runAction(actionId)).to.include({ status: 'success' })
      expect(received.filter((request) => request.method === 'POST')).to.have.length(1)
    })

    it('stops at a step that fails, and tells why and whether to try again', async () => {
      const steps = [aStep({ status: 'created', attempts: 0 }), aStep({ ...second, status: 'created', attempts: 0 })]
      const error = { code: 'execution_reverted', message: 'ERC20: transfer amount exceeds balance', retryable: false }
      const failed = aStep({ status: 'reverted', error: error as Step['error'] })
      const { client, received } = await clientOf((request) =>
        request.method === 'POST' ? { status: 200, body: failed } : { status: 200, body: anAction(steps) },
      )
      const thrown = await errorOf(client.runAction(actionId), StepFailedError)
      expect(thrown).to.be.instanceOf(IntentError)
      expect(thrown).to.include({ actionId, retryable: false })
      expect(thrown.step.error?.code).to.equal('execution_reverted')
      expect(thrown.message).to.contain('transfer amount exceeds balance')
      expect(received.filter((request) => request.method === 'POST')).to.have.length(1)
    })
  })
})
