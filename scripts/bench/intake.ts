import { compare, type Result } from './compare.js'
import type { DatabaseKind } from './databases.js'
import { type Bench, startChains, startServiceProcess } from './environment.js'
import { inScope, type Keep } from './inScope.js'
import { signBodies } from './signedBodies.js'
import { startProcess } from './startProcess.js'

const connections = 50
/** Requests in a round; pure JavaScript has fewer, since it takes so much longer. */
const amount = 1_500
const amountInJavaScript = 200
const users = 100
/** Rounds of each before those that count: code just loaded is slow, and is compiled while it runs. */
const warmUps = 3

/** `POST /actions` (one 7702 intent, two batches, two authorizations, all checks) beside less of the same. */
export function intake(bench: Bench, kind: DatabaseKind): Promise<Result[]> {
  return inScope((keep) => intakeOn(bench, kind, keep))
}

async function intakeOn(bench: Bench, kind: DatabaseKind, keep: Keep): Promise<Result[]> {
  const chains = await keep(startChains())
  const bodies = await signBodies(chains.devnet.chains, { bodies: amount * (bench.rounds + warmUps), users })
  const databases = await Promise.all([1, 2, 3, 4].map(() => keep(bench.databases.fresh(kind))))
  const [first, second, third, fourth] = databases.map(({ url }) => url)
  const native = await keep(startServiceProcess({ ...chains.env, DATABASE_URL: first! }))
  const slow = { DATABASE_URL: second!, BENCH_RECOVERY: 'viem' }
  const javascript = await keep(startServiceProcess({ ...chains.env, ...slow }))
  const bare = await keep(startProcess<{ url: string }>('servers/bareIntake.ts', { DATABASE_URL: third! }))
  const grouping = { DATABASE_URL: fourth!, BENCH_TOGETHER: 'yes' }
  const together = await keep(startProcess<{ url: string }>('servers/bareIntake.ts', grouping))
  const contender = (name: string, url: string, requestsPerRound: number) => {
    let sent = 0
    const round = async () => {
      // Each body once: the same again would be answered without being stored.
      const part = bodies.slice(sent, sent + requestsPerRound)
      sent += requestsPerRound
      const requests = part.map(({ body }) => ({
        method: 'POST' as const,
        path: '/actions',
        body,
        headers: { 'content-type': 'application/json' },
      }))
      return (await bench.load.run({ url, connections, requests, seconds: null })).perSecond
    }
    return { name, round }
  }
  const ours = contender('POST /actions', native.url, amount)
  const others = [
    {
      ...contender('the same, recovery by viem', javascript.url, amountInJavaScript),
      target: { atLeast: 8 },
    },
    {
      ...contender('Koa, body parser, insert, no checks', bare.ready.url, amount),
      target: { atLeast: 0.5 },
    },
    { ...contender('the same, several in a transaction', together.ready.url, amount), target: null },
  ]
  for (let warmUp = 0; warmUp < warmUps; warmUp++) {
    for (const { round } of [ours, ...others]) await round()
  }
  return compare({ benchmark: 'intake', database: kind, unit: 'requests/s', rounds: bench.rounds, ours, others })
}
