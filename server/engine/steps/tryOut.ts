import type { Address, Hex } from 'viem'
import type { StepWork } from '../../store/actions/steps.js'
import { isOperatorsFault } from '../lanes/operators.js'
import { noLane } from '../lanes/record.js'
import type { EngineTools } from '../tools.js'
import { type Visit, waits } from '../visit.js'
import { failStep } from './endStep.js'
import { adopt, failUnlessDone } from './adoptIfDone.js'
import type { ReadyStep } from './bundles.js'
import { doneAccordingTo } from '../outcomes/doneBefore.js'
import { explainRevert } from '../outcomes/explainRevert.js'
import { isPaidByFormer } from '../outcomes/formerVaults.js'
import type { Plan } from '../payload.js'
import { findPermission, namedDelegate } from './permission.js'
import { sameEntitlement, tooLong } from './refusals.js'
import { inTime, simulate, type Simulated } from './simulateStep.js'

/** A step that its user permits and that a simulation has carried out: it has its step key by now. */
export type Tried = {
  outcome: 'fits'
  work: StepWork
  /**
   * The user's authorization, to be sent with the step; null: his account borrows the delegate already, or runs
   * nothing.
   */
  authorization: ReadyStep['authorization']
  gas: bigint
}

/** Asks for the user's permission and simulates the step. A visit: it gets no further, for now or for good. */
export async function tryOut(given: StepWork, plan: Plan, tools: EngineTools): Promise<Tried | Visit> {
  const { chain, stepKey } = plan
  const simulateWith = (delegate: Address | null) => simulate(given, plan, delegate, tools)
  // In one request with the look at the account: it is not known yet whether that borrows the delegate that the action
  // names.
  const named = namedDelegate(given, chain)
  const first = simulateWith(named)
  // Where permission is refused nobody awaits the simulation, and its failure concerns nobody.
  first.catch(() => undefined)
  const permission = await findPermission(given, chain)
  if (permission.outcome === 'refused') return failUnlessDone(given, plan, permission.error, tools)
  const { authorization, delegate } = permission
  const isKeyNew = stepKey !== null && !given.stepKey
  if (isKeyNew && !(await tools.store.fixStepKey(given.ref, stepKey))) return failStep(given, sameEntitlement, tools)
  const work = isKeyNew ? { ...given, stepKey } : given
  const wasRight = named === null ? authorization === null : named === delegate
  const simulating = wasRight ? first : simulateWith(authorization && delegate)
  const found = await inTime(work, chain, simulating, tools)
  if (found.outcome === 'late') {
    const { againMs } = found
    return againMs === null ? failUnlessDone(work, plan, tooLong(chain), tools) : waits(againMs)
  }
  const judged = await judge(work, plan, found, tools)
  return judged.outcome === 'fits' ? { ...judged, work, authorization } : judged
}

/** What a simulation means for a step. */
async function judge(
  work: StepWork,
  plan: Plan,
  simulation: Simulated,
  tools: EngineTools,
): Promise<Pick<Tried, 'outcome' | 'gas'> | Visit> {
  const { chain, stepKey } = plan
  // First, since what a vault has paid is never given back as credit, whatever the present one reverts with.
  if (await isPaidByFormer(stepKey, chain)) {
    return (await adopt(work, chain, 'paid', tools)) ?? waits(chain.config.pollIntervalMs)
  }
  if (simulation.outcome === 'reverted') return judgeRevert(work, plan, simulation.data, tools)
  if (simulation.missing) {
    return failStep(work, { code: 'transfer_mismatch', message: simulation.missing, retryable: true }, tools)
  }
  return { outcome: 'fits', gas: simulation.gas }
}

async function judgeRevert(work: StepWork, plan: Plan, data: Hex, tools: EngineTools): Promise<Visit> {
  const { chain } = plan
  const failure = tools.codec.decodeRevert(data)
  // The next visit takes another operator; while there is none the step waits.
  if (await isOperatorsFault(failure, plan, chain, tools)) return noLane
  const done = doneAccordingTo(failure)
  const adopted = done && (await adopt(work, chain, done, tools))
  return adopted ?? failUnlessDone(work, plan, await explainRevert(failure, work.batch, chain), tools)
}
