import { ChainUnavailable, type Simulation } from '../chain.js'
import { saysLate, saysLimited } from '../nodes/busyNode.js'
import { isRevert } from '../nodes/isRevert.js'
import type { Rpc } from '../nodes/rpc.js'
import { missingAbility, readOutcome } from './answers.js'
import { type createGasHints, isExplained } from './gasHints.js'
import { type Asked, plainCall, type Runs, simulationOf, type Used, withRoom } from './runs.js'

/** Simulates transactions each by itself, by an estimate of its gas. */
export function createEstimates(rpc: Rpc, runs: Runs, hints: ReturnType<typeof createGasHints>) {
  /** Whether an estimate of this chain has held more than was used. */
  let holdsMore = false

  /** Simulates a transaction by itself. The gas that it takes is tried on the next one of its form. */
  return async function estimate(asked: Asked): Promise<Simulation> {
    const { used, ...simulated } = await simulateByItself(asked)
    // Where an estimate holds more than the transaction uses, as the price of its data on some chains, its use does not
    // say how much is needed.
    if (simulated.outcome === 'success' && used) {
      if (isExplained(simulated.gas, used)) hints.note(asked.request.data, withRoom(simulated.gas))
      else {
        hints.noteNone(asked.request.data)
        holdsMore = true
      }
    }
    return simulated
  }

  /** `used`: how much gas it used, if the node can tell. */
  async function simulateByItself(asked: Asked): Promise<Used> {
    try {
      return await runByItself(asked)
    } catch (error) {
      // An estimate may take longer than a node is waited for, however often it is asked for: then it is done without.
      // After another failure it is asked for again; and on a chain whose estimates hold more than is used nothing else
      // tells what is needed.
      const isDispensable = runs.assumedNow().simulation && !holdsMore
      if (!isDispensable || !(error instanceof ChainUnavailable) || !error.isLate) throw error
      return withoutEstimate(asked)
    }
  }

  /** A simulation with little more gas than it used, where that is enough. */
  async function withoutEstimate(asked: Asked): Promise<Used> {
    const simulated = await runByItself(asked, { isEstimated: false })
    if (simulated.outcome !== 'success' || !simulated.used) return simulated
    const ran = await runs.runTogether([{ one: asked, gas: withRoom(simulated.used) }])
    return { ...simulated, gas: ran.get(asked)?.gas ?? simulated.gas }
  }

  async function runByItself(asked: Asked, { isEstimated = true } = {}): Promise<Used> {
    for (;;) {
      const assumed = runs.assumedNow()
      const run = await runs.prepare(asked, assumed)
      const tag = assumed.pendingBlock ? 'pending' : 'latest'
      const first = assumed.simulation ? simulationOf([run], tag) : plainCall('eth_call', run, tag)
      const estimation = plainCall('eth_estimateGas', run, assumed.simulation ? 'latest' : tag)
      const calls = isEstimated || !assumed.simulation ? [first, estimation] : [first]
      const outcome = await rpc.read(calls, (answers) => readOutcome(asked.request, calls, answers, assumed), {
        isAnswer: (error, { method }) =>
          (method === 'eth_estimateGas' && !saysLimited(error) && !saysLate(error)) ||
          isRevert(error) ||
          missingAbility(error, assumed) !== null,
      })
      if (outcome.outcome !== 'unable') return outcome
      // Only an ability that was assumed can turn out to be missing, so this ends.
      runs.deny(outcome.ability)
    }
  }
}
