import type { StepError } from '../../domain/errors.js'
import { stepKind } from '../../domain/stepKind.js'
import type { StepView } from '../../domain/views.js'
import type { StepWork } from '../../store/actions/steps.js'
import { executeStep } from './executeStep.js'
import { stepFields } from '../logFields.js'
import type { EngineTools } from '../tools.js'
import { verifyStep } from './verifyStep.js'
import { type Visit, waitsEverLater } from '../visit.js'
import { failStep } from './endStep.js'
import type { Queue } from '../worker.js'

/**
 * When a step looks whether the one before it has ended. The end of that one makes this one due at once; this is the
 * backstop.
 */
const previousMs = { soonestMs: 10_000, latestMs: 120_000, share: 1 }

/** Steps that were asked for and that no transaction of ours carries yet. */
export function stepQueue(tools: EngineTools): Queue<StepWork> {
  return {
    name: 'steps',
    claim: tools.store.claimDueSteps,
    chainOf: (work) => work.view.chainId,
    lengthOf: (work) => work.contentLength,
    visit: (work) => advanceStep(work, tools),
    postpone: (work, delayMs) => tools.store.postponeStep(work.ref, delayMs),
    label: (work) => ({ ...stepFields(work), chainId: work.view.chainId }),
  }
}

/** Does the next thing for a step. */
async function advanceStep(work: StepWork, tools: EngineTools): Promise<Visit> {
  const previous = await tools.store.readPreviousStep(work.ref)
  if (previous?.status === 'executing') {
    // The previous step may have been undone since, and needs the account.
    if (work.hasAccount) await tools.accounts.giveBack(work)
    return waitsEverLater(work, previousMs, tools)
  }
  const refusal = previous && previous.status !== 'success' ? afterFailed(previous) : null
  if (work.kind === 'payment') return refusal ? failStep(work, refusal, tools) : verifyStep(work, tools)
  return executeStep(work, { payment: await paymentOf(work, previous, tools), refusal }, tools)
}

function afterFailed({ status, error }: StepView): StepError {
  const retryable = error?.retryable ?? true
  const how = error ? `"${status}" (${error.code})` : `"${status}"`
  const what = retryable ? 'execute it again, then this one' : 'it can’t be executed again, nor can this one'
  return { code: 'previous_step_failed', message: `The previous step ended as ${how}; ${what}.`, retryable }
}

/**
 * The last step before a payout that the user has paid himself, and that entitles to it; there may be other payouts in
 * between.
 */
async function paymentOf(
  work: StepWork,
  previous: StepView | null,
  tools: Pick<EngineTools, 'store'>,
): Promise<StepView | null> {
  if (work.kind !== 'fulfilment') return null
  const { mode, chainBatches } = work.intent
  const before = chainBatches.slice(0, work.ref.stepIndex)
  const stepIndex = before.findLastIndex((batch) => stepKind(mode, batch) === 'payment')
  if (stepIndex === -1) return null
  return previous?.stepIndex === stepIndex ? previous : tools.store.readStep({ ...work.ref, stepIndex })
}
