import { Agent, get } from 'node:http'
import { compare, type Result } from './compare.js'
import type { DatabaseKind } from './databases.js'
import { type Bench, startChains, startServiceProcess } from './environment.js'
import { inScope } from './inScope.js'
import type { Load } from './load.js'
import { signBodies } from './signedBodies.js'
import { createActions } from './steps.js'

const streamCount = 1_000
const openedAtOnce = 100
const connections = 50

/** What open event streams take from the throughput of reads. */
export function streams(bench: Bench, kind: DatabaseKind): Promise<Result[]> {
  return inScope(async (keep) => {
    const chains = await keep(startChains())
    const database = await keep(bench.databases.fresh(kind))
    const service = await keep(startServiceProcess({ ...chains.env, DATABASE_URL: database.url }))
    const bodies = await signBodies(chains.devnet.chains, { bodies: connections, users: connections })
    const paths = await createActions(
      service.url,
      bodies.map(({ body }) => body),
    )
    const requests: Load['requests'] = paths.map((path) => ({ method: 'GET', path }))
    const read = async () =>
      (await bench.load.run({ url: service.url, connections, requests, seconds: bench.seconds })).perSecond
    const eventsPath = paths[0]!.replace(/\/intents.*$/, '/events')
    const readWithStreams = () =>
      inScope(async (keepOpen) => {
        await keepOpen(openStreams(service.url + eventsPath))
        return read()
      })
    await read()
    return compare({
      benchmark: 'streams',
      database: kind,
      unit: 'requests/s',
      rounds: bench.rounds,
      ours: { name: `GET of a step, ${streamCount} streams open`, round: readWithStreams },
      others: [{ name: 'GET of a step, none open', round: read, target: { atLeast: 0.8 } }],
    })
  })
}

async function openStreams(url: string): Promise<{ stop(): Promise<void> }> {
  const agent = new Agent({ maxSockets: streamCount })
  const open = () =>
    new Promise<void>((resolve, reject) => {
      const request = get(url, { agent }, (response) => {
        response.resume()
        response.on('error', () => undefined)
        if (response.statusCode === 200) resolve()
        else reject(new Error(`A stream was answered ${response.statusCode}`))
      })
      request.on('error', reject)
    })
  // A part at a time: a server takes only so many new connections at once.
  for (let opened = 0; opened < streamCount; opened += openedAtOnce) {
    await Promise.all(Array.from({ length: openedAtOnce }, open))
  }
  return { stop: async () => agent.destroy() }
}
