import type { StepError } from '../../domain/errors.js'
import type { StepWork } from '../../store/actions/steps.js'
import type { StepResult } from '../../store/journal/bookResult.js'
import { stepFields } from '../logFields.js'
import type { EngineTools } from '../tools.js'
import { moved, type Visit } from '../visit.js'

/** Ends a step that no transaction of ours carries. */
export async function endStep(work: StepWork, result: StepResult, tools: EngineTools): Promise<Visit> {
  const outcome = await tools.store.settleStep(work, result, tools.now())
  if (outcome === 'settled') {
    const { status, transactionHash: hash } = result
    const code = status === 'success' ? undefined : result.error.code
    tools.log.info({ ...stepFields(work), chainId: work.view.chainId, hash, status, code }, 'step settled')
    tools.countStep(work.view.chainId, status, code)
    await tools.accounts.freed([work])
  }
  tools.changed(work.ref.actionId)
  return moved
}

/** Ends a step before anything was sent for it. */
export async function failStep(
  work: StepWork,
  error: StepError,
  tools: EngineTools,
  status: 'error' | 'reverted' = 'error',
): Promise<Visit> {
  return endStep(
    work,
    { status, error, transactionHash: work.kind === 'payment' ? work.view.transactionHash : null, blockNumber: null },
    tools,
  )
}
