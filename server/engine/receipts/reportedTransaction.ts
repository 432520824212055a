import { longestPutOffMs } from '../../domain/putOff.js'

/** How long the chain may go on saying that it does not know a reported transaction; outages don't count. */
const unknownForMs = 10 * 60 * 1000
const shortestMs = 1_000
/** How rarely such a transaction is looked at, or one that is mined and not final yet. */
export const rarestMs = 15_000
/**
 * How long a report waits for the block of a transaction that nodes have and that is in none, and how long at most
 * passes between two looks.
 */
export const unmined = { forMs: 24 * 60 * 60 * 1000, longestMs: longestPutOffMs.deposits }

/** How soon at the earliest a transaction that waits for its block is looked at again. */
export const pendingMs = 250
/** What part of the time since a transaction was named passes until the next look. */
const laterShare = 0.1

/**
 * When to look next at a transaction that the chain knows, named so long ago, and that is not final yet: ever later, since
 * anyone may name the same one in any number of reports, and it may never be mined.
 */
export function laterLookMs(sinceMs: number, soonestMs: number, atMostMs = rarestMs): number {
  return Math.round(Math.max(soonestMs, Math.min(atMostMs, sinceMs * laterShare)))
}

/** Whether a transaction that has stayed unknown for so long is looked for once more and given up. Every node is asked then. */
export function isLastLook(unseenMs: number): boolean {
  return unseenMs >= unknownForMs
}

/**
 * When to ask next for a transaction that the chain has not known for so long; null: never again. Rarer with time, by a
 * tenth of the wait so far: anyone may report any number of hashes that never appear, and each would else be asked for,
 * and written down, six hundred times.
 */
export function nextLookMs(unseenMs: number, pollIntervalMs: number): number | null {
  if (isLastLook(unseenMs)) return null
  return Math.round(Math.min(rarestMs, Math.max(Math.min(pollIntervalMs, shortestMs), unseenMs * laterShare)))
}
