import type { StepError } from '../../domain/errors.js'
import { creditLacks } from '../../domain/funding.js'
import { solverNeeds } from '../../domain/solverNeeds.js'
import type { StepWork } from '../../store/actions/steps.js'
import type { EngineTools } from '../tools.js'

/** How long a step waits for the lanes of all chains to be checked, as a process starts, and until it asks again. */
export const lanesMs = 1_000

/**
 * `reserved`: credit is set aside, or none is needed. `held`: nothing is paid on credit for now, until an operator has
 * seen to a lane. `unchecked`: not before the lanes are checked, as this process starts, which takes a moment.
 */
type Reserved = { outcome: 'reserved' | 'stale' | 'held' | 'unchecked' } | { outcome: 'refused'; error: StepError }

/** Sets aside credit for what the solver pays in a step. `isPaid`: as in `reserveForStep`. */
export async function reserve(work: StepWork, tools: EngineTools, { isPaid } = { isPaid: false }): Promise<Reserved> {
  const needs = solverNeeds(work.batch, tools.settings)
  if (!needs) {
    const message = 'A token that the solver is to pay is not configured here any more. Nothing was sent.'
    return { outcome: 'refused', error: { code: 'solver_liquidity', message, retryable: true } }
  }
  // Whether such a step is stale shows when it is recorded.
  if (needs.length === 0) return { outcome: 'reserved' }
  if (!isPaid && !(await tools.lanesChecked.mayMoveCredit(tools.chains.keys(), lanesMs))) {
    return { outcome: 'unchecked' }
  }
  const funding = await tools.store.reserveForStep(work, needs, { isPaid }, tools.now())
  if (funding.outcome !== 'insufficient') return { outcome: funding.outcome }
  const error = { code: 'insufficient_credit', message: creditLacks(funding), retryable: true } as const
  return { outcome: 'refused', error }
}
