import type { SolverNeed } from '../../domain/solverNeeds.js'
import type { Database } from '../connection/database.js'
import { someLaneAhead } from './lanes.js'
import { reserveCredit, type ReserveOutcome, spenderOf } from '../money/credits.js'
import { lockedSteps, type StepWork } from '../actions/steps.js'

/**
 * Sets credit aside for a step that was accepted while the step before it was still under way. Credit that was set
 * aside before, and whose payment a reorganisation has taken away, pays for nothing: `insufficient` then. (That can
 * only be a step for which something had been signed already: the others have been ended with the payment.) `held`:
 * nothing is paid on credit for now, since a lane is ahead of the journal. `isPaid`: the vault has paid the step
 * already, so its credit is spent all the same.
 */
export async function reserveForStep(
  database: Database,
  work: StepWork,
  needs: SolverNeed[],
  { isPaid }: { isPaid: boolean },
  now: number,
): Promise<ReserveOutcome | { outcome: 'stale' } | { outcome: 'held' }> {
  return database.transact(async (trx) => {
    const [[row], ahead] = await trx.together(lockedSteps(trx, [work.ref]), someLaneAhead(trx))
    if (row?.status !== 'executing') return { outcome: 'stale' }
    if (ahead.length > 0 && !isPaid) return { outcome: 'held' }
    const spender = spenderOf(row)
    const reserved = await reserveCredit(trx, spender, needs, now)
    const [need] = needs
    if (reserved.outcome !== 'reserved' || !reserved.isLost || !need) return reserved
    const { signed } = spender
    return { outcome: 'insufficient', token: need.token, required: need.amount, available: 0n, signed }
  })
}
