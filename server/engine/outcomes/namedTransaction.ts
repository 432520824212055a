import type { Hash } from 'viem'
import type { Block, Chain, ChainTransaction, Receipt } from '../../chain/chain.js'
import { elapsedMs } from '../../domain/elapsed.js'
import { longestPutOffMs } from '../../domain/putOff.js'
import type { EngineTools } from '../tools.js'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

/** How long the chain may go on saying that it does not know a named transaction; outages don't count. */
const unknownForMs = 10 * minuteMs
const shortestMs = 1_000
/** How rarely such a transaction is looked at, or one that is mined and not final yet. */
export const rarestMs = 15_000
/**
 * How long one that nodes have and that is in no block is waited for, and how long at most
 * passes between two looks at one of a deposit.
 */
export const unmined = { forMs: dayMs, longestMs: longestPutOffMs.deposits }

/** How soon at the earliest a transaction that waits for its block is looked at again. */
const pendingMs = 250
/** What part of the time since a transaction was named passes until the next look. */
const laterShare = 0.1

/** A transaction that a client has named, and the row that it was named for. */
type Named = {
  /** The row's, among all that wait for transactions. */
  name: string
  hash: Hash
  /** For how long nodes have not known it. */
  unseenMs: number
  /** When it was named, in unix ms. */
  namedAt: number
  /** How long at most passes between two looks while nodes have it and no block does. */
  longestMs: number
}

export type Sighting =
  /** No node knows it (yet). `unseenMs`: for how long none has by the next look. */
  | { outcome: 'unknown'; delayMs: number; unseenMs: number }
  /** No node has known it in so long, in words, that it is not looked for any more. */
  | { outcome: 'givenUp'; within: string }
  /**
   * Nodes have it, and no block does. `isOverdue`: none has for longer than it is waited
   * for, which `within` says in words.
   */
  | { outcome: 'unmined'; transaction: ChainTransaction; delayMs: number; isOverdue: boolean; within: string }
  | MinedSighting

export type MinedSighting = { outcome: 'mined'; transaction: ChainTransaction; receipt: Receipt; head: Block }

/** One look at a transaction that a client has named: how far it is, and when to look next where it is in no block. */
export async function lookForNamed(
  { name, hash, unseenMs, namedAt, longestMs }: Named,
  chain: Chain,
  tools: Pick<EngineTools, 'unknownTransactions' | 'now'>,
): Promise<Sighting> {
  const { pollIntervalMs } = chain.config
  // What nodes have not known is mostly not known yet, which one call shows.
  const asksAll = isLastLook(unseenMs)
  const mayBeKnown = unseenMs === 0 || asksAll || (await chain.knows(hash))
  const told = mayBeKnown ? await chain.transaction(hash, { asksAll }) : null
  if (!told?.transaction) {
    const delayMs = tools.unknownTransactions.nextTurnMs(name, unseenMs, pollIntervalMs)
    if (delayMs === null) return { outcome: 'givenUp', within: inWords(unknownForMs) }
    return { outcome: 'unknown', delayMs, unseenMs: unseenMs + delayMs }
  }
  tools.unknownTransactions.seen(name)
  const { transaction, receipt, head } = told
  if (receipt) return { outcome: 'mined', transaction, receipt, head }
  const sinceMs = elapsedMs(namedAt, tools.now())
  const delayMs = laterLookMs(sinceMs, Math.max(pollIntervalMs, pendingMs), longestMs)
  const isOverdue = sinceMs > unmined.forMs
  return { outcome: 'unmined', transaction, delayMs, isOverdue, within: inWords(unmined.forMs) }
}

/**
 * When to look next at a transaction that the chain knows, named so long ago, and that is not final yet: ever later,
 * since anyone may name the same one any number of times, and it may never be mined.
 */
export function laterLookMs(sinceMs: number, soonestMs: number, atMostMs = rarestMs): number {
  return Math.round(Math.max(soonestMs, Math.min(atMostMs, sinceMs * laterShare)))
}

/**
 * Whether a transaction that has stayed unknown for so long is looked for once more and
 * given up. Every node is asked then.
 */
function isLastLook(unseenMs: number): boolean {
  return unseenMs >= unknownForMs
}

/**
 * When to ask next for a transaction that the chain has not known for so long; null: never again. Rarer with time, by a
 * tenth of the wait so far: anyone may name any number of hashes that never appear, and each would else be asked for,
 * and written down, six hundred times.
 */
export function nextLookMs(unseenMs: number, pollIntervalMs: number): number | null {
  if (isLastLook(unseenMs)) return null
  return Math.round(Math.min(rarestMs, Math.max(Math.min(pollIntervalMs, shortestMs), unseenMs * laterShare)))
}

function inWords(ms: number): string {
  return ms === dayMs ? 'a day' : `${ms / minuteMs} minutes`
}
