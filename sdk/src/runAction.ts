import type { Action } from './amounts.js'
import { beginStep, type StepCalls } from './beginStep.js'
import { checkTimes } from './checkTimes.js'
import { naming, StepFailedError } from './errors.js'
import type { Progress } from './progress.js'
import { readAction, type ReadCalls } from './readAction.js'

export type RunOptions = {
  /**
   * Ends the run, which then rejects with the signal's reason. Steps that were asked for go on. While `sendOnDemand`
   * has a wallet pay, it is heard once that has answered: what is paid by then must not get lost.
   */
  signal?: AbortSignal | undefined
  /**
   * How long each step may take at most, in milliseconds above 0; another value is an `IntentError` before anything is
   * signed or paid. 10 minutes by default.
   */
  stepTimeoutMs?: number | undefined
  /** Looks at a step this often, in milliseconds (20 at least), instead of listening to the service's event stream. */
  pollIntervalMs?: number | undefined
  /**
   * Told of all that happens on the way, and waited for: what it throws or rejects with ends the run, so that what is
   * to be kept is kept before the next thing happens.
   */
  onProgress?: ((progress: Progress) => unknown) | undefined
}

export type RunCalls = StepCalls & ReadCalls

/**
 * Carries out what is left of an action: asks for each step after the one before it has succeeded, and resolves with
 * the finished action. May be called again for the same action; nothing is done twice.
 */
export function runAction(calls: RunCalls, actionId: string, options: RunOptions = {}): Promise<Action> {
  return naming({ actionId }, async () => {
    checkTimes(options)
    const action = await readAction(calls, actionId, options)
    for (const step of action.intents.flatMap((intent) => intent.steps)) {
      if (step.status === 'success') continue
      const follow = await beginStep(calls, step, options)
      const ended = await follow()
      if (ended.status !== 'success') throw new StepFailedError(ended)
    }
    return readAction(calls, actionId, options)
  })
}
