import type { Hash } from 'viem'
import type { Block, Chain } from '../../chain/chain.js'
import { createQueuedSends } from '../lanes/queuedSends.js'
import { createLaneCheck } from '../lanes/laneCheck.js'
import { createLeftOverCheck } from '../lanes/leftOver.js'
import { createMissingSignerCheck } from '../lanes/missingSigners.js'
import { createResends } from '../lanes/resends.js'
import type { EngineTools } from '../tools.js'
import { createAwaited } from './awaited.js'
import { createMinedCheck } from './mined.js'
import { createNewBlocks } from './newBlocks.js'
import { createReorganisationCheck } from './reorganisations.js'
import { createRounds, type Pause } from './rounds.js'
import { createSilentCheck } from './silent.js'

/** How long a chain that could not be watched is left alone at least. */
const faultMs = 1_000

/**
 * Watches one chain for the transactions of the journal.
 * A round: read the new blocks' receipts → note what is mined → settle what is final → count confirmations → send again
 * what the blocks have left over and nodes have dropped → look after what no block has mentioned (receipts by every
 * hash, the stored bytes again, a replacement). Everything that a round decides from is in the database or on the
 * chain, so any replica may do any round, twice as well as once. What fails in one part of a round does not hold the
 * other parts up.
 * A round that comes early, for a transaction that was just sent, ends where there is no new block.
 */
export function createChainWatcher(chain: Chain, tools: EngineTools) {
  const { chainId, pollIntervalMs } = chain.config
  /** When the last round began that did not break off for want of a block. */
  let wholeAt = -Infinity
  /** The newest head that was seen, read or not. */
  let seen: Hash | null = null
  /** When the last look at the head began, in unix ms. */
  let lookedAt = -Infinity
  /** When the head was last looked at before it was seen to have moved: the blocks since then came later. */
  let movedAt = -Infinity
  const rounds = createRounds(roundAndPause)
  const awaited = createAwaited(pollIntervalMs)
  const newBlocks = createNewBlocks(chain, tools, awaited.found)
  const { meet } = newBlocks
  const mined = createMinedCheck(chain, tools, meet)
  const reorganisations = createReorganisationCheck(chain, tools)
  const lanes = createLaneCheck(chain, tools)
  const leftOver = createLeftOverCheck(chain, tools)
  const queuedSends = createQueuedSends(chain, tools)
  const resends = createResends(chain, tools)
  const lookAfterSilent = createSilentCheck(chain, tools, { meet, resends })
  const checkMissingSigners = createMissingSignerCheck(chainId, tools)

  return {
    start: rounds.start,
    /**
     * Says that a transaction was sent: does a round soon, and again ever later until a block has it. While others are
     * awaited it is awaited with them, so that a chain with slow blocks is not asked anew for each.
     */
    look(sent: Hash): void {
      const firstMs = awaited.add(sent, performance.now())
      if (firstMs !== null) rounds.cutPause(firstMs)
    },
    async stop(): Promise<void> {
      await rounds.stop()
      await Promise.all([lanes.stop(), leftOver.stop(), queuedSends.stop(), resends.stop()])
    },
  }

  async function roundAndPause(): Promise<Pause> {
    awaited.lookBegins()
    const startedAt = performance.now()
    try {
      const hasMoved = await round()
      const ms = awaited.next({ startedAt, hasMoved, nextPollAt: wholeAt + pollIntervalMs }, performance.now())
      return { ms, canBeCut: true }
    } catch (error) {
      tools.log.warn({ err: error, chainId }, 'chain could not be watched; trying again')
      // No early rounds: a node that fails is not asked for every send, which may be what it fails at.
      awaited.forget()
      return { ms: Math.max(faultMs, pollIntervalMs), canBeCut: false }
    }
  }

  /** Answers whether there is another head than in the round before. */
  async function round(): Promise<boolean> {
    await lanes.open()
    newBlocks.roundBegins()
    const askedAt = tools.now()
    // Both in one request: a transaction that was just sent is in the next block where blocks are made at once.
    const [head, ahead] = await Promise.all([chain.head(), awaited.isAny() ? newBlocks.readAhead() : null])
    tools.heads.set(chainId, head)
    const hasMoved = seen !== head.hash
    if (hasMoved) noteHead(head)
    lookedAt = askedAt
    const now = performance.now()
    // An early round only comes to see whether there is a block yet.
    if (newBlocks.isRead(head) && awaited.isAny() && now - wholeAt < pollIntervalMs) return false
    wholeAt = now
    if (await reorganisations.check(head)) {
      mined.reorganised()
      newBlocks.exchanged(head)
    }
    const faults: unknown[] = []
    const part = async (work: () => Promise<void>) => {
      await work().catch((error: unknown) => faults.push(error))
    }
    if (awaited.isAny() || (await tools.store.hasOpenTransactions(chainId))) {
      await part(() => newBlocks.read(head, ahead))
      // Settled before confirmations are counted, since money depends on it.
      await part(() => mined.settle(head))
      await part(() => mined.count(head))
      leftOver.check()
      await part(() => lookAfterSilent(head, movedAt))
    } else {
      newBlocks.skip(head)
    }
    queuedSends.check()
    await part(() => lanes.check())
    await part(() => checkMissingSigners())
    for (const error of faults.slice(1)) tools.log.warn({ err: error, chainId }, 'another part of the round has failed')
    if (faults.length > 0) throw faults[0]
    return hasMoved
  }

  function noteHead({ hash }: Block): void {
    seen = hash
    movedAt = lookedAt
    mined.headMoved()
    leftOver.blockSeen({ after: movedAt })
  }
}
