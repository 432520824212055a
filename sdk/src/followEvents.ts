import type { Wait } from './beginWait.js'
import { NoEventStreamError, type StepEvent } from './openEvents.js'
import { sleep } from './sleep.js'
import { backoff } from './transport.js'

/**
 * One connection to the event stream of an action. Asks for none, and rejects, while a refusal of another one lasts.
 */
export type OpenEvents = (
  actionId: string,
  options: { lastEventId: string | null; signal: AbortSignal },
) => AsyncGenerator<StepEvent>

/** Its events; and when the caller is to look for himself. */
export type Events = AsyncGenerator<StepEvent | 'ended' | 'cut' | 'none', void>

/** A stream that ends or breaks off so often in a row, without an event, is given up. */
const tries = 4

/**
 * The events of an action, each once, over as many connections as it takes. In between, for the caller to look for
 * himself: `ended` each time that the service has ended the stream, `cut` each time that it broke off or could not be
 * opened, and `none` now and then while there is no stream to be had.
 */
export async function* followEvents(
  open: OpenEvents,
  actionId: string,
  wait: Pick<Wait, 'signal' | 'polls' | 'pause'>,
  lastEventId: string | null,
): Events {
  const { signal } = wait
  let newest: string | null = null
  let failures = wait.polls ? tries : 0
  for (;;) {
    let course: 'ended' | 'cut' | 'none' = 'ended'
    try {
      if (failures === tries) throw new NoEventStreamError()
      for await (const event of open(actionId, { lastEventId, signal })) {
        const { updatedAt } = event.step
        // A service whose database was restored gives its numbers anew.
        if (Number(event.id) <= Number(lastEventId) && (newest === null || updatedAt <= newest)) continue
        lastEventId = event.id
        newest = updatedAt
        failures = 0
        yield event
      }
    } catch (error) {
      course = error instanceof NoEventStreamError ? 'none' : 'cut'
    }
    yield course
    await (course === 'none' ? wait.pause() : sleep(backoff(failures++), signal))
  }
}
