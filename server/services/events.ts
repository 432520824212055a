import { ServiceError } from '../domain/errors.js'
import { isSettled } from '../domain/status.js'
import type { StepEvent } from '../domain/views.js'
import type { Store } from '../store/store.js'
import { createLookout } from './lookout.js'

const pageSize = 200

export type EventsService = ReturnType<typeof createEvents>

export function createEvents(deps: {
  store: Store
  nextChange: (actionId: string, timeoutMs: number, signal: AbortSignal) => Promise<unknown>
}) {
  const { store } = deps
  const lookout = createLookout(deps)

  return {
    /**
     * The events of an action after the last one that is known, as they come. Null: it has ended and there are none.
     * What is known may be of a database that was lost, and restored without it: then all of them.
     */
    async follow(actionId: string, last: number, signal: AbortSignal): Promise<AsyncIterable<StepEvent> | null> {
      const progress = await store.readProgress(actionId)
      if (!progress) throw new ServiceError('not_found', 'Action not found')
      const after = last > progress.events ? 0 : last
      return hasEnded(progress) && after >= progress.events ? null : events(actionId, after, signal)
    },
  }

  async function* events(actionId: string, after: number, signal: AbortSignal): AsyncGenerator<StepEvent> {
    let last = after
    while (!signal.aborted) {
      const progress = await store.readProgress(actionId)
      if (!progress) return
      if (progress.events > last) {
        for (const event of await store.readEvents(actionId, last, pageSize)) {
          yield event
          last = event.sequence
        }
      } else if (hasEnded(progress)) {
        return
      } else {
        await lookout.moreEvents(actionId, progress.events, signal)
      }
    }
  }
}

/** A failed intent settles the action's word while steps of another one may still move. */
function hasEnded(progress: { status: Parameters<typeof isSettled>[0]; isMoving: boolean }): boolean {
  return isSettled(progress.status) && !progress.isMoving
}
