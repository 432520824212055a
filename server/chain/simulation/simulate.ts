import { settledOrAfter } from '../../concurrency/settledOrAfter.js'
import type { Rerun, Simulation, SimulationOptions, TransactionRequest } from '../chain.js'
import { isRevert } from '../nodes/isRevert.js'
import { createPace } from '../nodes/pace.js'
import type { Rpc } from '../nodes/rpc.js'
import { call } from '../nodes/rpcFormat.js'
import type { RpcAnswer } from '../nodes/rpcNode.js'
import { revertOf } from './answers.js'
import { createEstimates } from './byItself.js'
import { createGasHints, formOf } from './gasHints.js'
import { createCompany } from './inCompany.js'
import { type Asked, callObject, createRuns } from './runs.js'

/** How long transactions wait for the first of their form to be simulated. */
const firstWithinMs = 1_000

/**
 * Runs a transaction on the pending block without sending it. By itself, by one round trip: eth_simulateV1 tells logs
 * and revert, eth_estimateGas the gas that it takes to get there. Where the first has the say, the second goes by the
 * latest block, since some nodes build the pending one anew for each question. Those that may be run in company share
 * the pending block. By one round trip they are run with the gas that was enough for the last of their form, and with
 * all that they want, together and each by itself; those for which it was too little or far too much are run again with
 * little more than they used. An estimate, for which a node runs the same a dozen times, is made only of those for
 * which that fails too, and of the first of a form in a while, for which the others wait.
 */
export function createSimulator(rpc: Rpc) {
  const runs = createRuns(rpc)
  const hints = createGasHints()
  const estimate = createEstimates(rpc, runs, hints)
  const inCompany = createCompany(runs, hints)
  // An estimate may take a node a second; many such at once would none of them come back in time.
  const inTurn = createPace({
    refuse: () => rpc.unavailable('eth_simulateV1', 'too many simulations are under way'),
    now: () => performance.now(),
  })
  /** The estimates of those that are the first of their form, while they are under way. */
  const firsts = new Map<string, Promise<Simulation>>()

  return async function simulate(request: TransactionRequest, options: SimulationOptions): Promise<Simulation> {
    const asked = { request, options }
    const mayHaveCompany = () => options.inCompany && runs.assumedNow().simulation
    const hasCompany = () => mayHaveCompany() && typeof hints.get(request.data) === 'bigint'
    if (mayHaveCompany() && hints.get(request.data) === undefined) {
      const first = firsts.get(formOf(request.data))
      if (!first) return beFirst(asked)
      await settledOrAfter(first, firstWithinMs)
    }
    const hadCompany = hasCompany()
    const found = hadCompany ? await inCompany(asked) : null
    if (found) return found
    // While a transaction waits for its turn another of its form may be estimated, and it needs no estimate of its own.
    // One that has had company in vain would have it in vain again.
    return inTurn(async () => (!hadCompany && hasCompany() ? await inCompany(asked) : null) ?? estimate(asked))
  }

  function beFirst(asked: Asked): Promise<Simulation> {
    const form = formOf(asked.request.data)
    const estimated = inTurn(() => estimate(asked)).finally(() => firsts.delete(form))
    firsts.set(form, estimated)
    return estimated
  }
}

/** A mined transaction once more on the newest block, with all the gas that the node allows. */
export function rerun(rpc: Rpc, request: TransactionRequest): Promise<Rerun> {
  const read = ([answer]: RpcAnswer[]): Rerun => (answer?.error ? revertOf(answer.error) : { outcome: 'success' })
  return rpc.read([call('eth_call', callObject(request), 'latest')], read, { isAnswer: isRevert })
}
