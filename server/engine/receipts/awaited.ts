import type { Hash } from 'viem'
import { createLookTimes } from './lookTimes.js'

/**
 * Transactions that were sent less than a poll ago and are in no block yet, and when to look for them. Older ones are
 * found by polls. Times are of a clock in milliseconds that the caller reads.
 */
export function createAwaited(pollIntervalMs: number) {
  const times = createLookTimes(pollIntervalMs)
  /** When each was sent, by hash; the oldest first. */
  const sent = new Map<Hash, number>()
  /** When the first look is due for transactions that were sent since the last look began; null: none was. */
  let calledFor: number | null = null

  return {
    isAny: (): boolean => sent.size > 0,

    /**
     * Tells how long until the first look for the transaction; null: it is looked for with those that are awaited
     * already.
     */
    add(hash: Hash, now: number): number | null {
      const isFirst = sent.size === 0
      // A hash that is sent again goes to the end: it is not the one that has been awaited for longest.
      sent.delete(hash)
      sent.set(hash, now)
      if (!isFirst) return null
      const firstMs = times.sent(now)
      calledFor = now + firstMs
      return firstMs
    },

    /** The transaction is in a block. */
    found(hash: Hash): void {
      if (sent.delete(hash)) times.found()
    },

    lookBegins(): void {
      calledFor = null
    },

    /** How long after a look to look again; at the latest by the next poll. After a block others may come soon. */
    next(look: { startedAt: number; hasMoved: boolean; nextPollAt: number }, now: number): number {
      for (const [hash, sentAt] of sent) if (now - sentAt > pollIntervalMs) sent.delete(hash)
      const [oldest] = sent.values()
      if (oldest === undefined) return pollIntervalMs
      // For a transaction that was sent during the look, while nothing else was awaited.
      if (calledFor !== null) return Math.max(times.soonMs, calledFor - now)
      if (look.hasMoved) return times.soonMs
      const laterMs = times.missed({ at: look.startedAt, oldest }, now)
      return Math.max(times.soonMs, Math.min(laterMs, look.nextPollAt - now))
    },

    /** Leaves all of them to polls. */
    forget(): void {
      sent.clear()
    },
  }
}
