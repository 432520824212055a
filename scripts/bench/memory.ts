import { rpc } from '../../server/devnet/anvil.js'
import { type Result, spread } from './compare.js'
import type { DatabaseKind } from './databases.js'
import { type Bench, startChains, startServiceProcess } from './environment.js'
import { inScope } from './inScope.js'
import { sampleMemory } from './processMemory.js'
import { signBodies } from './signedBodies.js'
import { askForSteps, createActions } from './steps.js'

const idleSeconds = 10
/** How long the engine works on steps that no block takes, once all are asked for. */
const busySeconds = 30

/** Kept in flight at once; `name` says what. */
type Shape = { name: string; steps: number; batches?: number; callBytes?: number }

const shapes: Shape[] = [
  { name: 'steps in flight', steps: Number(process.env.BENCH_MEMORY_STEPS ?? 10_000) },
  // Nearly as long as a body may be by default.
  { name: 'steps of 240 kB actions in flight', steps: 600, batches: 4, callBytes: 30_000 },
]

/** Resident memory of the service: idle, and with steps in flight on a chain that makes no blocks. */
export async function memory(bench: Bench, kind: DatabaseKind): Promise<Result[]> {
  const results: Result[] = []
  const common = { benchmark: 'memory', database: kind, unit: 'MB', ratio: null }
  for (const shape of shapes) {
    const { idle, busy } = await measure(bench, kind, shape)
    if (results.length === 0) results.push({ ...common, name: 'idle', figures: spread(idle), target: { atMost: 150 } })
    const name = `${shape.steps} ${shape.name}`
    results.push({ ...common, name, figures: spread(busy), target: { atMost: 350 } })
  }
  return results
}

function measure(bench: Bench, kind: DatabaseKind, { steps, batches, callBytes }: Shape) {
  return inScope(async (keep) => {
    const chains = await keep(startChains())
    const database = await keep(bench.databases.fresh(kind))
    const service = await keep(startServiceProcess({ ...chains.env, DATABASE_URL: database.url }))
    const idle = await sampleMemory(service.pid, idleSeconds)
    const [chain] = chains.devnet.chains
    const bodies = await signBodies([chain!], { bodies: steps, users: steps, batches, callBytes })
    const paths = await createActions(
      service.url,
      bodies.map(({ body }) => body),
    )
    await rpc(chain!.rpcUrls[0]!, 'evm_setAutomine', [false])
    let areAsked = false
    const asking: number[] = []
    const sampleAsking = async () => {
      while (!areAsked) asking.push(...(await sampleMemory(service.pid, 1)))
    }
    const asked = askForSteps(bench.load, service.url, paths).finally(() => (areAsked = true))
    await Promise.all([asked, sampleAsking()])
    return { idle, busy: [...asking, ...(await sampleMemory(service.pid, busySeconds))] }
  })
}
