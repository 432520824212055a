import { createServer, type Server } from 'node:http'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { StepErrorCode } from '../domain/errors.js'
import { listen } from './listen.js'
import { lostLogLines } from './logging.js'
import type { HealthReport } from '../services/health.js'

export type Metrics = ReturnType<typeof createMetrics>

/** What Prometheus reads. Labels hold operations, chains and our own words; never users, ids or nodes' addresses. */
export function createMetrics(version: string) {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]

  const build = new Gauge({ name: 'build_info', help: 'The running version.', labelNames: ['version'], registers })
  build.set({ version }, 1)
  const requests = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'How long requests took, by operation and status.',
    labelNames: ['operation', 'method', 'status_code'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    registers,
  })
  const refusedConnections = new Counter({
    name: 'http_server_connections_refused_total',
    help: 'Connections that were one too many.',
    registers,
  })
  const unreadConnections = new Counter({
    name: 'http_server_connections_unread_total',
    help: 'Connections that were cut, as their clients had not read what they had asked for.',
    registers,
  })
  new Counter({
    name: 'log_lines_lost_total',
    help: 'Lines of the log that nobody took from stdout in time.',
    registers,
    collect() {
      this.reset()
      this.inc(lostLogLines())
    },
  })
  let readConnections: (() => number) | null = null
  const steps = new Counter({
    name: 'steps_settled_total',
    help: 'Steps that have come to an end, by chain, status and error code; the code of a success is empty.',
    labelNames: ['chain', 'status', 'code'],
    registers,
  })
  const stepsPerTransaction = new Histogram({
    name: 'steps_per_transaction',
    help: 'How many steps the signed transactions carry, by chain; more than one is a bundle.',
    labelNames: ['chain'],
    buckets: [1, 2, 5, 10, 20, 50, 100],
    registers,
  })
  const reorganised = new Counter({
    name: 'reorganised_after_final_total',
    help: 'What reorganisations deeper than the confirmations have undone, by chain and kind.',
    labelNames: ['chain', 'kind'],
    registers,
  })
  const rpc = new Histogram({
    name: 'rpc_request_duration_seconds',
    help: 'How long requests to nodes took, by chain, position of the node and outcome.',
    labelNames: ['chain', 'node', 'outcome'],
    buckets: [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10],
    registers,
  })
  const gauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Gauge({ name, help, labelNames, registers })
  const chainUp = gauge('chain_up', '1 while the chain answers.', 'chain')
  const block = gauge('chain_head_block', 'The newest block seen.', 'chain')
  const age = gauge(
    'health_age_seconds',
    'How old what is told of a chain is; a chain that is slow to answer is not waited for.',
    'chain',
  )
  const paused = gauge('lanes_paused', 'Paused lanes, those of keys that were changed for others among them.', 'chain')
  const inventory = gauge(
    'vault_balance',
    'What the vault holds of a token, in its smallest unit, rounded to a double.',
    'chain',
    'token',
  )
  const findings = gauge(
    'health_findings',
    'What an operator should look at, by chain and code; the same as in /health.',
    'chain',
    'code',
  )
  const signerBalance = gauge(
    'signer_balance_wei',
    'What signers hold for gas, rounded to a double.',
    'chain',
    'signer',
  )
  const connections = gauge('http_server_connections', 'Clients connected to the API.')
  const draining = gauge('draining', '1 while nothing new is accepted.')

  return {
    observeRequest: (operation: string, method: string, status: number, seconds: number): void =>
      requests.observe({ operation, method, status_code: status }, seconds),
    countRefusedConnection: (): void => refusedConnections.inc(),
    countUnreadConnection: (): void => unreadConnections.inc(),
    /** `read` is asked at each scrape how many clients are connected. */
    watchConnections: (read: () => number): void => void (readConnections = read),
    countStep: (chainId: number, status: string, code?: StepErrorCode): void =>
      steps.inc({ chain: chainId, status, code: code ?? '' }),
    observeTransaction: (chainId: number, steps: number): void =>
      stepsPerTransaction.observe({ chain: chainId }, steps),
    countReorganised: (chainId: number, kind: string): void => reorganised.inc({ chain: chainId, kind }),
    observeRpc: (chainId: number, node: number, outcome: string, seconds: number): void =>
      rpc.observe({ chain: chainId, node, outcome }, seconds),

    /** Everything as text, with the state of chains and lanes as the report has it. */
    async text(report: HealthReport): Promise<string> {
      draining.set(report.draining ? 1 : 0)
      findings.reset()
      age.reset()
      for (const { code, chainId } of report.findings) findings.inc({ chain: chainId ?? '', code })
      for (const chain of report.chains) {
        const label = { chain: chain.chainId }
        chainUp.set(label, chain.status === 'down' ? 0 : 1)
        if (chain.ageMs !== null) age.set(label, chain.ageMs / 1000)
        if (chain.blockNumber !== null) block.set(label, chain.blockNumber)
        paused.set(label, chain.lanes.filter((lane) => lane.status === 'paused').length)
        for (const { signer, balance } of chain.lanes) {
          if (balance !== null) signerBalance.set({ ...label, signer }, Number(balance))
        }
        for (const [token, amount] of Object.entries(chain.solverBalance ?? {})) {
          inventory.set({ ...label, token }, Number(amount))
        }
      }
      if (readConnections) connections.set(readConnections())
      return registry.metrics()
    },
    contentType: registry.contentType,
  }
}

/** Serves `GET /metrics` on a port of its own, so that it need not be public where the API is. */
export async function serveMetrics(
  metrics: Metrics,
  report: () => Promise<HealthReport>,
  address: { host: string; port: number },
): Promise<{ url: string; close: () => Promise<void> }> {
  const server: Server = createServer((request, response) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (!isRead || request.url?.split('?')[0] !== '/metrics') {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('GET /metrics\n')
      return
    }
    report()
      .then((current) => metrics.text(current))
      .then(
        (text) => response.writeHead(200, { 'content-type': metrics.contentType }).end(text),
        () => response.writeHead(503).end(),
      )
  })
  await listen(server, { ...address, portIn: 'METRICS_PORT' })
  const { port } = server.address() as { port: number }
  return {
    url: `http://${address.host}:${port}/metrics`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
