import { checkTimes } from './checkTimes.js'
import { followEvents } from './followEvents.js'
import { limitedSignal } from './limitedSignal.js'
import { createFaults, patiently } from './patiently.js'
import { longestPauseMs, pauseOf, shortestPauseMs } from './pauses.js'
import { sleep } from './sleep.js'
import { hasEnded, stateOf } from './stepState.js'
import { defaultWaitMs, type Look, type WatchCalls, type WatchOptions } from './watchAction.js'
import type { CallOptions, Step, StepRef } from './wire.js'

export type WaitOptions = Omit<WatchOptions, 'lastEventId'> & {
  /**
   * Told of the step as first seen and of every change of status, transaction, confirmations or attempts, and waited for;
   * what it throws or rejects with ends the wait.
   */
  onChange?: ((step: Step) => unknown) | undefined
  /**
   * The step as it is known, and under way. It is not told of again; and where it is `created` once more, as in a service
   * whose database was restored, the wait ends with that, since it has to be asked for anew.
   */
  known?: Step | undefined
}

export type WaitCalls = WatchCalls & {
  /** Null when it is as it was at the `etag`. */
  lookAtStep: (step: StepRef, etag: string | null, options: CallOptions) => Promise<Look<Step> | null>
}

/**
 * Follows a step until it has ended, as `success`, `reverted` or `error`. A service that is away for a while is
 * waited for.
 */
export async function waitForStep(calls: WaitCalls, ref: StepRef, options: WaitOptions = {}): Promise<Step> {
  const { onChange, known, timeoutMs = defaultWaitMs, pollIntervalMs } = options
  checkTimes({ timeoutMs, pollIntervalMs })
  const limited = limitedSignal(timeoutMs, options.signal)
  const { signal } = limited
  const faults = createFaults()
  let last: Step | null = known ?? null
  let etag: string | null = null

  /** Whether it was a change. */
  const tell = async (step: Step): Promise<boolean> => {
    const isNews = stateOf(step) !== (last && stateOf(last))
    last = step
    if (isNews) await onChange?.(step)
    return isNews
  }
  /** Whether it was a change. What the stream tells may be history, such as a failure that was tried again since. */
  const look = async (): Promise<boolean> => {
    const seen = await patiently(() => calls.lookAtStep(ref, etag, { signal }), { signal, faults })
    etag = seen?.etag ?? etag
    return seen !== null && tell(seen.data)
  }
  const ended = () => last && (known ? last.status !== 'executing' : hasEnded(last))

  /** Listens until the step has ended, or as long as there is a stream. */
  const follow = async (since: string): Promise<void> => {
    for await (const event of followEvents(calls.openEvents, ref.actionId, { signal })) {
      if (event !== 'ended' && !isOf(ref, event.step)) continue
      // An end is looked at however old it seems: the clocks of the service's machines may differ.
      if (event === 'ended' || hasEnded(event.step)) {
        await look()
        if (ended()) return
      } else if (event.step.updatedAt >= since) await tell(event.step)
    }
  }

  try {
    await look()
    if (pollIntervalMs === undefined && !ended()) await follow(last!.updatedAt)
    for (let pauseMs = shortestPauseMs; !ended(); pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)) {
      await sleep(pauseOf(pollIntervalMs, pauseMs), signal)
      if (await look()) pauseMs = shortestPauseMs
    }
    return last!
  } catch (error) {
    return limited.fail(error, () => faults.timeout(`The step has not ended within ${timeoutMs} ms`, last))
  } finally {
    limited.close()
  }
}

function isOf({ intentIndex, stepIndex }: StepRef, step: Step): boolean {
  return step.intentIndex === intentIndex && step.stepIndex === stepIndex
}
