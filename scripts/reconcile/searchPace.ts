import { saysLimited } from '../../server/chain/nodes/busyNode.js'

/** As many blocks as nodes that limit the range of a search allow at least; the free plans of some allow the last. */
const windowSizes = [2_000n, 500n, 100n, 10n] as const
/** How many windows one request asks for; nodes that limit their calls count each. */
const windowCounts = [10, 3, 1] as const
/** After so many requests that were answered, more is tried again. */
const moreAfter = 50
/** How long nobody is asked after a refusal. */
const pauseMs = 1_000
const longestPauseMs = 30_000
/** How often a node may ask to be left alone before that is given up. */
const mostRests = 60

/**
 * How much a search asks a node for at once. What is refused twice is asked for in less: in fewer windows
 * where the node is asked too much, else in narrower ones. Where there is no less, a node that is asked too
 * much is left alone ever longer.
 */
export function createSearchPace() {
  let [size, count, answered, refused, rests] = [0, 0, 0, 0, 0]

  return {
    /** In blocks. */
    size: (): bigint => windowSizes[size]!,
    /** Of a request. */
    windows: (): number => windowCounts[count]!,

    answered(): void {
      refused = 0
      rests = 0
      answered += 1
      if (answered % moreAfter !== 0) return
      if (count > 0) count -= 1
      else if (size > 0) size -= 1
    },

    /**
     * Answers how long to wait, in milliseconds, before the same blocks are asked for. Throws where that is given up.
     */
    refused(error: unknown): number {
      refused += 1
      // Once it may have been a passing fault, and of no window.
      if (refused === 1) return pauseMs
      const isLimited = saysAskedTooMuch(error)
      if (isLimited && count < windowCounts.length - 1) count += 1
      else if (size < windowSizes.length - 1) size += 1
      else if (isLimited && rests < mostRests) rests += 1
      else throw error
      if (rests === 0) refused = 0
      return Math.min(pauseMs * 2 ** rests, longestPauseMs)
    },
  }
}

/** By what is told of several nodes. */
function saysAskedTooMuch(error: unknown): boolean {
  const message = String((error as Error).message)
  return /\b429\b|-32016\b|asked more than it allows/.test(message) || saysLimited({ code: 0, message })
}
