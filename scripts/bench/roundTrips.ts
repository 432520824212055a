import { createServer, request } from 'node:http'
import { Agent } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Result, spread } from './compare.js'
import type { DatabaseKind } from './databases.js'
import { type Bench, startChains, startServiceProcess } from './environment.js'
import { inScope } from './inScope.js'
import { signBodies } from './signedBodies.js'
import { askForSteps, createActions, untilSucceeded } from './steps.js'

const lone = 20
const atOnce = 200

/** HTTP requests to the chain per step, the watching of the chain among them; counted by a proxy before it. */
export function roundTrips(bench: Bench, kind: DatabaseKind): Promise<Result[]> {
  return inScope(async (keep) => {
    const proxy = await keep(startCountingProxy())
    const chains = await keep(startChains(proxy.through))
    const database = await keep(bench.databases.fresh(kind))
    const keys = chains.devnet.operatorKeys[0]!
    const env = { ...chains.env, SOLVER_PRIVATE_KEYS: keys, DATABASE_URL: database.url }
    const service = await keep(startServiceProcess(env))
    const [chain] = chains.devnet.chains
    const count = lone + atOnce
    const bodies = (await signBodies([chain!], { bodies: count, users: count })).map(({ body }) => body)
    const paths = await createActions(service.url, bodies)
    const path = new URL(chain!.rpcUrls[0]!).port

    const alone: number[] = []
    for (const step of paths.slice(0, lone)) {
      const before = proxy.count(path)
      await fetch(service.url + step, { method: 'POST', headers: { prefer: 'wait=20' } })
      alone.push(proxy.count(path) - before)
    }
    const before = proxy.count(path)
    await askForSteps(bench.load, service.url, paths.slice(lone))
    await untilSucceeded(service, count)
    const together = [(proxy.count(path) - before) / atOnce]
    const common = { benchmark: 'rpc', database: kind, unit: 'round trips/step', ratio: null }
    return [
      { ...common, name: 'one in flight', figures: spread(alone), target: { atMost: 6 } },
      { ...common, name: `${atOnce} in flight`, figures: spread(together), target: { atMost: 3 } },
    ]
  })
}

/** Passes requests on to the port that their path names. */
async function startCountingProxy() {
  const counts = new Map<string, number>()
  const agent = new Agent({ keepAlive: true })
  const server = createServer((incoming, response) => {
    const port = incoming.url!.slice(1)
    counts.set(port, (counts.get(port) ?? 0) + 1)
    const outgoing = request(
      { host: '127.0.0.1', port, path: '/', method: incoming.method, headers: incoming.headers, agent },
      (answer) => {
        response.writeHead(answer.statusCode!, answer.headers)
        answer.pipe(response)
      },
    )
    outgoing.on('error', () => response.destroy())
    incoming.pipe(outgoing)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    through: (rpcUrl: string) => `http://127.0.0.1:${port}/${new URL(rpcUrl).port}`,
    count: (chainPort: string) => counts.get(chainPort) ?? 0,
    async stop() {
      agent.destroy()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
