import type { Action } from './amounts.js'
import { checkTimes } from './checkTimes.js'
import { followEvents, type OpenEvents } from './followEvents.js'
import { limitedSignal } from './limitedSignal.js'
import type { TracedStep } from './openEvents.js'
import { createFaults, patiently } from './patiently.js'
import { longestPauseMs, pauseOf, shortestPauseMs } from './pauses.js'
import { sleep } from './sleep.js'
import { hasEnded, stateOf } from './stepState.js'
import type { CallOptions, Step } from './wire.js'

/** A change of a step: its status, its transaction, its confirmations, its attempts. */
export type StepProgress = {
  type: 'step'
  step: TracedStep
  /** Names the change; a later watch with it as `lastEventId` goes on after it. Null when it was found by looking. */
  eventId: string | null
}

export type WatchOptions = {
  /** Ends the watch, which then rejects with the signal's reason. The action goes on. */
  signal?: AbortSignal | undefined
  /** How long to watch at most, in milliseconds. 10 minutes by default; then it rejects with `IntentTimeoutError`. */
  timeoutMs?: number | undefined
  /** Looks this often, in milliseconds (20 at least), instead of listening to the service's event stream. */
  pollIntervalMs?: number | undefined
  /** The `eventId` of the last change that is known already. */
  lastEventId?: string | undefined
}

/** What was seen, and its ETag. */
export type Look<T> = { data: T; etag: string | null }

export type WatchCalls = {
  openEvents: OpenEvents
  /** Null when it is as it was at the `etag`. */
  lookAtAction: (actionId: string, etag: string | null, options: CallOptions) => Promise<Look<Action> | null>
}

export const defaultWaitMs = 600_000

/**
 * Tells each change of an action's steps, from the first on, until the action is over; returns the action. Listens to
 * the event stream, resumes it where it broke off, and looks from time to time where there is none.
 */
export async function* watchAction(
  calls: WatchCalls,
  actionId: string,
  options: WatchOptions = {},
): AsyncGenerator<StepProgress, Action> {
  const { timeoutMs = defaultWaitMs, pollIntervalMs, lastEventId } = options
  checkTimes({ timeoutMs, pollIntervalMs })
  const limited = limitedSignal(timeoutMs, options.signal)
  const { signal } = limited
  const known = new Map<string, string>()
  const faults = createFaults()
  let last: Step | null = null
  let etag: string | null = null

  /** The change, unless it is none. */
  function* news(step: TracedStep, eventId: string | null): Generator<StepProgress> {
    const place = `${step.intentIndex}/${step.stepIndex}`
    if (known.get(place) === stateOf(step)) return
    known.set(place, stateOf(step))
    last = step
    yield { type: 'step', step, eventId }
  }

  /** The action if it is over. */
  async function* look(tells: boolean): AsyncGenerator<StepProgress, Action | null> {
    const seen = await patiently(() => calls.lookAtAction(actionId, etag, { signal }), { signal, faults })
    if (!seen) return null
    etag = seen.etag
    for (const { steps } of tells ? seen.data.intents : []) {
      for (const step of steps) if (step.status !== 'created') yield* news(step, null)
    }
    return isOver(seen.data) ? seen.data : null
  }

  try {
    if (pollIntervalMs === undefined) {
      for await (const event of followEvents(calls.openEvents, actionId, {
        signal,
        lastEventId,
      })) {
        if (event !== 'ended') yield* news(event.step, event.id)
        else {
          // What a cut-off stream has left untold is told; a resumed watch can't know what that is.
          const action = yield* look(lastEventId === undefined)
          if (action) return action
        }
      }
    }
    for (let pauseMs = shortestPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)) {
      const before: Step | null = last
      const action = yield* look(true)
      if (action) return action
      if (last !== before) pauseMs = shortestPauseMs
      await sleep(pauseOf(pollIntervalMs, pauseMs), signal)
    }
  } catch (error) {
    return limited.fail(error, () => faults.timeout(`The action has not ended within ${timeoutMs} ms`, last))
  } finally {
    limited.close()
  }
}

/** Watches an action to its end, and resolves with it, however it ended. */
export async function waitForAction(
  calls: WatchCalls,
  actionId: string,
  { onProgress, ...options }: WatchOptions & { onProgress?: (progress: StepProgress) => unknown } = {},
): Promise<Action> {
  const changes = watchAction(calls, actionId, options)
  try {
    for (;;) {
      const { value, done } = await changes.next()
      if (done) return value
      await onProgress?.(value)
    }
  } finally {
    // Its timer and its connection.
    await changes.return(undefined as never)
  }
}

/** A failed intent settles the action's word while steps of another one may still move. */
function isOver(action: Action): boolean {
  return hasEnded(action) && action.intents.every(({ steps }) => steps.every((step) => step.status !== 'executing'))
}
