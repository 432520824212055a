import { nextLookMs, rarestMs } from './namedTransaction.js'

/**
 * The time from one look to the next among all transactions that no node knows: the more of them, the rarer each look.
 */
const everyMs = 5
/** A transaction that was not looked for in so long is seen to by another process, or by none any more. */
const forgottenMs = 60_000

/**
 * Transactions that clients have named and that no node knows, whoever waits for them: a thousand that never appear are
 * not to keep the process from all else. One alone is looked for as soon as `nextLookMs` says. `now` is a clock that is
 * never set back, in milliseconds.
 */
export function createUnknownTransactions(now: () => number) {
  /** By name, when it was last looked for; the longest ago first. */
  const lookedForAt = new Map<string, number>()

  return {
    /** When to look next for one that is still unknown; null: never again. */
    nextTurnMs(name: string, unseenMs: number, pollIntervalMs: number): number | null {
      lookedForAt.delete(name)
      forgetOld()
      const aloneMs = nextLookMs(unseenMs, pollIntervalMs)
      if (aloneMs === null) return null
      lookedForAt.set(name, now())
      return Math.max(aloneMs, Math.min(lookedForAt.size * everyMs, rarestMs))
    },

    /** Tells that a node knows it by now. */
    seen(name: string): void {
      lookedForAt.delete(name)
    },
  }

  function forgetOld(): void {
    for (const [name, at] of lookedForAt) {
      if (now() - at < forgottenMs) return
      lookedForAt.delete(name)
    }
  }
}
