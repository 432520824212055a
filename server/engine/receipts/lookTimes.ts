/** The first look after a send: never earlier than this part of the poll interval, at the latest after that one. */
const soonestShare = 0.005
const latestShare = 0.1
/** The longest that either may be. */
const longestMs = 100
/** What part of the time since the first look passes until the next one: how much later than it could be a block is seen. */
const laterShare = 0.4

/**
 * When to look for the block of what was just sent: first when the last one's was not there yet, then ever later. Times
 * are those of a clock in milliseconds that the caller reads.
 */
export function createLookTimes(pollIntervalMs: number) {
  const soonMs = Math.min(pollIntervalMs * soonestShare, longestMs)
  const latestMs = Math.min(pollIntervalMs * latestShare, longestMs)
  let firstMs = soonMs
  /** Of what is awaited first; null once it was found. */
  let wait: { since: number; missedMs: number | null } | null = null

  return {
    /** The least between two looks. */
    soonMs,

    /** Something was sent, and nothing else is awaited. Tells how long until the first look. */
    sent(now: number): number {
      wait = { since: now, missedMs: null }
      return firstMs
    },

    /** No block was there yet at a look that began then. Tells how long until the next one, by what is awaited longest. */
    missed(look: { at: number; oldest: number }, now: number): number {
      if (wait !== null) wait.missedMs = look.at - wait.since
      // What was sent while others were awaited had no first look of its own.
      const sureMs = look.oldest === wait?.since ? firstMs : 0
      return Math.max(soonMs, (now - look.oldest - sureMs) * laterShare)
    },

    /** It is there. The next one is looked for when this one was not there yet, or earlier if it was there at once. */
    found(): void {
      if (wait === null) return
      firstMs = Math.min(Math.max(wait.missedMs ?? firstMs / 2, soonMs), latestMs)
      wait = null
    },
  }
}
