import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { rpc } from '../../server/devnet/anvil.js'
import { barePayload, signBare } from './bareTransactions.js'
import { compare, type Result } from './compare.js'
import type { DatabaseKind } from './databases.js'
import { type Bench, startChains, startServiceProcess } from './environment.js'
import { inScope } from './inScope.js'
import { signBodies } from './signedBodies.js'
import { askForSteps, createOn, heatUp, untilSucceeded } from './steps.js'

/** How many requests of a lane the bare loop has under way at once. */
const pipelined = 64
/**
 * How many transactions one of the bare loops sends before it waits for all of them, which makes few and full blocks:
 * one holds about 300. The other loop sends them all in one go; of 2,500 that did not end: with hundreds in its pool
 * anvil came to make a dozen empty blocks a second, and only now and then one with some of them.
 */
const atATime = 256
const mineWithinMs = 60_000
/**
 * How often a round of a bare loop is tried, of which anvil has forgotten a transaction:
 * then no lane ever gets to its end.
 */
const mostTries = 3
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

/**
 * Steps per second, from the first request to the last success, beside a loop that sends the same, signed beforehand.
 */
export async function engine(bench: Bench, kind: DatabaseKind): Promise<Result[]> {
  const results: Result[] = []
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
        others: bareLoopsOf(shape).map((most) => ({
          name: `bare loop on ${label}${most === Infinity ? '' : `, ${most} at a time`}`,
          round: () => unforgotten(() => bareRound(shape, most)),
          target: { atLeast: 0.8 },
        })),
      })),
    )
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

/** How many transactions each of them sends before it waits for all of them. */
function bareLoopsOf({ blockSeconds }: Shape): number[] {
  return blockSeconds === null ? [Infinity, atATime] : [Infinity]
}

function bareRound(shape: Shape, most: number): Promise<number> {
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
        const [account, { chainId }] = [privateKeyToAccount(key), chain!]
        const ours = bodies.filter((_body, index) => index % keys.length === lane)
        const payloads = ours.map(({ body }) => barePayload(body, chainId))
        return Promise.all(payloads.map((payload, nonce) => signBare(payload, { account, chainId, nonce })))
      }),
    )
    const sendAll = async (transactions: number) => {
      for (let sent = 0; sent < transactions; sent += most) {
        const ofLane = Math.ceil(Math.min(most, transactions - sent) / keys.length)
        await Promise.all(lanes.map((raws) => sendPipelined(url, raws.splice(0, ofLane))))
        await untilMined(url, keys, all - lanes.flat().length)
      }
    }
    await sendAll(warmUp)
    await setBlocks(url, shape)
    const startedAt = performance.now()
    await sendAll(steps)
    return (steps / (performance.now() - startedAt)) * 1000
  })
}

class NotMined extends Error {}

async function unforgotten(round: () => Promise<number>): Promise<number> {
  for (let tries = 1; ; tries++) {
    try {
      return await round()
    } catch (error) {
      if (!(error instanceof NotMined) || tries === mostTries) throw error
      console.error(`${error.message}; the round is repeated`)
    }
  }
}

async function setBlocks(url: string, { blockSeconds }: Shape): Promise<void> {
  if (blockSeconds !== null) await rpc(url, 'evm_setIntervalMining', [blockSeconds])
}

async function sendPipelined(url: string, raws: readonly Hex[]): Promise<void> {
  let next = 0
  const sendRest = async () => {
    while (next < raws.length) await rpc(url, 'eth_sendRawTransaction', [raws[next++]])
  }
  await Promise.all(Array.from({ length: pipelined }, sendRest))
}

async function untilMined(url: string, keys: readonly Hex[], transactions: number): Promise<void> {
  const addresses = keys.map((key) => privateKeyToAccount(key).address)
  for (const deadline = Date.now() + mineWithinMs; ;) {
    const nonces = await Promise.all(
      addresses.map((address) => rpc(url, 'eth_getTransactionCount', [address, 'latest'])),
    )
    const mined = nonces.reduce<number>((sum, nonce) => sum + Number(nonce), 0)
    if (mined >= transactions) return
    if (Date.now() > deadline) throw new NotMined(`Only ${mined} of ${transactions} bare transactions were mined`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
