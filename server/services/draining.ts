import { elapsedMs } from '../domain/elapsed.js'
import { ServiceError } from '../domain/errors.js'
import type { Store } from '../store/store.js'

/** For how long an answer of the database holds, in milliseconds. */
const freshForMs = 1_000

/** Drain mode: on an operator's word nothing new is accepted, by any replica, while what is under way is finished. */
export function createDraining({
  store,
  now,
}: {
  store: Pick<Store, 'readDraining' | 'setDraining'>
  now: () => number
}) {
  let last: { at: number; draining: Promise<boolean> } | null = null

  function isDraining(): Promise<boolean> {
    if (last === null || elapsedMs(last.at, now()) > freshForMs) {
      const asked = { at: now(), draining: store.readDraining() }
      last = asked
      // All who wait for this answer get the error; whoever comes next asks the database again.
      asked.draining.catch(() => {
        if (last === asked) last = null
      })
    }
    return last.draining
  }

  return {
    isDraining,
    /** Throws `ServiceError` while nothing new is accepted. */
    async requireOpen(): Promise<void> {
      if (await isDraining()) {
        throw new ServiceError('draining', 'The service finishes what it has and accepts nothing new for now.')
      }
    },
    async set(draining: boolean): Promise<void> {
      await store.setDraining(draining, now())
      last = { at: now(), draining: Promise.resolve(draining) }
    },
  }
}
