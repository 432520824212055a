import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { pino } from 'pino'
import { parseUnits } from 'viem'
import { stopProcess } from '../../server/devnet/anvil.js'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { createApi, type Api } from '../support/api.js'
import { migratedSchema } from '../support/mysqlSchemas.js'
import { until } from '../support/until.js'
import { localChains } from '../support/localChains.js'
import { startTestService, type TestService } from '../support/service.js'
import { spawnService, type SpawnedService } from '../support/spawnedService.js'
import { actionOf, fund, newUser, onDemandIntent, sendFrom, tokenOf, transferData } from '../support/wallets.js'

type Line = Record<string, unknown>

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const callersSpan = '00f067aa0ba902b7'
const traceparent = `00-${traceId}-${callersSpan}-01`

describe('the trace of a request', function () {
  this.timeout(120_000)
  const lines: Line[] = []
  let service: TestService | null = null
  let api: Api
  let a: ChainConfig
  let b: ChainConfig

  before(async () => {
    const log = pino({ level: 'debug' }, { write: (line) => void lines.push(JSON.parse(line) as Line) })
    service = await startTestService({}, log)
    api = createApi(service.url)
    ;[a, b] = service.chains
  })
  after(() => service?.stop())

  const ask = (actionId: string, header?: string) =>
    api.request(
      'POST',
      `/actions/${actionId}/intents/0/steps/0`,
      {},
      { prefer: 'wait=20', ...(header !== undefined && { traceparent: header }) },
    )
  const said = (msg: string, actionId: string) =>
    until(() => lines.find((line) => line.msg === msg && line.actionId === actionId), `the line "${msg}"`)

  it('names its line, the step’s and its transaction’s', async () => {
    const actionId = await anAction(api, a)
    await said('request', actionId)
    const step = (await ask(actionId, traceparent)).body
    expect(step.status).to.equal('success')
    const request = await until(
      () => lines.find((line) => line.msg === 'request' && line.operationId === 'executeStep'),
      'the line of the request',
    )
    expect(request).to.deep.include({ traceId, parentSpanId: callersSpan, actionId, intentIndex: 0, stepIndex: 0 })
    expect(request.requestId).to.be.a('string')
    const { spanId } = request
    expect(spanId)
      .to.match(/^[0-9a-f]{16}$/)
      .and.not.equal(callersSpan)
    const ref = { actionId, intentIndex: 0, stepIndex: 0 }
    const place = { chainId: a.chainId, hash: step.transactionHash, traceId, spanId }
    const sent = await said('transaction sent', actionId)
    expect(sent).to.deep.include({ ...ref, ...place })
    expect(sent.nonce).to.be.a('number')
    expect(sent.signer).to.match(/^0x/)
    const settled = await said('step settled', actionId)
    expect(settled).to.deep.include({ ...ref, ...place, status: 'success', transactionId: sent.transactionId })
  })

  it('is told by the events of the action, and by nothing before somebody has asked', async () => {
    const actionId = await anAction(api, a)
    await ask(actionId, traceparent)
    const text = await (await fetch(`${service!.url}/actions/${actionId}/events`)).text()
    const events = [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!) as Line)
    expect(events.length).to.be.greaterThan(1)
    for (const event of events) expect(event.traceId).to.equal(traceId)
    expect((await api.get(`/actions/${actionId}/intents/0/steps/0`)).body).not.to.have.property('traceId')
  })

  it('begins anew where the header is missing or malformed', async () => {
    for (const header of [undefined, `00-${'0'.repeat(32)}-${callersSpan}-01`, `${traceparent}, ${traceparent}`]) {
      const actionId = await anAction(api, a)
      await ask(actionId, header)
      const settled = await said('step settled', actionId)
      expect(settled.traceId, String(header)).to.match(/^[0-9a-f]{32}$/)
      expect(settled.traceId, String(header)).not.to.be.oneOf([traceId, '0'.repeat(32)])
      const request = lines.findLast((line) => line.operationId === 'executeStep' && line.actionId === actionId)!
      expect(request.traceId).to.equal(settled.traceId)
      expect(request).not.to.have.property('parentSpanId')
    }
  })

  it('goes on to the solver’s steps that follow a payment by themselves', async () => {
    const user = newUser()
    await fund(a, user.address, { usd: 1_000_000n, native: parseUnits('1', 18) })
    const usd = tokenOf(a, 'usd').address
    const hash = await sendFrom(a, user, { to: usd, data: transferData(a.vault, 1_000_000n) })
    const pays = { from: user.address, to: a.vault, token: usd, amount: 1_000_000n }
    const gets = { from: 'solver', to: user.address, token: tokenOf(b, 'usd').address, amount: 10n ** 18n }
    const { actionId } = (
      await api.post('/actions', {
        user: user.address,
        intents: [
          onDemandIntent([
            { chainId: a.chainId, tokenTransfers: [pays] },
            { chainId: b.chainId, tokenTransfers: [gets] },
          ]),
        ],
      })
    ).body
    await api.post(`/actions/${actionId}/intents/0/steps/0`, { hash }, { traceparent, prefer: 'wait=20' })
    const settled = (stepIndex: number) => () =>
      lines.find((line) => line.msg === 'step settled' && line.actionId === actionId && line.stepIndex === stepIndex)
    const payment = await until(settled(0), 'the payment')
    const payout = await until(settled(1), 'the payout')
    expect(payment).to.deep.include({ traceId, chainId: a.chainId, hash })
    expect(payout).to.deep.include({ traceId, chainId: b.chainId, spanId: payment.spanId })
  })
})

describe('the trace of a request to a process that only answers', function () {
  this.timeout(120_000)
  const folder = mkdtempSync(join(tmpdir(), 'tracing-'))
  let mysql: Awaited<ReturnType<typeof migratedSchema>> | null = null
  let running: SpawnedService | null = null
  const start = async (role: string) =>
    (running = await spawnService({ DATA_DIR: folder, ROLE: role, ...(mysql && { DATABASE_URL: mysql.url }) }))

  before(async () => {
    mysql = process.env.TEST_DATABASE === 'mysql' ? await migratedSchema() : null
  })
  after(async () => {
    await running?.stop('SIGKILL')
    const chains = JSON.parse(readFileSync(join(folder, 'chains/chains.json'), 'utf8')) as { pid: number }[]
    await Promise.all(chains.map(({ pid }) => stopProcess(pid)))
    await mysql?.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('is known to another one, which carries the step out later', async () => {
    const answering = await start('api')
    const api = createApi(answering.url!)
    const [a] = await localChains(api)
    const actionId = await anAction(api, a)
    const path = `/actions/${actionId}/intents/0/steps/0`
    expect((await api.post(path, {}, { prefer: 'wait=0', traceparent })).status).to.equal(202)
    await answering.stop('SIGKILL')
    const working = await start('engine')
    const settled = await until(
      () => working.lines().find((line) => line.msg === 'step settled' && line.actionId === actionId),
      'the step’s end',
    )
    expect(settled).to.deep.include({ traceId, status: 'success', chainId: a.chainId })
  })
})

/** A signed transfer of nothing, which the service sends. */
async function anAction(api: Api, chain: ChainConfig): Promise<string> {
  const user = newUser()
  const call = { to: tokenOf(chain, 'usd').address, value: 0n, data: transferData(chain.vault, 0n) }
  const created = await api.post('/actions', await actionOf(user, chain, [call]))
  expect(created.status, JSON.stringify(created.body)).to.equal(201)
  return created.body.actionId as string
}
