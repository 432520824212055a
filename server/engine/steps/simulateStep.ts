import type { Address } from 'viem'
import type { Chain, Simulation } from '../../chain/chain.js'
import type { StepWork } from '../../store/actions/steps.js'
import { stepFields } from '../logFields.js'
import type { EngineTools } from '../tools.js'
import type { Plan } from '../payload.js'

export type Simulated = Simulation & {
  /** The transfer that the batch declares and that does not come about. Null: there is none, or the node can't tell. */
  missing: string | null
}

/** Simulates a step while the user's account borrows the delegate. `delegate` null: with the code that it has. */
export async function simulate(
  work: StepWork,
  { chain, from, to, data }: Plan,
  delegate: Address | null,
  tools: Pick<EngineTools, 'codec' | 'lateSimulations'>,
): Promise<Simulated> {
  const overrideDelegate = delegate && { account: work.user, delegate }
  const run = async (inCompany: boolean): Promise<Simulated> => {
    const simulation = await chain.simulate({ from, to, data }, { overrideDelegate, inCompany })
    const logs = simulation.outcome === 'success' ? simulation.logs : null
    return { ...simulation, missing: logs && tools.codec.matchTransfers(work.batch, logs) }
  }
  // A simulation that was late would be so in company too, and all others with it.
  const simulated = await run(!tools.lateSimulations.wasLate(work))
  // What others have moved before it may have kept the step from moving that.
  return simulated.missing ? run(false) : simulated
}

/**
 * Waits for a simulation. `late`: it takes nodes longer than they are waited for, though they answer what else is
 * asked. It may be tried again after `againMs`; null: it has been tried often enough, and without an end such steps
 * would keep nodes from simulating others.
 */
export async function inTime(
  work: StepWork,
  chain: Chain,
  simulating: Promise<Simulated>,
  tools: Pick<EngineTools, 'lateSimulations' | 'isLate' | 'log'>,
): Promise<Simulated | { outcome: 'late'; againMs: number | null }> {
  try {
    const simulated = await simulating
    tools.lateSimulations.ended(work, chain.config.chainId)
    return simulated
  } catch (error) {
    const isItsOwn = tools.isLate(error) && (await chain.head().catch(() => null)) !== null
    if (!isItsOwn) throw error
    const againMs = tools.lateSimulations.note(work, chain.config)
    tools.log.warn({ err: error, ...stepFields(work), againMs }, 'a step’s simulation takes nodes too long')
    return { outcome: 'late', againMs }
  }
}
