import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { rpc } from '../../server/devnet/anvil.js'
import { signBare } from './bareTransactions.js'
import { compare, type Result } from './compare.js'
import type { DatabaseKind } from './databases.js'
import { type Bench, startChains, startServiceProcess } from './environment.js'
import { inScope } from './inScope.js'
import { signBodies } from './signedBodies.js'
import { askForSteps, createOn, heatUp, untilSucceeded } from './steps.js'

/** How many requests of a lane the bare loop has under way at once. */
const pipelined = 64
/**
 * How many of its transactions may wait for a block on a chain that mines at once. A block holds about 300: what a full
 * one leaves over, anvil forgets in its pool for good.
 */
const mostUnmined = 256
/** A round has its own chains and service, which takes its time. */
const maxRounds = 3
/** Carried out before the clock starts, by both: a chain just started is slow. */
const warmUp = 300

type Shape = { lanes: number; blockSeconds: number | null }

const shapes: Shape[] = [
  { lanes: 1, blockSeconds: null },
  { lanes: 4, blockSeconds: null },
  { lanes: 1, blockSeconds: 1 },
  { lanes: 4, blockSeconds: 1 },
]

/** Steps per second, from the first request to the last success, beside a loop that sends the same, signed beforehand. */
export async function engine(bench: Bench): Promise<Result[]> {
  const results: Result[] = []
  for (const kind of bench.kinds) {
    for (const shape of shapes) {
      const blocks = shape.blockSeconds === null ? 'mined at once' : `${shape.blockSeconds} s blocks`
      const label = `${shape.lanes} ${shape.lanes === 1 ? 'lane' : 'lanes'}, ${blocks}`
      results.push(
        ...(await compare({
          benchmark: 'engine',
          database: kind,
          unit: 'steps/s',
          rounds: Math.min(bench.rounds, maxRounds),
          ours: { name: `steps on ${label}`, round: () => ourRound(bench, kind, shape) },
          others: [{ name: `bare loop on ${label}`, round: () => bareRound(shape), bound: { atLeast: 0.8 } }],
        })),
      )
    }
  }
  return results
}

/** With blocks of a second, enough that a round is not a matter of one block; else a chain keeps a state for each. */
function stepCount({ blockSeconds }: Shape): number {
  return Number(process.env.BENCH_STEPS ?? (blockSeconds === null ? 1_000 : 3_000))
}

function ourRound(bench: Bench, kind: DatabaseKind, shape: Shape): Promise<number> {
  return inScope(async (keep) => {
    const chains = await keep(startChains())
    const database = await keep(bench.databases.fresh(kind))
    const keys = chains.devnet.operatorKeys.slice(0, shape.lanes)
    const service = await keep(
      startServiceProcess({ ...chains.env, SOLVER_PRIVATE_KEYS: keys.join(','), DATABASE_URL: database.url }),
    )
    const [chain, beside] = chains.devnet.chains
    const steps = stepCount(shape)
    let asked = await heatUp(bench.load, service, beside!)
    const carryOut = async (paths: readonly string[]): Promise<number> => {
      asked += paths.length
      const [endedAt] = await Promise.all([untilSucceeded(service, asked), askForSteps(bench.load, service.url, paths)])
      return endedAt
    }
    const paths = await createOn(chain!, warmUp + steps, service.url)
    await carryOut(paths.splice(0, warmUp))
    await setBlocks(chain!.rpcUrls[0]!, shape)
    const startedAt = Date.now()
    return (steps / ((await carryOut(paths)) - startedAt)) * 1000
  })
}

function bareRound(shape: Shape): Promise<number> {
  return inScope(async (keep) => {
    const chains = await keep(startChains())
    const [chain] = chains.devnet.chains
    const url = chain!.rpcUrls[0]!
    const keys = chains.devnet.operatorKeys.slice(0, shape.lanes)
    const steps = stepCount(shape)
    const all = warmUp + steps
    const bodies = await signBodies([chain!], { bodies: all, users: all })
    const lanes = await Promise.all(
      keys.map((key, lane) => {
        const ours = bodies.filter((_body, index) => index % keys.length === lane)
        return Promise.all(ours.map(({ body }, nonce) => signBare(body, { key, chainId: chain!.chainId, nonce })))
      }),
    )
    const room = shape.blockSeconds === null ? mostUnmined / keys.length : Infinity
    const sendAll = (part: readonly (readonly Hex[])[]) =>
      Promise.all(part.map((raws, lane) => sendPipelined(raws, { url, key: keys[lane]!, room })))
    await sendAll(lanes.map((raws) => raws.splice(0, warmUp / keys.length)))
    await setBlocks(url, shape)
    const startedAt = performance.now()
    await sendAll(lanes)
    return (steps / (performance.now() - startedAt)) * 1000
  })
}

async function setBlocks(url: string, { blockSeconds }: Shape): Promise<void> {
  if (blockSeconds !== null) await rpc(url, 'evm_setIntervalMining', [blockSeconds])
}

/** Sends transactions of a lane, in order, with room for so many that are not mined; until all are. */
async function sendPipelined(
  raws: readonly Hex[],
  { url, key, room }: { url: string; key: Hex; room: number },
): Promise<void> {
  const { address } = privateKeyToAccount(key)
  const countMined = async () => Number(await rpc(url, 'eth_getTransactionCount', [address, 'latest']))
  const before = await countMined()
  let [sent, mined] = [0, 0]
  const sendRest = async () => {
    while (sent < raws.length) {
      if (sent - mined < room) await rpc(url, 'eth_sendRawTransaction', [raws[sent++]])
      else await pause()
    }
  }
  const watch = async () => {
    for (; mined < raws.length; mined = (await countMined()) - before) await pause()
  }
  await Promise.all([watch(), ...Array.from({ length: pipelined }, sendRest)])
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 10))
}
