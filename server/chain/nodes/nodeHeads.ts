import { lags } from '../../domain/lag.js'
import type { Block } from '../chain.js'

/** What one node says of its newest block, or why it says nothing. */
export type NodeHead = { head: Block; fault: null } | { head: null; fault: string }

/** All nodes are looked at no more often than this, however long the head stands still. */
const lookEveryMs = 5_000
/** All nodes are looked at as often as this in any case: a node may move on and be behind all the same. */
const lookAnywayMs = 60_000
/** A head that stands still for less than this is no sign of anything. */
const leastStillMs = 3_000
/**
 * An interval between heads counts as no longer: on a chain that makes blocks only for transactions it says nothing.
 */
const longestIntervalMs = 15_000
/**
 * For so long a lower head of another node is taken for a late one; after that for the chain's, which may have been
 * rolled back.
 */
const lowerIsLateMs = 30_000

/**
 * Which nodes are behind the others. The heads that are read anyway say when that of the asked node stands still for
 * longer than is usual. Only then, and while a node is known to be behind, are the others asked for theirs, beside what
 * is read. One node is compared with nobody.
 * And what the head is: it does not go back because another node is asked, which may have it later.
 */
export function createNodeHeads(lookAtAll: () => Promise<NodeHead[]>, count: number) {
  let behind: readonly boolean[] = []
  let told: { node: number; block: Block; at: number } | null = null
  let movedAt = performance.now()
  let usualMs = 0
  // Not at once: as a process starts, no head has had the time to stand still.
  let lookedAt = performance.now() - lookAnywayMs + lookEveryMs
  let looking: Promise<NodeHead[]> | null = null

  return {
    isBehind: (node: number): boolean => behind[node] ?? false,

    /** All heads, one look for all who ask meanwhile. */
    compare,

    /** Takes what a node has told, and answers what the chain's head is by now. */
    saw(node: number, block: Block): Block {
      const now = performance.now()
      if (count > 1 && isLookDue(now)) void compare()
      if (told && told.node !== node && block.number < told.block.number && now - told.at < lowerIsLateMs) {
        return told.block
      }
      if (told && told.block.hash !== block.hash) {
        const interval = Math.min(now - movedAt, longestIntervalMs)
        usualMs = (3 * usualMs + interval) / 4
        movedAt = now
      }
      told = { node, block, at: now }
      return block
    },
  }

  function isLookDue(now: number): boolean {
    const sinceMs = now - lookedAt
    const standsStill = now - movedAt > Math.max(leastStillMs, 1.5 * usualMs)
    return sinceMs > lookAnywayMs || (sinceMs > lookEveryMs && (standsStill || behind.includes(true)))
  }

  function compare(): Promise<NodeHead[]> {
    lookedAt = performance.now()
    looking ??= lookAtAll().then((heads) => {
      behind = lags(
        heads.map(({ head }) => head),
        Date.now(),
      ).map((blocks) => blocks > 0)
      looking = null
      return heads
    })
    return looking
  }
}
