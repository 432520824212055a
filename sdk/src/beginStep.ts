import type { Hash, Hex } from 'viem'
import { createAsking } from './createAsking.js'
import { IntentTimeoutError, UnregisteredPaymentError } from './errors.js'
import { limitedSignal } from './limitedSignal.js'
import { patiently } from './patiently.js'
import { longestPauseMs } from './pauses.js'
import { tell } from './progress.js'
import type { RunOptions } from './runAction.js'
import { sleep } from './sleep.js'
import { hasEnded } from './stepState.js'
import type { WaitOptions } from './waitForStep.js'
import type { CallOptions, Step, StepRef } from './wire.js'

export type StepCalls = {
  getStep: (step: StepRef, options: CallOptions) => Promise<Step>
  waitForStep: (step: StepRef, options: WaitOptions) => Promise<Step>
  executeStep: (step: StepRef, options: CallOptions & Ask & { waitSeconds: number }) => Promise<Step>
}

/** What the request for a step that the user pays names. */
type Ask = { hash?: Hash; signature?: Hex }

const defaultStepTimeoutMs = 600_000

/**
 * Asks for a step, unless it is under way or done; resolves once the service has taken that,
 * with what follows it to its end.
 */
export async function beginStep(
  calls: StepCalls,
  planned: Step,
  options: RunOptions,
  ask: Ask = {},
): Promise<() => Promise<Step>> {
  const { signal, stepTimeoutMs = defaultStepTimeoutMs, pollIntervalMs } = options
  const deadline = performance.now() + stepTimeoutMs
  const leftMs = () => Math.max(0, Math.ceil(deadline - performance.now()))
  const onChange = (step: Step) => tell(options, { type: 'step', step })
  const needsRequest = planned.status !== 'executing' && planned.status !== 'success'
  const asked = needsRequest ? await askFor(calls, planned, ask, stepTimeoutMs, signal) : planned
  return async () => {
    await onChange(asked)
    if (hasEnded(asked)) return asked
    const timeoutMs = leftMs()
    const step = await calls.waitForStep(planned, { signal, timeoutMs, pollIntervalMs, onChange, known: asked })
    if (hasEnded(step)) return step
    // The service has lost it, as by a failover of its database. After a while, since it may get lost again.
    const follow = await sleep(longestPauseMs, signal)
      .then(() => beginStep(calls, step, { ...options, stepTimeoutMs: leftMs() }, ask))
      .catch((cause: unknown) => {
        throw ask.hash ? new UnregisteredPaymentError({ step, hash: ask.hash, cause }) : cause
      })
    return follow()
  }
}

/** Has the service take the request for a step, however often it is away. */
async function askFor(
  calls: StepCalls,
  planned: Step,
  ask: Ask,
  timeoutMs: number,
  outer: AbortSignal | undefined,
): Promise<Step> {
  const limited = limitedSignal(timeoutMs, outer)
  const { signal } = limited
  const request = () => calls.executeStep(planned, { ...ask, signal, waitSeconds: 0 })
  const asking = createAsking(planned, { ask: request, look: () => calls.getStep(planned, { signal }) })
  try {
    // A payment is registered once however often it is named.
    return await patiently(ask.hash ? request : asking, { withinMs: timeoutMs, signal })
  } catch (error) {
    return limited.fail(error, () => new IntentTimeoutError(`The step was not taken within ${timeoutMs} ms.`))
  } finally {
    limited.close()
  }
}
