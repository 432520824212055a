import { setTimeout as pause } from 'node:timers/promises'
import { ServiceError } from '../domain/errors.js'
import { hasEnded } from '../domain/status.js'
import type { StepEvent } from '../domain/views.js'
import type { Store } from '../store/store.js'
import type { NextChange } from './changes.js'
import { createLookout } from './lookout.js'

const pageSize = 200

/**
 * A stream waits so long for a database that is away; a failover takes less. A client whose stream ended would come
 * back to a 503, on which a browser's `EventSource` gives up for good (HTML standard, 9.2.3).
 */
const patienceMs = 60_000
const lookAgainMs = 1_000

export type EventsService = ReturnType<typeof createEvents>

export function createEvents(deps: { store: Store; nextChange: NextChange; isOutage: (error: unknown) => boolean }) {
  const { store, isOutage } = deps
  const lookout = createLookout(deps)

  return {
    /**
     * The events of an action after `last`, the newest that the client knows, as they come. Null: the action has ended,
     * and there are no more. A client that knows of events that are not there has them from a database that was lost
     * and restored from an older copy: it gets all events again.
     */
    async follow(actionId: string, last: number, signal: AbortSignal): Promise<AsyncIterable<StepEvent> | null> {
      const progress = await store.readProgress(actionId)
      if (!progress) throw new ServiceError('not_found', 'Action not found')
      const after = last > progress.events ? 0 : last
      return isOver(progress) && after >= progress.events ? null : events(actionId, after, signal)
    },
  }

  async function* events(actionId: string, after: number, signal: AbortSignal): AsyncGenerator<StepEvent> {
    let last = after
    while (!signal.aborted) {
      const progress = await waitedFor(() => store.readProgress(actionId), signal)
      // Fewer than were told: the database was lost and restored without them. Who follows looks anew, and comes back.
      if (!progress || progress.events < last) return
      if (progress.events > last) {
        const from = last
        const more = await waitedFor(() => store.readEvents(actionId, from, pageSize), signal)
        for (const event of more ?? []) {
          yield event
          last = event.sequence
        }
      } else if (isOver(progress)) {
        return
      } else {
        await lookout.moreEvents(actionId, progress.events, signal)
      }
    }
  }

  /** Reads again while the database is away, for `patienceMs`. Null: the client has hung up. */
  async function waitedFor<T>(read: () => Promise<T>, signal: AbortSignal): Promise<T | null> {
    const askedAt = performance.now()
    while (!signal.aborted) {
      try {
        return await read()
      } catch (error) {
        if (!isOutage(error) || performance.now() - askedAt > patienceMs) throw error
      }
      // A random pause, so that thousands of streams do not all ask at once.
      await pause(lookAgainMs * (1 + Math.random()), undefined, { signal }).catch(() => undefined)
    }
    return null
  }
}

/**
 * The status alone does not tell: a failed intent settles its action's while steps of another intent may still move.
 */
function isOver(progress: { status: Parameters<typeof hasEnded>[0]; isMoving: boolean }): boolean {
  return hasEnded(progress.status) && !progress.isMoving
}
