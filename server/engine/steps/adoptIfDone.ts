import type { Hash } from 'viem'
import type { Chain } from '../../chain/chain.js'
import type { StepError, StepErrorCode } from '../../domain/errors.js'
import { runsCalls } from '../../domain/stepKind.js'
import type { StepWork } from '../../store/actions/steps.js'
import { moved, type Visit, waits } from '../visit.js'
import { endStep, failStep } from './endStep.js'
import type { EngineTools } from '../tools.js'
import { headOf } from '../heads.js'
import { adoptExecution } from '../outcomes/adoptExecution.js'
import { type Done, doneBefore } from '../outcomes/doneBefore.js'
import type { Plan } from '../payload.js'
import { reserve } from './reserve.js'

/** Ends a step for which nothing was sent, and gives its credit back; unless it was carried out all the same. */
export async function failUnlessDone(work: StepWork, plan: Plan, error: StepError, tools: EngineTools): Promise<Visit> {
  const status = error.code === 'execution_reverted' ? 'reverted' : 'error'
  return (await adoptIfDone(work, plan, error.code, tools)) ?? failStep(work, error, tools, status)
}

/**
 * A step that is refused, or held, may have been carried out without our knowing of it: by someone else, by a
 * transaction that was given up, or before the database went back in time. So the vault is asked first, whatever the
 * reason to refuse is: what it has paid is never given back as credit, though no node may have the log of it, and a
 * payout without calls shows nowhere else. Null: nobody has carried it out.
 */
export async function adoptIfDone(
  given: StepWork,
  plan: Plan,
  reason: StepErrorCode | 'held',
  tools: EngineTools,
): Promise<Visit | null> {
  const { chain, stepKey } = plan
  const work = { ...given, stepKey }
  const remembered = await doneBefore(work, chain, {
    // The newest head at the least: where the vault has not paid by then, the credit may be given back.
    since: (await headOf(chain, tools)).number,
    isItsOwn: (key) => owns(given, key, tools),
    asksAccount: untried.includes(reason),
  })
  // Credit for what was paid has to be spent; where none is left for that, the payout is settled as an exposure.
  if (remembered === 'paid' && (await reserve(given, tools, { isPaid: true })).outcome === 'stale') return moved
  // An account may have given the place of an expired batch to another, and the batch's log is looked for.
  const done = remembered ?? (reason === 'intent_expired' && runsCalls(given) ? 'perhapsRun' : null)
  return done && adopt(work, chain, done, tools)
}

/** Refusals that come before the simulation, which tells itself that the calls have run. */
const untried: readonly (StepErrorCode | 'held')[] = [
  'authorization_missing',
  'authorization_invalid',
  'account_not_delegated',
  'insufficient_credit',
  'previous_step_failed',
  'recipient_not_allowed',
]

/** Whether what the vault has paid under the key was paid for this step: two may rest on the same payment. */
async function owns(work: StepWork, stepKey: Hash, tools: Pick<EngineTools, 'store'>): Promise<boolean> {
  return work.stepKey === stepKey || tools.store.fixStepKey(work.ref, stepKey)
}

/** Takes over what has carried a step out. Null: nobody has, whatever spoke for it. */
export async function adopt(work: StepWork, chain: Chain, done: Done, tools: EngineTools): Promise<Visit | null> {
  const adoption = await adoptExecution(work, chain, done, tools)
  if (adoption.outcome === 'none') return null
  return adoption.outcome === 'waits' ? waits(chain.config.pollIntervalMs) : endStep(work, adoption.result, tools)
}
