import { readFileSync } from 'node:fs'
import { rpc } from '../../server/devnet/anvil.js'
import { type Result, spread } from './compare.js'
import type { DatabaseKind } from './databases.js'
import { type Bench, startChains, startServiceProcess } from './environment.js'
import { inScope } from './inScope.js'
import { signBodies } from './signedBodies.js'
import { askForSteps, createActions } from './steps.js'

const idleSeconds = 10
/** How long the engine works on steps that no block takes. */
const busySeconds = 30

/** Resident memory of the service: idle, and with steps in flight on a chain that makes no blocks. */
export function memory(bench: Bench, kind: DatabaseKind): Promise<Result[]> {
  return inScope(async (keep) => {
    const chains = await keep(startChains())
    const database = await keep(bench.databases.fresh(kind))
    const service = await keep(startServiceProcess({ ...chains.env, DATABASE_URL: database.url }))
    const idle = await sample(service.pid, idleSeconds)
    const [chain] = chains.devnet.chains
    const steps = Number(process.env.BENCH_MEMORY_STEPS ?? 10_000)
    const bodies = await signBodies([chain!], { bodies: steps, users: steps })
    const paths = await createActions(
      service.url,
      bodies.map(({ body }) => body),
    )
    await rpc(chain!.rpcUrls[0]!, 'evm_setAutomine', [false])
    await askForSteps(bench.load, service.url, paths)
    const busy = await sample(service.pid, busySeconds)
    const common = { benchmark: 'memory', database: kind, unit: 'MB', ratio: null }
    return [
      { ...common, name: 'idle', figures: spread(idle), bound: { atMost: 150 } },
      { ...common, name: `${steps} steps in flight`, figures: spread(busy), bound: { atMost: 350 } },
    ]
  })
}

/** Megabytes, once a second. */
async function sample(pid: number, seconds: number): Promise<number[]> {
  const samples: number[] = []
  for (let second = 0; second < seconds; second++) {
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!
    samples.push(Number(kilobytes) / 1024)
  }
  return samples
}
