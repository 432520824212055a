import { throwIfAborted } from './abortable.js'
import { IntentApiError } from './errors.js'
import { NoEventStreamError, type StepEvent } from './openEvents.js'
import { shortestPauseMs } from './pauses.js'
import { sleep } from './sleep.js'
import { backoff } from './transport.js'

/** One connection to the event stream of an action. */
export type OpenEvents = (
  actionId: string,
  options: { lastEventId: string | null; signal: AbortSignal },
) => AsyncGenerator<StepEvent>

/** A stream that ends or breaks off so often in a row, without an event, is given up. */
const tries = 4

/**
 * The events of an action, each once, over as many connections as it takes. `ended` each time that the service has
 * ended the stream, for the caller to see whether the action is over. Returns when there is no stream to be had.
 */
export async function* followEvents(
  open: OpenEvents,
  actionId: string,
  options: { lastEventId?: string; signal: AbortSignal },
): AsyncGenerator<StepEvent | 'ended', void> {
  const { signal } = options
  let lastEventId = options.lastEventId ?? null
  let newest: string | undefined
  for (let failures = 0; failures < tries; failures++) {
    let pauseMs: number | null = null
    let isCut = false
    try {
      for await (const event of open(actionId, { lastEventId, signal })) {
        // A service whose database was restored gives its numbers anew.
        const { updatedAt } = event.step
        if (Number(event.id) <= Number(lastEventId) && !(updatedAt > newest!)) continue
        lastEventId = event.id
        newest = updatedAt
        failures = 0
        yield event
      }
    } catch (error) {
      throwIfAborted(signal)
      if (error instanceof NoEventStreamError || (error instanceof IntentApiError && !error.retryable)) return
      if (error instanceof IntentApiError) pauseMs = error.retryAfterMs
      isCut = true
    }
    if (!isCut) yield 'ended'
    await sleep(Math.max(pauseMs ?? backoff(failures), shortestPauseMs), signal)
  }
}
