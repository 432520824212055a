import { expect } from 'chai'
import { createServer, type IncomingMessage, request as forward, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseUnits } from 'viem'
import { createIntentClient } from '../../sdk/src/client.js'
import {
  IntentApiError,
  IntentConnectionError,
  IntentError,
  IntentTimeoutError,
  UnregisteredPaymentError,
} from '../../sdk/src/errors.js'
import type { Progress } from '../../sdk/src/progress.js'
import { sendOnDemand } from '../../sdk/src/sendOnDemand.js'
import { startTestService, type TestService } from '../support/service.js'
import { created } from './replies.js'
import { balanceOf, fund, newUser, sendFrom, tokenOf, transferData } from '../support/wallets.js'

/** What happens to one request between the client and a real service. */
type Fault =
  | 'none'
  /** The service is not reached. */
  | 'refused'
  /** It does its work; the answer is lost. */
  | 'answer lost'
  /** It does its work; the answer breaks off in the middle. */
  | 'answer cut'
  /** It does its work; the answer never comes. */
  | 'silence'
  | 429
  | 500
  | 503

describe('the client behind a network full of faults', () => {
  let service: TestService
  let proxy: Server
  let choose: (request: IncomingMessage) => Fault = () => 'none'
  let url: string
  let seen: { method: string; path: string; fault: Fault; key: string | undefined }[] = []

  before(async () => {
    service = await startTestService()
    proxy = createServer((request, response) => {
      const fault = choose(request)
      seen.push({
        method: request.method!,
        path: request.url!,
        fault,
        key: request.headers['idempotency-key'] as string | undefined,
      })
      relay(request, response, fault)
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  })
  after(async () => {
    proxy.closeAllConnections()
    proxy.close()
    await service.stop()
  })
  afterEach(() => {
    choose = () => 'none'
    seen = []
  })

  function relay(request: IncomingMessage, response: ServerResponse, fault: Fault): void {
    if (fault === 'refused') return void response.destroy()
    if (typeof fault === 'number') {
      response.writeHead(fault, { 'content-type': 'application/json', 'retry-after': '0' })
      return void response.end(
        JSON.stringify({ success: false, data: null, error: { message: 'No', code: 'unavailable' } }),
      )
    }
    const onward = forward(
      service.url + request.url!,
      { method: request.method, headers: { ...request.headers, host: new URL(service.url).host } },
      (answer) => {
        if (fault === 'answer lost') return void response.destroy()
        if (fault === 'silence') return void answer.resume()
        response.writeHead(answer.statusCode!, answer.headers)
        if (fault === 'none') return void answer.pipe(response)
        answer.once('data', (chunk: Buffer) => {
          response.write(chunk.subarray(0, chunk.length / 2), () => response.destroy())
          onward.destroy()
        })
      },
    )
    onward.on('error', () => response.destroy())
    response.on('close', () => onward.destroy())
    request.pipe(onward)
  }

  const amount = parseUnits('2', 6)

  async function sendThrough(signal?: AbortSignal) {
    const [a, b] = service.chains
    const account = newUser()
    await fund(a, account.address, { usd: amount })
    const usdA = tokenOf(a, 'usd').address
    const gets = { token: tokenOf(b, 'usd').address, amount: parseUnits('2', 18) }
    const client = createIntentClient({ baseUrl: url, timeoutMs: 1_500, retries: 3 })
    const chainBatches = [
      {
        chainId: a.chainId,
        tokenTransfers: [{ from: account.address, to: a.vault, token: usdA, amount }],
        calls: [{ to: usdA, value: 0n, data: transferData(a.vault, amount) }],
      },
      {
        chainId: b.chainId,
        tokenTransfers: [{ from: 'solver' as const, to: account.address, ...gets }],
        calls: [],
      },
    ]
    const outcome = await client.send({ account, intents: [{ chainBatches }], signal }).catch((error: unknown) => error)
    const direct = createIntentClient({ baseUrl: service.url })
    const { actions } = await direct.listActions({ user: account.address })
    return { outcome, actions, paid: await balanceOf(b, gets.token, account.address), expected: gets.amount }
  }

  /** Each kind of request meets the fault on its first tries, and then goes through. */
  function firstTries(count: number, fault: Fault): (request: IncomingMessage) => Fault {
    const tries = new Map<string, number>()
    return ({ method, url: path }) => {
      const kind = `${method} ${path}`
      tries.set(kind, (tries.get(kind) ?? 0) + 1)
      return tries.get(kind)! <= count ? fault : 'none'
    }
  }

  for (const fault of ['refused', 'answer lost', 'answer cut', 'silence', 429, 500, 503] as const) {
    it(`carries an action through, once, when every request first meets: ${fault}`, async function () {
      this.timeout(90_000)
      choose = firstTries(1, fault)
      const { outcome, actions, paid, expected } = await sendThrough()
      expect(outcome).to.include({ status: 'success' })
      expect(actions).to.have.length(1)
      expect(paid).to.equal(expected)
      const creations = seen.filter(({ method, path }) => method === 'POST' && path === '/actions')
      expect(creations.length).to.be.at.least(2)
      expect(new Set(creations.map(({ key }) => key)).size).to.equal(1)
    })
  }

  it('carries an action through while any request may meet any fault', async function () {
    this.timeout(120_000)
    const faults: Fault[] = ['refused', 'answer lost', 'answer cut', 429, 503]
    let turn = 0
    // Two of three requests fail, each time otherwise.
    choose = () => (turn++ % 3 === 2 ? 'none' : faults[turn % faults.length]!)
    const { outcome, actions, paid, expected } = await sendThrough()
    expect(outcome).to.include({ status: 'success' })
    expect(actions).to.have.length(1)
    expect(paid).to.equal(expected)
  })

  it('has the user pay once on demand while any request may meet any fault', async function () {
    this.timeout(120_000)
    const [a, b] = service.chains
    const account = newUser()
    await fund(a, account.address, { usd: amount * 2n, native: parseUnits('1', 18) })
    const usdA = tokenOf(a, 'usd').address
    const gets = { token: tokenOf(b, 'usd').address, amount: parseUnits('2', 18) }
    const faults: Fault[] = ['answer lost', 'answer cut', 'refused', 429, 503]
    let turn = 0
    choose = () => (turn++ % 3 === 2 ? 'none' : faults[turn % faults.length]!)
    let payments = 0
    const chainBatches = [
      { chainId: a.chainId, tokenTransfers: [{ from: account.address, to: a.vault, token: usdA, amount }] },
      { chainId: b.chainId, tokenTransfers: [{ from: 'solver' as const, to: account.address, ...gets }] },
    ]
    const action = await sendOnDemand(createIntentClient({ baseUrl: url, timeoutMs: 1_500, retries: 3 }), {
      user: account.address,
      account,
      intents: [{ chainBatches }],
      pay: ({ to, data }) => {
        payments++
        return sendFrom(a, account, { to, data })
      },
    })
    expect(action.status).to.equal('success')
    expect(payments).to.equal(1)
    expect(await balanceOf(a, usdA, account.address)).to.equal(amount)
    expect(await balanceOf(b, gets.token, account.address)).to.equal(gets.amount)
  })

  it('carries an action through a service that goes away in the middle and comes back', async function () {
    this.timeout(90_000)
    let awayUntil: number | null = null
    choose = ({ method, url: path }) => {
      // As soon as the first step is asked for, all connections break, open event streams included.
      if (awayUntil === null && method === 'POST' && path!.includes('/steps/')) {
        awayUntil = Date.now() + 4_000
        setImmediate(() => proxy.closeAllConnections())
        return 'answer lost'
      }
      return awayUntil !== null && Date.now() < awayUntil ? 'refused' : 'none'
    }
    const { outcome, actions, paid, expected } = await sendThrough()
    expect(outcome).to.include({ status: 'success' })
    expect(actions).to.have.length(1)
    expect(paid).to.equal(expected)
    expect(seen.some(({ fault }) => fault === 'refused')).to.equal(true)
  })

  it('carries an action through a service that goes away as soon as it has stored it', async function () {
    this.timeout(90_000)
    let awayUntil: number | null = null
    choose = ({ method, url: path }) => {
      if (awayUntil === null && method === 'GET' && path!.startsWith('/actions/')) awayUntil = Date.now() + 6_000
      return awayUntil !== null && Date.now() < awayUntil ? 'refused' : 'none'
    }
    const { outcome, actions } = await sendThrough()
    expect(outcome).to.include({ status: 'success' })
    expect(actions).to.have.length(1)
  })

  it('names the stored action, and the payment that is not registered, where it has to give up', async function () {
    this.timeout(60_000)
    const [a] = service.chains
    const account = newUser()
    await fund(a, account.address, { usd: amount, native: parseUnits('1', 18) })
    const token = tokenOf(a, 'usd').address
    const client = createIntentClient({ baseUrl: service.url })
    const tokenTransfers = [{ from: account.address, to: a.vault, token, amount }]
    const refusal = new Error('The user rejected the request.')
    const told: Progress[] = []
    const error = await sendOnDemand(client, {
      user: account.address,
      account: { signTypedData: () => Promise.reject(refusal) },
      intents: [{ chainBatches: [{ chainId: a.chainId, tokenTransfers }] }],
      pay: ({ to, data }) => sendFrom(a, account, { to, data }),
      onProgress: (progress) => told.push(progress),
    }).catch((reason: unknown) => reason)
    expect(error).to.be.instanceOf(UnregisteredPaymentError).and.to.have.property('cause', refusal)
    const { actionId, step, hash } = error as UnregisteredPaymentError
    expect(told.map(({ type }) => type)).to.deep.equal(['created', 'paid'])
    expect(told[0]).to.include({ actionId })
    // What it says is enough to go on.
    await client.executeStep(step, { hash })
    expect((await client.runAction(actionId)).status).to.equal('success')
    const failed = await client.runAction(actionId, { signal: AbortSignal.abort('enough') }).catch((e: unknown) => e)
    expect(failed).to.equal('enough')
    const missing = await client.runAction(created.actionId).catch((reason: unknown) => reason)
    expect(missing).to.be.instanceOf(IntentApiError).and.to.include({ actionId: created.actionId, code: 'not_found' })
  })

  for (const [fault, kind] of [
    ['refused', IntentConnectionError],
    ['silence', IntentTimeoutError],
    [429, IntentApiError],
    [500, IntentApiError],
  ] as const) {
    it(`ends in a typed error, with nothing created, when every request meets: ${fault}`, async function () {
      this.timeout(60_000)
      choose = () => fault
      const { outcome, actions } = await sendThrough()
      expect(outcome).to.be.instanceOf(kind).and.to.include({ retryable: true })
      expect(actions).to.deep.equal([])
    })
  }

  it('ends with the reason of the signal when the service is away for good, with nothing sent twice', async function () {
    this.timeout(60_000)
    choose = ({ method, url: path }) => (method === 'POST' && path === '/actions' ? 'answer lost' : 'none')
    const controller = new AbortController()
    setTimeout(() => controller.abort(new IntentError('The user has had enough.')), 8_000)
    const { outcome, actions } = await sendThrough(controller.signal)
    expect(outcome).to.be.instanceOf(IntentError)
    // The service has stored it once, and been asked for nothing more.
    expect(actions).to.have.length(1)
    expect(actions[0]?.status).to.equal('created')
  })
})
