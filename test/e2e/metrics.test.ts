import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { type Devnet, startDevnet } from '../../server/devnet/devnet.js'
import { startFaultyNode } from '../chain/faultyNode.js'
import { createApi } from '../support/api.js'
import { bundleScene } from '../support/bundleScene.js'
import { chainsFileOf } from '../support/chainsFile.js'
import { freePort } from '../support/freePort.js'
import { startTestService, type TestService } from '../support/service.js'
import { until } from '../support/until.js'

describe('metrics', () => {
  it('are served on a port of their own, and tell of requests, chains and vaults', async () => {
    const port = await freePort()
    const service = await startTestService({ METRICS_PORT: String(port) })
    try {
      await createApi(service.url).get('/chains')
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
      expect(text).to.match(
        /http_server_request_duration_seconds_count\{operation="listChains",method="GET",status_code="200"\} 1/,
      )
      expect(text).to.contain('chain_up{chain="31337"} 1')
      expect(text).to.contain('vault_balance{chain="31337",token="usd"} 1000000000000')
      expect((await fetch(`http://127.0.0.1:${port}/other`)).status).to.equal(404)
      expect((await createApi(service.url).get('/metrics')).status).to.equal(404)
    } finally {
      await service.stop()
    }
  })
})

describe('metrics of bundles', () => {
  const scene = bundleScene()

  it('tell how many steps the transactions of each chain carry', async function () {
    this.timeout(60_000)
    const port = await freePort()
    const [lone, ...others] = await scene.users(6)
    const wanted = async (users: typeof others) =>
      Promise.all(users.map(async (user) => ({ user, intent: await scene.intentOf(user, [scene.payVault(1n)]) })))
    const asked = await scene.ask(await wanted(others))
    await scene.withService({ METRICS_PORT: String(port) }, async (service) => {
      await scene.ends(service, asked)
      await scene.ends(service, await scene.askOf(service, await wanted([lone!])))
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
      const { chainId } = scene.a()
      expect(text).to.contain(`steps_per_transaction_sum{chain="${chainId}"} 6`)
      expect(text).to.contain(`steps_per_transaction_count{chain="${chainId}"} 2`)
      expect(text).to.contain(`steps_per_transaction_bucket{le="1",chain="${chainId}"} 1`)
    })
  })
})

describe('metrics and health while a node is silent', function () {
  this.timeout(120_000)
  const folder = mkdtempSync(join(tmpdir(), 'silent-'))
  let devnet: Devnet
  let node: Awaited<ReturnType<typeof startFaultyNode>>
  let service: TestService
  let metricsUrl: string

  before(async () => {
    devnet = await startDevnet({ dataDir: folder })
    node = await startFaultyNode(devnet.chains[0]!.rpcUrls[0]!)
    const named = chainsFileOf(devnet, folder)
    const content = JSON.parse(readFileSync(named.CHAINS_FILE, 'utf8')) as { chains: { rpcUrls: string[] }[] }
    content.chains[0]!.rpcUrls = [node.url]
    writeFileSync(named.CHAINS_FILE, JSON.stringify(content))
    const port = await freePort()
    service = await startTestService({ ...named, METRICS_PORT: String(port) })
    metricsUrl = `http://127.0.0.1:${port}/metrics`
  })
  after(async () => {
    await service?.stop()
    await node?.stop()
    await devnet?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  async function timed(url: string) {
    const startedAt = performance.now()
    const response = await fetch(url)
    const text = await response.text()
    return { text, status: response.status, ms: performance.now() - startedAt }
  }
  /** Within a second by rule; this machine may have others to serve. */
  const soonMs = 2_000
  const valueOf = (text: string, name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? NaN)

  it('tell within a second what was seen last, and how old it is, until the chain counts as down', async () => {
    const seen = await until(async () => {
      const { text } = await timed(metricsUrl)
      return valueOf(text, 'chain_up{chain="31337"}') === 1 && text
    }, 'the chain')
    expect(valueOf(seen, 'health_age_seconds{chain="31337"}')).to.be.lessThan(2)

    node.behave({ kind: 'silence' })
    let oldest = 0
    await until(async () => {
      const { text, ms } = await timed(metricsUrl)
      expect(ms).to.be.lessThan(soonMs)
      const isUp = valueOf(text, 'chain_up{chain="31337"}') === 1
      if (isUp) {
        expect(text).to.contain('vault_balance{chain="31337",token="usd"} 1000000000000')
        oldest = Math.max(oldest, valueOf(text, 'health_age_seconds{chain="31337"}'))
      }
      expect(valueOf(text, 'chain_up{chain="31338"}')).to.equal(1)
      return !isUp
    }, 'the chain to be down')
    expect(oldest).to.be.greaterThan(1)
    const health = await timed(`${service.url}/health`)
    expect(health.ms).to.be.lessThan(soonMs)
    expect(health.status).to.equal(503)

    node.behave({ kind: 'pass' })
    await until(async () => (await timed(`${service.url}/health`)).status === 200, 'the chain to be back')
  })
})
