import { randomUUID } from 'node:crypto'
import { spawnSync } from 'node:child_process'
import { expect } from 'chai'
import { type Address, createWalletClient, custom, type Hash } from 'viem'
import { UnregisteredPaymentError } from '../../sdk/src/errors.js'
import { type OnDemandOptions, sendOnDemand } from '../../sdk/src/sendOnDemand.js'
import { intentActions } from '../../sdk/src/viem.js'
import type { Step } from '../../sdk/src/wire.js'
import { pause } from '../support/pause.js'
import type { Reaction } from '../support/scriptedServer.js'
import { until } from '../support/until.js'
import { anAction, aStep, created, events, ref, user } from './replies.js'
import { errorOf, scriptedClient } from './scriptedClient.js'

/** What is around the SDK does not do as it should: clocks, streams, a `fetch`, nodes, wallets. */
describe('the SDK, whatever is around it does,', () => {
  const scripted = scriptedClient()
  const at = (seconds: string) => ({ updatedAt: `2026-11-20T12:00:${seconds}Z` })

  /** By what is asked for: the stream, or the step. */
  const service = (answer: (isStream: boolean) => Reaction, options?: Parameters<typeof scripted>[1]) =>
    scripted(({ path }) => answer(path.endsWith('/events')), options)

  it('sees the end of a step that a machine has told whose clock is behind', async () => {
    let ended = false
    const executing = aStep({ status: 'executing', ...at('05.400') })
    const done = aStep({ status: 'success', ...at('05.100') })
    const { client } = await service((isStream) => {
      if (!isStream) return { status: 200, body: ended ? done : executing }
      ended = true
      // The action has another step that is not asked for, so that the stream stays open.
      return { stream: events(1, executing, done), then: 'stay' }
    })
    expect((await client.waitForStep(ref, { timeoutMs: 10_000 })).status).to.equal('success')
  })

  it('ends a wait in time with a fetch that does not heed its signal', async () => {
    const executing = aStep({ status: 'executing' })
    const deaf: typeof fetch = (input, { signal: _signal, ...init } = {}) => fetch(input, init)
    const { client } = await service(
      (isStream) => (isStream ? { stream: events(1, executing), then: 'stay' } : { status: 200, body: executing }),
      { fetch: deaf },
    )
    const outcome = await Promise.race([
      client.waitForStep(ref, { timeoutMs: 500 }).catch((error: Error) => error.name),
      pause(10_000).then(() => 'it hangs'),
    ])
    expect(outcome).to.equal('IntentTimeoutError')
  })

  it('sees the end of a step soon where something blocks or resets its event streams', async () => {
    for (const reaction of ['hang up', { stream: ': connected\n\n', then: 'cut' }] as const) {
      let looks = 0
      const { client } = await service((isStream) => {
        if (isStream) return reaction
        return { status: 200, body: aStep({ status: looks++ === 0 ? 'executing' : 'success' }) }
      })
      const begun = performance.now()
      expect((await client.waitForStep(ref)).status).to.equal('success')
      expect(performance.now() - begun).to.be.below(3_000)
    }
  })

  it('leaves no rejection behind where one chain has no node and another’s is away', () => {
    // Its process goes on until the other node has failed too, and ends with 1 if nobody hears of that.
    const script = `
      import { neededAuthorizations } from './sdk/src/authorizations.ts'
      const chain = (chainId, rpcUrl) => ({ chainId, rpcUrl, delegate: '0x' + '22'.repeat(20) })
      const send = () => new Promise((_resolve, reject) => setImmediate(reject, new Error('away')))
      const chains = [chain(1, 'http://away.example'), chain(2, null)]
      const options = { user: '0x' + '11'.repeat(20), chains, rpcUrls: {}, send, signal: undefined }
      await neededAuthorizations(options).catch((error) => console.log(error.name))`
    const run = spawnSync(process.execPath, ['--import=tsx', '--input-type=module', '-e', script], { encoding: 'utf8' })
    expect(run.stdout, run.stderr).to.equal('IntentError\n')
    expect(run.status, run.stderr).to.equal(0)
  })

  it('asks for no wait that it is not told, so that what is under way is answered at once', async () => {
    const { client, received } = await scripted([{ status: 202, body: aStep({ status: 'executing' }) }])
    await client.executeStep(ref)
    expect(received[0]!.headers.prefer).to.equal(undefined)
  })

  it('waits for a silent service no longer than that holds a request open', async () => {
    let limitMs = 0
    const setTimer = globalThis.setTimeout
    globalThis.setTimeout = ((run: () => void, ms: number) => {
      limitMs = Math.max(limitMs, ms)
      return setTimer(run, ms)
    }) as typeof setTimeout
    try {
      const { client } = await scripted([{ status: 200, body: aStep() }])
      await client.executeStep(ref, { waitSeconds: 3_600, timeoutMs: 1_000 })
    } finally {
      globalThis.setTimeout = setTimer
    }
    expect(limitMs).to.equal(61_000)
  })

  it('asks for no more than a minute, whatever it is told to wait', async () => {
    const { client, received } = await scripted([{ status: 200, body: aStep() }])
    for (const waitSeconds of [59.5, 1e21, Infinity]) await client.executeStep(ref, { waitSeconds })
    expect(received.map(({ headers }) => headers.prefer)).to.deep.equal(['wait=60', 'wait=60', 'wait=60'])
  })

  describe('when a payment', () => {
    const chain = { chainId: 31337, name: 'x', nativeCurrency: {}, rpcUrl: null, explorerUrl: null, delegate: user }
    const chains = { success: true, data: { chains: [{ ...chain, solver: user, tokens: [] }] }, error: null }
    /** Each call makes another action, which stays as it was created: what was paid for one is not paid again. */
    const payments = () =>
      scripted(({ path, method }) => {
        if (path === '/chains') return { status: 200, body: chains }
        if (path === '/actions') return { status: 201, body: { ...created, actionId: randomUUID() } }
        const [, , actionId = ''] = path.split('/')
        const step = { ...aStep({ status: 'created', mode: 'non-7702:on-demand' }), actionId }
        const asked = { ...anAction([step]), actionId }
        // Whatever is posted to it is answered with what it is not.
        return method === 'POST' ? { status: 201, body: created } : { status: 200, body: asked }
      })
    const paying = (to: Address, token: Address): OnDemandOptions['intents'] => [
      { chainBatches: [{ chainId: 31337, tokenTransfers: [{ from: user, to, token, amount: 1n }] }] },
    ]
    const hash: Hash = `0x${'ab'.repeat(32)}`

    it('is to be registered, hears an abort though the wallet says nothing', async () => {
      const { client } = await payments()
      const stop = new AbortController()
      const call = sendOnDemand(client, {
        ...{ user, signal: stop.signal, intents: paying(user, user) },
        account: { signTypedData: () => new Promise<never>(() => undefined) },
        async pay() {
          setTimeout(() => stop.abort(new Error('enough')), 50)
          return hash
        },
      })
      const error = await errorOf(Promise.race([call, pause(5_000)]), UnregisteredPaymentError)
      expect(error.hash).to.equal(hash)
    })

    it('was sent after an abort, asks the wallet for no signature more', async () => {
      const { client } = await payments()
      const stop = new AbortController()
      let signatures = 0
      const call = sendOnDemand(client, {
        ...{ user, signal: stop.signal, intents: paying(user, user) },
        account: {
          async signTypedData() {
            signatures++
            return hash
          },
        },
        async pay() {
          stop.abort(new Error('enough'))
          return hash
        },
      })
      expect((await errorOf(call, UnregisteredPaymentError)).hash).to.equal(hash)
      expect(signatures).to.equal(0)
    })

    it('waits for another one of its user’s, ends at once when it is aborted meanwhile, and lets no third one in by that', async () => {
      const { client, received } = await payments()
      const order: string[] = []
      let answer = () => {}
      const answered = new Promise<Hash>((resolve) => (answer = () => resolve(hash)))
      const begun: Promise<unknown>[] = []
      const pay = (name: string, signal?: AbortSignal) => {
        const shown = new Promise((resolve) => {
          const call = sendOnDemand(client, {
            ...{ user, signal, intents: paying(user, user), stepTimeoutMs: 200 },
            pay() {
              order.push(name)
              resolve(name)
              return answered
            },
          })
          begun.push(call.catch((error: unknown) => error))
        })
        return shown
      }
      await pay('first')
      const stop = new AbortController()
      void pay('second', stop.signal)
      const third = pay('third')
      const asked = () => received.filter(({ method }) => method === 'POST').length
      await until(() => asked() === 3, 'three actions')
      stop.abort(new Error('enough'))
      expect(await begun[1]).to.equal(stop.signal.reason)
      expect(order).to.deep.equal(['first'])
      answer()
      await third
      await Promise.all(begun)
      expect(order).to.deep.equal(['first', 'third'])
    })

    it('may have been sent, and gives no hash, is told as such', async () => {
      const { client } = await payments()
      for (const pay of [() => Promise.resolve(undefined as never), () => Promise.resolve('' as never)]) {
        const paid = sendOnDemand(client, { user, intents: paying(user, user), pay })
        const { message } = await errorOf(paid, UnregisteredPaymentError)
        expect(message).to.match(/^A payment may have been sent, but is not registered .*: pay\(\) has to be 0x and 64/)
      }
    })

    it('is under way already, is made no second time', async () => {
      let looks = 0
      const { client } = await scripted(({ path, method }) => {
        if (path === '/chains') return { status: 200, body: chains }
        if (method === 'POST') return { status: 201, body: created }
        const status = looks++ === 0 ? 'executing' : 'success'
        const step = aStep({ status, mode: 'non-7702:on-demand', transactionHash: hash, blockNumber: 5 })
        return { status: 200, body: path.includes('/steps/') ? step : anAction([step], status) }
      })
      const action = await sendOnDemand(client, {
        ...{ user, intents: paying(user, user), pollIntervalMs: 20 },
        account: { signTypedData: () => Promise.reject(new Error('It was to sign.')) },
        pay: () => Promise.reject(new Error('It was paid again.')),
      })
      expect(action.status).to.equal('success')
    })

    it('is followed by a step that the service has carried out by itself, has that told as well', async () => {
      let status: Step['status'] = 'created'
      const step = (stepIndex: number) => aStep({ status, stepIndex, mode: 'non-7702:on-demand' })
      const { client } = await scripted(({ path, method }) => {
        if (path === '/chains') return { status: 200, body: chains }
        if (path === '/actions') return { status: 201, body: created }
        if (method === 'POST') status = 'success'
        return { status: 200, body: method === 'POST' ? step(0) : anAction([step(0), step(1)], status) }
      })
      const gets = { from: 'solver', to: user, token: user, amount: 1n } as const
      const [{ chainBatches } = { chainBatches: [] }] = paying(user, user)
      const told: string[] = []
      await sendOnDemand(client, {
        ...{ user, pay: () => Promise.resolve(hash) },
        intents: [{ chainBatches: [...chainBatches, { chainId: 31337, tokenTransfers: [gets] }] }],
        onProgress(progress) {
          if (progress.type === 'step') told.push(`${progress.step.stepIndex} ${progress.step.status}`)
        },
      })
      expect(told).to.deep.equal(['0 success', '1 success'])
    })

    it('has addresses in any letter case, gives wallets what they take', async () => {
      const { received, url } = await payments()
      const sent: unknown[] = []
      const transport = custom({
        async request({ method, params }: { method: string; params: unknown[] }) {
          if (method === 'eth_chainId') return '0x7a69'
          if (method === 'eth_getCode') return '0x'
          if (method !== 'eth_sendTransaction') throw new Error(method)
          sent.push(params[0])
          return hash
        },
      })
      const odd: Address = `0x${user.slice(2).toUpperCase()}`
      const wallet = createWalletClient({ account: user, transport }).extend(
        intentActions({ baseUrl: url, retries: 0 }),
      )
      await wallet.sendOnDemand({ intents: paying(odd, odd), stepTimeoutMs: 200 }).catch(() => undefined)
      expect(sent).to.have.length(1)
      expect(sent[0]).to.include({ to: user.toLowerCase(), chainId: '0x7a69' })
      expect(received.some(({ path }) => /^\/actions\/[^/]+$/.test(path))).to.equal(true)
    })
  })
})
