/** The first look after a send is never earlier than this part of the poll interval, and never later than that one. */
const soonestShare = 0.005
const latestShare = 0.1
/** Nor is it ever later than this. */
const longestMs = 100
/**
 * What part of the time since the first look passes until the next one: so much later than it could be a block is seen.
 */
const laterShare = 0.4

/**
 * When to look for the block of a transaction that was just sent: first after as long as the last one's block was not
 * there yet, then ever later. Times are those of a clock in milliseconds that the caller reads.
 */
export function createLookTimes(pollIntervalMs: number) {
  const soonMs = Math.min(pollIntervalMs * soonestShare, longestMs)
  const latestMs = Math.min(pollIntervalMs * latestShare, longestMs)
  let firstMs = soonMs
  /**
   * Since when the transaction is awaited that was sent first, and after how long its block was still missing; null
   * once it was found.
   */
  let wait: { since: number; missedMs: number | null } | null = null

  return {
    /** The least time between two looks. */
    soonMs,

    /** Something was sent, and nothing else is awaited. Tells how long until the first look. */
    sent(now: number): number {
      wait = { since: now, missedMs: null }
      return firstMs
    },

    /**
     * No block had the transactions yet at a look that began at `at`. Tells how long until the next look, by the
     * transaction that is awaited longest (`oldest`: when it was sent).
     */
    missed(look: { at: number; oldest: number }, now: number): number {
      if (wait !== null) wait.missedMs = look.at - wait.since
      // A transaction that was sent while others were awaited had no first look of its own.
      const sureMs = look.oldest === wait?.since ? firstMs : 0
      return Math.max(soonMs, (now - look.oldest - sureMs) * laterShare)
    },

    /**
     * The block is there. That of the next transaction is first looked for after as long as this one was not there yet,
     * or earlier if it was there at once.
     */
    found(): void {
      if (wait === null) return
      firstMs = Math.min(Math.max(wait.missedMs ?? firstMs / 2, soonMs), latestMs)
      wait = null
    },
  }
}
