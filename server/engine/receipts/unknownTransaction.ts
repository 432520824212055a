/** How long the chain may go on saying that it does not know a reported transaction; outages don't count. */
const unknownForMs = 10 * 60 * 1000
const shortestMs = 1_000
const longestMs = 15_000

/**
 * When to ask next for a transaction that the chain has not known for so long; null: never again. Rarer with time, by a
 * tenth of the wait so far: anyone may report any number of hashes that never appear, and each would else be asked for,
 * and written down, six hundred times.
 */
export function nextLookMs(unseenMs: number, pollIntervalMs: number): number | null {
  if (unseenMs >= unknownForMs) return null
  return Math.round(Math.min(longestMs, Math.max(Math.min(pollIntervalMs, shortestMs), unseenMs / 10)))
}
