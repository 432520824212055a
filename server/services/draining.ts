import { ServiceError } from '../domain/errors.js'
import type { Store } from '../store/store.js'

/** How old the answer of the database may be. */
const freshForMs = 1_000

export type Draining = ReturnType<typeof createDraining>

/** Drain mode: on an operator's word nothing new is accepted, by any replica, while what is under way is finished. */
export function createDraining({
  store,
  now,
}: {
  store: Pick<Store, 'readDraining' | 'setDraining'>
  now: () => number
}) {
  let last = { at: -Infinity, draining: false }

  async function isDraining(): Promise<boolean> {
    if (now() - last.at > freshForMs) last = { at: now(), draining: await store.readDraining() }
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
      last = { at: now(), draining }
    },
  }
}
