import { type Action, actionFrom } from './amounts.js'
import { untilAborted } from './abortable.js'
import { beginWait } from './beginWait.js'
import { asName } from './checkInput.js'
import { followEvents, type OpenEvents } from './followEvents.js'
import type { TracedStep } from './openEvents.js'
import { hasEnded, stateOf } from './stepState.js'
import type { CallOptions, Step, Wire } from './wire.js'

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

type WaitForActionOptions = WatchOptions & {
  /** Told of each change, and waited for until the wait is over; what it throws or rejects with ends it. */
  onProgress?: ((progress: StepProgress) => unknown) | undefined
}

/** What was seen, and its ETag. */
export type Look<T> = { data: T; etag: string | null }

export type WatchCalls = {
  openEvents: OpenEvents
  /** Null when it is as it was at the `etag`. */
  lookAtAction: <Read>(
    actionId: string,
    etag: string | null,
    options: CallOptions,
    read: (action: Wire.Action) => Read,
  ) => Promise<Look<Read> | null>
}

/**
 * Tells each change of an action's steps, from the first on, until the action is over; returns the action. Listens to
 * the event stream, resumes it where it broke off, and looks from time to time where there is none.
 */
export async function* watchAction(
  calls: WatchCalls,
  actionId: string,
  options: WaitForActionOptions = {},
): AsyncGenerator<StepProgress, Action> {
  const { lastEventId, onProgress } = options
  asName(actionId, 'actionId')
  const wait = beginWait('action', options)
  const { signal } = wait
  /** By place, what was told last. */
  const known = new Map<string, StepProgress>()
  let last: Step | null = null
  let etag: string | null = null

  /** The change, unless it is none, or a look has told what came of it since. */
  async function* news(step: TracedStep, eventId: string | null): AsyncGenerator<StepProgress> {
    const progress: StepProgress = { type: 'step', step, eventId }
    const place = `${step.intentIndex}/${step.stepIndex}`
    const before = known.get(place)
    if (before) {
      const isPast = eventId !== null && before.eventId === null && step.updatedAt < before.step.updatedAt
      if (isPast || stateOf(before.step) === stateOf(step)) return
    }
    known.set(place, progress)
    last = step
    wait.lookSoon()
    await untilAborted(onProgress?.(progress), signal)
    yield progress
  }

  /** The action if it is over. */
  async function* look(tells: boolean): AsyncGenerator<StepProgress, Action | null> {
    const seen = await wait.look(() => calls.lookAtAction(actionId, etag, { signal }, actionFrom))
    if (!seen) return null
    etag = seen.etag
    for (const { steps } of tells ? seen.data.intents : []) {
      for (const step of steps) if (step.status !== 'created') yield* news(step, null)
    }
    return isOver(seen.data) ? seen.data : null
  }

  try {
    let over: Action | null = null
    for await (const event of followEvents(calls.openEvents, actionId, wait, lastEventId ?? null)) {
      if (typeof event === 'object') yield* news(event.step, event.id)
      else if (event !== 'cut') {
        // What a cut-off stream has left untold is told; a resumed watch can't know what that is.
        over = yield* look(event === 'none' || lastEventId === undefined)
        if (over) break
      }
    }
    return over!
  } catch (error) {
    return wait.fail(error, last)
  } finally {
    wait.close()
  }
}

/** Watches an action to its end, and resolves with it, however it ended. */
export async function waitForAction(
  calls: WatchCalls,
  actionId: string,
  options?: WaitForActionOptions,
): Promise<Action> {
  const changes = watchAction(calls, actionId, options)
  for (;;) {
    const { value, done } = await changes.next()
    if (done) return value
  }
}

/** A failed intent settles the action's word while steps of another one may still move. */
function isOver(action: Action): boolean {
  return hasEnded(action) && action.intents.every(({ steps }) => steps.every((step) => step.status !== 'executing'))
}
