import { elapsedMs } from '../domain/elapsed.js'
import { settledOrAfter } from '../concurrency/settledOrAfter.js'

/** What was last seen of something, and how long ago. `ageMs` null: it was not seen yet, or the look at it is lost. */
export type LastSeen<T> = { value: T; ageMs: number | null }

/** What was seen this short a time ago is not looked at again, however many callers ask. */
const freshForMs = 1_000
/**
 * How long a caller waits for a look, but for the first. It goes on without him, and the next caller has its result.
 */
const patienceMs = 800
/** How long callers wait for the very first look: nothing else is known, connections are made, and code is compiled. */
const firstPatienceMs = 4_000
/** A look that has not come back for this long is lost, and what was seen before it is told no more. */
const lostMs = 15_000

/**
 * Looks at something that may take long to answer, for those who must not wait for long. States: idle (fresh or not) →
 * looking (one look for all who ask meanwhile) → idle, or lost after 15 s: whoever asks next begins another look.
 * `look` must not throw. `unseen` is the answer while there is none, and from a lost look on until one has come back.
 */
export function createLastKnown<T>(look: () => Promise<T>, unseen: T, now: () => number): () => Promise<LastSeen<T>> {
  let known: { value: T; at: number } | null = null
  let looking: { since: number; done: Promise<void> } | null = null
  let isLost = false
  let firstAt: number | null = null

  return async () => {
    if (known && ageOf(known) <= freshForMs) return { value: known.value, ageMs: ageOf(known) }
    if (looking && elapsedMs(looking.since, now()) > lostMs) {
      isLost = true
      looking = null
    }
    looking ??= begin()
    firstAt ??= looking.since
    // Only callers soon after the start wait so long, and not everybody who asks while nothing answers.
    const firstLeftMs = known === null ? firstPatienceMs - elapsedMs(firstAt, now()) : 0
    await settledOrAfter(looking.done, Math.max(patienceMs, firstLeftMs))
    return known && !isLost ? { value: known.value, ageMs: ageOf(known) } : { value: unseen, ageMs: null }
  }

  function ageOf({ at }: { at: number }): number {
    return elapsedMs(at, now())
  }

  function begin() {
    const mine = { since: now(), done: Promise.resolve() }
    mine.done = look().then((value) => {
      // A lost look that comes back after a newer one tells of long ago.
      if (looking !== mine && !isLost) return
      known = { value, at: now() }
      isLost = false
      if (looking === mine) looking = null
    })
    return mine
  }
}
