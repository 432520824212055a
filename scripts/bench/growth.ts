import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { createStore } from '../../server/store/store.js'
import { compare, type Contender, type Result } from './compare.js'
import { type DatabaseKind, openDatabase } from './databases.js'
import { type Bench, type Chains, startChains, startServiceProcess } from './environment.js'
import type { Grown, Growth } from './grow.js'
import { bodiesPerRound, type GrownService, reads, writes } from './growthEndpoints.js'
import { claim, type Look, looks, makeDue } from './growthLooks.js'
import { inScope, type Keep } from './inScope.js'
import type { Load } from './load.js'
import { PartlyMeasured } from './partlyMeasured.js'
import { signBodies } from './signedBodies.js'
import { startProcess } from './startProcess.js'

const actions = 1_000
/** Ten times as much each: a million actions after three. */
const growthRounds = Number(process.env.BENCH_GROWTH_ROUNDS ?? 3)
const connections = 8
/** Slower than this beside a thousand actions, nothing may be. */
const atMost = 1.3
const looksPerRound = 500
/** Ahead of what the seeded rows rest on by more than a reorganisation is looked for. */
const minedBlocks = 1_000

type Place = { grown: Grown; url: string; service: { url: string; stop(): Promise<void> }; bodies: string[] }

/** Every endpoint, and what the engine asks for, with a million stored actions beside a thousand. */
export function growth(bench: Bench, kind: DatabaseKind): Promise<Result[]> {
  return inScope((keep) => growthOn(bench, kind, keep))
}

async function growthOn(bench: Bench, kind: DatabaseKind, keep: Keep): Promise<Result[]> {
  const chains = await keep(startChains())
  await mine(chains)
  const { chainId } = chains.devnet.chains[0]!
  const keys = chains.devnet.operatorKeys
  const large = await openPlace(bench, kind, { chains, keys: keys.slice(0, 1), rounds: growthRounds }, keep)
  const small = await openPlace(bench, kind, { chains, keys: keys.slice(1, 2), rounds: 0 }, keep)
  const label = { benchmark: 'growth', database: kind, rounds: bench.rounds, unit: 'ms' }
  const results: Result[] = []
  const missing: string[] = []
  const beside = async (name: string, roundOf: (place: Place) => Contender['round']) => {
    const contender = (place: Place) => ({ name: `${name} at ${place.grown.actions} actions`, round: roundOf(place) })
    const [ours, other] = [contender(large), contender(small)]
    try {
      for (const { round } of [ours, other]) await round()
      results.push(...(await compare({ ...label, ours, others: [{ ...other, target: { atMost } }] })))
    } catch (error) {
      // To fill the databases takes far longer than to measure what is left.
      missing.push(`${name}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  for (const [name, requestsOf] of Object.entries(reads)) {
    const ask = ({ grown, service }: Place, seconds: number | null) =>
      askFor(bench, service.url, requestsOf(grown), seconds)
    await beside(name, (place) => {
      let isRead = false
      return async () => {
        // Each once, so that none is read from disk for the first time in a round.
        if (!isRead) await ask(place, null)
        isRead = true
        return ask(place, bench.seconds)
      }
    })
  }
  for (const [name, requestsOf] of Object.entries(writes)) {
    await readFileOf(large)
    await beside(name, ({ grown, service, bodies }) => async () => {
      const requests = await requestsOf({ grown, url: service.url, chainId, bodies } satisfies GrownService)
      return askFor(bench, service.url, requests, null)
    })
  }
  for (const { service } of [large, small]) await service.stop()

  const opened = new Map([large, small].map((place) => [place, openDatabase(place.url)]))
  try {
    const lookOf = (place: Place): Look => {
      const database = opened.get(place)!
      return { database, store: createStore(database), grown: place.grown, chainId }
    }
    for (const [name, look] of Object.entries(looks)) {
      await readFileOf(large)
      await beside(name, (place) => timesOf(look, lookOf(place)))
    }
    for (const place of [large, small]) await makeDue(lookOf(place))
    await beside("the engine's claim, ten due", (place) => timesOf(claim, lookOf(place)))
  } finally {
    for (const database of opened.values()) await database.close()
  }
  if (missing.length > 0) throw new PartlyMeasured(results, missing)
  return results
}

/** A database that has grown, and a service on it with lanes of its own. */
async function openPlace(
  bench: Bench,
  kind: DatabaseKind,
  { chains, keys, rounds }: { chains: Chains; keys: string[]; rounds: number },
  keep: Keep,
): Promise<Place> {
  const { url } = await keep(bench.databases.fresh(kind))
  const [from, to] = chains.devnet.chains.map(({ chainId, tokens }) => ({ chainId, token: tokens[0]!.address }))
  const seed = await startProcess('grow.ts', { DATABASE_URL: url })
  const startedAt = performance.now()
  const grown = await seed.ask<Grown>({ actions, rounds, chains: [from!, to!] } satisfies Growth)
  console.error(`${grown.actions} actions on ${kind} after ${Math.round((performance.now() - startedAt) / 1000)} s`)
  await seed.stop()
  await writeOut(fileOf(url))
  const service = await keep(
    startServiceProcess({ ...chains.env, SOLVER_PRIVATE_KEYS: keys.join(','), DATABASE_URL: url }),
  )
  const count = (bodiesPerRound.posted + bodiesPerRound.stepped) * (bench.rounds + 1)
  const signed = await signBodies(chains.devnet.chains, { bodies: count, users: 50 })
  return { grown, url, service, bodies: signed.map(({ body }) => body) }
}

/** What is measured would have to wait for the disk else. */
async function writeOut(file: string | null): Promise<void> {
  if (file === null) return
  const handle = await open(file)
  await handle.sync()
  await handle.close()
}

/**
 * SQLite leaves its file to the machine's memory. A machine may drop what was not asked for in a minute, and then each
 * new random key costs a read from the disk, which is a matter of the machine and not of how much is stored.
 */
async function readFileOf({ url }: Place): Promise<void> {
  const file = fileOf(url)
  if (file === null) return
  for await (const _chunk of createReadStream(file, { highWaterMark: 2 ** 20 })) continue
}

function fileOf(databaseUrl: string): string | null {
  return databaseUrl.startsWith('sqlite:') ? databaseUrl.slice('sqlite:'.length) : null
}

/** How long one request takes, in milliseconds. */
async function askFor(bench: Bench, url: string, requests: Load['requests'], seconds: number | null): Promise<number> {
  const { perSecond } = await bench.load.run({ url, connections, requests, seconds })
  return (connections * 1000) / perSecond
}

function timesOf(look: (of: Look) => Promise<unknown>, of: Look): Contender['round'] {
  return async () => {
    const startedAt = performance.now()
    for (let time = 0; time < looksPerRound; time++) await look(of)
    return (performance.now() - startedAt) / looksPerRound
  }
}

async function mine({ devnet }: Chains): Promise<void> {
  for (const { rpcUrls } of devnet.chains) {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'anvil_mine',
      params: [`0x${minedBlocks.toString(16)}`],
    })
    await fetch(rpcUrls[0]!, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  }
}
