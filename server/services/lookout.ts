import type { Store } from '../store/store.js'
import type { NextChange } from './changes.js'

/** How often the database is asked for changes that other replicas have made. */
const lookAgainMs = 1_000
/** How many actions one look asks for at most. */
const atOnce = 500
/** A caller is woken at the latest after this, to look by itself. */
const longestMs = 60_000

type Waiter = { known: number; wake: () => void }

/**
 * Wakes those who wait for an action's next event. A change in this process wakes them at once; for the changes of
 * other replicas one look a second asks for all actions together, so that a thousand open streams cost the database two
 * reads. States: idle (nobody waits, no timer) → waiting (a look each second) → idle.
 */
export function createLookout(deps: { store: Pick<Store, 'readEventCounts'>; nextChange: NextChange }) {
  const waiting = new Map<string, Set<Waiter>>()
  let timer: NodeJS.Timeout | null = null

  return {
    /** Resolves when the action may have more events than the caller knows, or when the caller gives up. */
    async moreEvents(actionId: string, known: number, signal: AbortSignal): Promise<void> {
      const found = new AbortController()
      const waiter = { known, wake: () => found.abort() }
      const waiters = waiting.get(actionId) ?? new Set()
      waiting.set(actionId, waiters.add(waiter))
      timer ??= setTimeout(look, lookAgainMs)
      try {
        await deps.nextChange(actionId, longestMs, AbortSignal.any([signal, found.signal]))
      } finally {
        waiters.delete(waiter)
        if (waiters.size === 0 && waiting.get(actionId) === waiters) waiting.delete(actionId)
        if (waiting.size === 0 && timer) {
          clearTimeout(timer)
          timer = null
        }
      }
    },
  }

  function look(): void {
    const ids = [...waiting.keys()]
    void readAll(ids)
      .then((counts) => {
        for (const id of ids) {
          for (const waiter of waiting.get(id) ?? []) if (counts.get(id) !== waiter.known) waiter.wake()
        }
      })
      // Without an answer nobody is woken; the next look comes in a second.
      .catch(() => undefined)
      .finally(() => {
        // All may have left during the look and others come, who have set a timer of their own.
        if (timer) clearTimeout(timer)
        timer = waiting.size > 0 ? setTimeout(look, lookAgainMs) : null
      })
  }

  async function readAll(ids: readonly string[]): Promise<Map<string, number>> {
    const counts = new Map<string, number>()
    for (let at = 0; at < ids.length; at += atOnce) {
      for (const [id, count] of await deps.store.readEventCounts(ids.slice(at, at + atOnce))) counts.set(id, count)
    }
    return counts
  }
}
