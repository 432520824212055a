import { untilAborted } from './abortable.js'
import { beginWait } from './beginWait.js'
import { type Events, followEvents } from './followEvents.js'
import { hasEnded, isAt, stateOf } from './stepState.js'
import type { Look, WatchCalls, WatchOptions } from './watchAction.js'
import type { CallOptions, Step, StepRef } from './wire.js'

export type WaitOptions = Omit<WatchOptions, 'lastEventId'> & {
  /**
   * Told of the step as first seen and of every change of status, transaction, confirmations or attempts, and waited
   * for until the wait is over; what it throws or rejects with ends it.
   */
  onChange?: ((step: Step) => unknown) | undefined
  /**
   * The step as it is known, and under way. It is not told of again; and where it is `created` once more, as in a
   * service whose database was restored, the wait ends with that, since it has to be asked for anew.
   */
  known?: Step | undefined
}

type WaitCalls = WatchCalls & {
  /** Null when it is as it was at the `etag`. */
  lookAtStep: (step: StepRef, etag: string | null, options: CallOptions) => Promise<Look<Step> | null>
}

/**
 * Follows a step until it has ended, as `success`, `reverted` or `error`. A service that is away for a while is
 * waited for.
 */
export async function waitForStep(calls: WaitCalls, ref: StepRef, options: WaitOptions = {}): Promise<Step> {
  const { onChange, known } = options
  const wait = beginWait('step', options)
  const { signal } = wait
  let last: Step | null = known ?? null
  let etag: string | null = null

  /** When the service has changed it last, as last looked at. */
  let since = ''

  const tell = async (step: Step): Promise<void> => {
    const before = last
    last = step
    if (before && stateOf(before) === stateOf(step)) return
    wait.lookSoon()
    await untilAborted(onChange?.(step), signal)
  }
  /** Whether it has ended. What the stream tells may be history, such as a failure that was tried again since. */
  const look = async (): Promise<boolean> => {
    const seen = await wait.look(() => calls.lookAtStep(ref, etag, { signal }))
    if (seen) {
      etag = seen.etag
      since = seen.data.updatedAt
      await tell(seen.data)
    }
    return known ? last!.status !== 'executing' : hasEnded(last!)
  }

  try {
    for (let eventId: string | null = null; wait.polls || !(await look());) {
      const events: Events = followEvents(calls.openEvents, ref.actionId, wait, eventId)
      for await (const event of events) {
        if (typeof event !== 'object') {
          if (await look()) return last!
          continue
        }
        const { id, step } = event
        eventId = id
        // A failure may have been tried again since.
        if (!isAt(ref, step) || (step.status !== 'success' && step.attempts < last!.attempts)) continue
        // The stream is let go of for the look: a browser may have no other connection left for that.
        if (hasEnded(step)) break
        if (step.updatedAt >= since) await tell(step)
      }
    }
    return last!
  } catch (error) {
    return wait.fail(error, last)
  } finally {
    wait.close()
  }
}
