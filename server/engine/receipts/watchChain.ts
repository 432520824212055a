import type { Hash } from 'viem'
import type { Block, Chain, Receipt } from '../../chain/chain.js'
import { sideBySide } from '../../concurrency/sideBySide.js'
import type { JournalTransaction } from '../../store/journal/journalTransactions.js'
import type { Store } from '../../store/store.js'
import { createBlocksRead } from './blocksRead.js'
import { createHeldSends } from '../lanes/heldSends.js'
import { createLaneCheck } from '../lanes/laneCheck.js'
import { createLeftOverCheck } from '../lanes/leftOver.js'
import { createLookTimes } from './lookTimes.js'
import { createMissingSignerCheck } from '../lanes/missingSigners.js'
import { transactionFields } from '../logFields.js'
import { meetReceipt, tellOf } from './meetReceipt.js'
import { type BlockReceipts, isUnder, linkBlocks, readBlocks } from './readBlocks.js'
import { createReorganisationCheck } from './reorganisations.js'
import { createResends } from '../lanes/resends.js'
import type { EngineTools } from '../tools.js'

const pageSize = 200
/** Blocks, however large, that lie in memory with all their receipts. */
const readAtOnce = 4
const lookAgainMs = 5_000
/** How long a chain that could not be watched is left alone at least. */
const faultMs = 1_000

/**
 * Watches one chain for the transactions of the journal.
 * A round: read the new blocks' receipts → note what is mined → settle what is final → count confirmations → send again
 * what the blocks have left over and nodes have dropped → look after what no block has mentioned (receipts by every hash,
 * the stored bytes again, a replacement). Everything that a round decides from is in the database or on the chain, so any replica may do
 * any round, twice as well as once. What fails in one part of a round keeps the other parts from nothing.
 * A round that comes early, for what was just sent, ends where there is no new block.
 */
export function createChainWatcher(chain: Chain, tools: EngineTools) {
  const { chainId, pollIntervalMs } = chain.config
  const settledAtOnce = tools.store.transactionsAtOnce
  const lookTimes = createLookTimes(pollIntervalMs)
  let stopped = false
  /** What was sent less than a poll ago and is in no block yet, with the time. */
  const awaited = new Map<Hash, number>()
  /** When the last round began that did not break off for want of a block. */
  let wholeAt = -Infinity
  /** When the first look is due for what was sent during a round; null: nothing was. */
  let calledFor: number | null = null
  let pause: { canBeCut: boolean; cutTo: (ms: number) => void; end: () => void } | null = null
  let loop: Promise<void> = Promise.resolve()
  /** The newest head that was seen, read or not. */
  let seen: Hash | null = null
  /** Clients have not been shown yet how deep their transactions are under that head. */
  let isUncounted = false
  /** The chain has reorganised, and what it took away is not all noted yet. */
  let isDoubtful = false
  /** When the last look at the head began, in unix ms. */
  let lookedAt = -Infinity
  /** When the head was last looked at before it was seen to have moved: the blocks since then came later. */
  let movedAt = -Infinity
  /** Blocks that were read in this round and are the head's, by number. */
  const canonical = new Map<bigint, Hash>()
  const blocksRead = createBlocksRead(chain.config.confirmations)
  const reorganisations = createReorganisationCheck(chain, tools)
  const lanes = createLaneCheck(chain, tools)
  const leftOver = createLeftOverCheck(chain, tools)
  const heldSends = createHeldSends(chain, tools)
  const resends = createResends(chain, tools)
  const checkMissingSigners = createMissingSignerCheck(chainId, tools)

  return {
    start(): void {
      loop = run()
    },
    /**
     * Says that a transaction was sent: does a round soon, and again ever later until a block has it. While others are
     * awaited it is awaited with them, so that a chain with slow blocks is not asked anew for each.
     */
    look(sent: Hash): void {
      const isFirst = awaited.size === 0
      // What was sent again is not what has been awaited for longest.
      const now = performance.now()
      awaited.delete(sent)
      awaited.set(sent, now)
      if (!isFirst) return
      const firstMs = lookTimes.sent(now)
      calledFor = now + firstMs
      if (pause?.canBeCut) pause.cutTo(firstMs)
    },
    async stop(): Promise<void> {
      stopped = true
      pause?.end()
      await loop
      await Promise.all([lanes.stop(), leftOver.stop(), heldSends.stop(), resends.stop()])
    },
  }

  async function run(): Promise<void> {
    let pauseMs: number
    while (!stopped) {
      calledFor = null
      let failed = false
      const startedAt = performance.now()
      try {
        const hasMoved = await round()
        forgetOld()
        pauseMs = nextPause(hasMoved, startedAt)
      } catch (error) {
        tools.log.warn({ err: error, chainId }, 'chain could not be watched; trying again')
        // A node that fails is not asked for what it may be failing at, and not for every send.
        awaited.clear()
        pauseMs = Math.max(faultMs, pollIntervalMs)
        failed = true
      }
      if (!stopped) await sleep(pauseMs, !failed)
    }
  }

  /** After a block others of those that are awaited may come soon; a whole round comes with every poll in any case. */
  function nextPause(hasMoved: boolean, lookedAt: number): number {
    const [oldest] = awaited.values()
    if (oldest === undefined) return pollIntervalMs
    const now = performance.now()
    // Nothing else was awaited when it was sent.
    if (calledFor !== null) return Math.max(lookTimes.soonMs, calledFor - now)
    if (hasMoved) return lookTimes.soonMs
    const laterMs = lookTimes.missed({ at: lookedAt, oldest }, now)
    return Math.max(lookTimes.soonMs, Math.min(laterMs, wholeAt + pollIntervalMs - now))
  }

  /** From then on polls find it. */
  function forgetOld(): void {
    for (const [hash, sentAt] of awaited) if (performance.now() - sentAt > pollIntervalMs) awaited.delete(hash)
  }

  /** Answers whether there is another head than in the round before. */
  async function round(): Promise<boolean> {
    await lanes.open()
    canonical.clear()
    const askedAt = tools.now()
    // Both in one request: a transaction that was just sent is in the next block where blocks are made at once.
    const last = blocksRead.last()
    const [head, next] = await Promise.all([
      chain.head(),
      awaited.size > 0 && last !== null ? readAhead(last + 1n) : null,
    ])
    tools.heads.set(chainId, head)
    const hasMoved = seen !== head.hash
    if (hasMoved) noteHead(head)
    lookedAt = askedAt
    const now = performance.now()
    // It only came to see whether there is a block yet.
    if (blocksRead.isLast(head) && awaited.size > 0 && now - wholeAt < pollIntervalMs) return false
    wholeAt = now
    if (await reorganisations.check(head)) {
      isDoubtful = true
      blocksRead.exchanged(head)
    }
    const faults: unknown[] = []
    const part = async (work: () => Promise<void>) => {
      await work().catch((error: unknown) => faults.push(error))
    }
    if (awaited.size > 0 || (await tools.store.hasOpenTransactions(chainId))) {
      await part(() => readNewBlocks(head, next))
      // First what money depends on.
      await part(() => settleFinal(head))
      await part(() => countConfirmations(head))
      leftOver.check()
      await part(() => lookAfterSilent(head))
    } else {
      blocksRead.skip(head)
    }
    heldSends.check()
    await part(() => lanes.check())
    await part(() => checkMissingSigners())
    for (const error of faults.slice(1)) tools.log.warn({ err: error, chainId }, 'another part of the round has failed')
    if (faults.length > 0) throw faults[0]
    return hasMoved
  }

  function noteHead({ hash }: Block): void {
    seen = hash
    movedAt = lookedAt
    isUncounted = true
    leftOver.blockSeen({ after: movedAt })
  }

  /** However much is open, a request for each new block finds all of ours in it; for several they travel together. */
  async function readNewBlocks(head: Block, next: BlockReceipts | null): Promise<void> {
    const ask = async (number: bigint) =>
      next && isUnder(head, next.block, number) ? next : chain.blockReceipts(number)
    const blocks = { after: blocksRead.after(head), head: head.number, mostAtOnce: readAtOnce }
    const found: BlockReceipts[] = []
    try {
      for await (const some of readBlocks(blocks, ask)) {
        found.push(...some.map(({ block, receipts }) => ({ block, receipts: receipts.filter(isOurs) })))
      }
    } finally {
      await meetFound(found, head)
    }
  }

  /** Only all of them show whether one is under the head; what does not fit is read again in the next round. */
  async function meetFound(found: readonly BlockReceipts[], head: Block): Promise<void> {
    const { linked, isUnderHead, unbroken } = linkBlocks(found, head)
    if (isUnderHead) for (const { block } of linked) canonical.set(block.number, block.hash)
    const ours = [...new Set([...unbroken, ...linked])].flatMap(({ receipts }) => receipts)
    await meetAll(ours, head)
    // Not before: what could not be met is read again.
    blocksRead.note(unbroken.map(({ block }) => block))
  }

  function isOurs({ from }: Receipt): boolean {
    return tools.signers.has(from)
  }

  async function meetAll(ours: Receipt[], head: Block): Promise<void> {
    for (const { hash } of ours) if (awaited.delete(hash)) lookTimes.found()
    const transactions = await tools.store.findOpenByHash(ours.map((receipt) => receipt.hash))
    await sideBySide(transactions, settledAtOnce, async (transaction) => {
      // The last one: if the chain was reorganised while it was read, that of the block before is gone.
      const receipt = ours.findLast((entry) => transaction.forms.some((form) => form.hash === entry.hash))
      if (receipt) await meet(transaction, receipt, head)
    })
  }

  /** Null: it is not there yet, or has to be asked for again. */
  function readAhead(number: bigint): Promise<BlockReceipts | null> {
    return chain.blockReceipts(number, { isGuess: true }).catch(() => null)
  }

  /**
   * Those mined deep enough by now; each receipt is asked for again, since its block may be gone. After a
   * reorganisation all that are mined: what the new chain lacks is sent again at once and shown as it is.
   */
  async function settleFinal(head: Block): Promise<void> {
    const deepEnough = Number(head.number) - chain.config.confirmations + 1
    const wasDoubtful = isDoubtful
    const to = wasDoubtful ? Number.MAX_SAFE_INTEGER : deepEnough
    let isDecided = true
    for await (const mined of tools.store.readMinedTransactions(chainId, { from: 0, to }, pageSize)) {
      const receipts = await askReceipts(mined.map((transaction) => transaction.mined!.hash))
      await sideBySide(mined.entries(), settledAtOnce, async ([index, transaction]) => {
        const receipt = receipts[index]
        if (receipt) return meet(transaction, receipt, head)
        // A node may not have the receipt; only a block that is gone takes it away.
        const gone = receipt === null ? await isGone(transaction) : null
        if (gone === null || (gone && !(await note(transaction, null)))) isDecided = false
      })
    }
    isDoubtful &&= !isDecided
    // Every one of them has been shown as it is.
    if (wasDoubtful) isUncounted = false
  }

  /** Null: it can't be said yet, since the chain has become shorter and has no block of that number. */
  async function isGone({ mined }: JournalTransaction): Promise<boolean | null> {
    const block = await chain.blockByNumber(BigInt(mined!.blockNumber))
    return block && block.hash !== mined!.blockHash
  }

  /** Shows clients how deep their transactions are by now. */
  async function countConfirmations(head: Block): Promise<void> {
    // Of those that may be gone it would be untrue.
    if (!isUncounted || isDoubtful) return
    const from = Number(head.number) - chain.config.confirmations + 2
    const blocks = { from, to: Number(head.number) }
    let areAllShown = true
    for await (const shallow of tools.store.readMinedTransactions(chainId, blocks, pageSize)) {
      for (const transaction of shallow) {
        const mined = transaction.mined!
        const confirmations = Number(head.number) - mined.blockNumber + 1
        areAllShown = (await note(transaction, { ...mined, confirmations })) && areAllShown
        await tellOf(transaction, tools)
      }
    }
    isUncounted = !areAllShown
  }

  /** False: somebody else is at it, or the database is away; it keeps no other waiting, and is to be noted in another round. */
  async function note(transaction: JournalTransaction, mined: Parameters<Store['noteMined']>[1]): Promise<boolean> {
    try {
      await tools.store.noteMined(transaction.id, mined, tools.now())
      return true
    } catch (error) {
      tools.log.warn({ err: error, ...transactionFields(transaction) }, 'transaction could not be noted')
      return false
    }
  }

  async function lookAfterSilent(head: Block): Promise<void> {
    const due = await tools.store.readDueTransactions(chainId, pageSize, tools.now())
    if (due.length === 0) return
    // Of what is held no node can know, and it is sent as soon as others are mined.
    const silent = due.filter((transaction) => !tools.sendWindow.holds(transaction))
    const hashes = silent.flatMap((transaction) => transaction.forms.map((form) => form.hash))
    // What is sent again although it is mined costs nothing.
    const asked = await askReceipts(hashes).catch((): undefined[] => hashes.map(() => undefined))
    const receipts = asked.flatMap((receipt) => receipt ?? [])
    const untold = new Set(hashes.filter((_hash, index) => asked[index] === undefined))
    const unseen: JournalTransaction[] = []
    for (const transaction of silent) {
      const receipt = receipts.find((entry) => transaction.forms.some((form) => form.hash === entry.hash))
      if (receipt) await meet(transaction, receipt, head)
      else unseen.push(transaction)
    }
    await tools.store.postponeTransactions(
      due.map(({ id }) => id),
      tools.now() + lookAgainMs,
    )
    const mayBeMined = ({ forms }: JournalTransaction) => forms.some(({ hash }) => untold.has(hash))
    resends.begin(unseen, { head, movedAt, unanswered: new Set(unseen.filter(mayBeMined).map(({ id }) => id)) })
  }

  /**
   * Undefined: no node tells, as some that answer with an error while they index; that keeps no other from being told.
   * Throws where not one is.
   */
  async function askReceipts(hashes: readonly Hash[]): Promise<(Receipt | null | undefined)[]> {
    return chain.receipts(hashes).catch(async (error: unknown) => {
      if (hashes.length === 1) throw error
      const alone = await Promise.allSettled(hashes.map((hash) => chain.receipts([hash])))
      const told = alone.map((answer) => (answer.status === 'fulfilled' ? answer.value[0]! : undefined))
      const unanswered = told.filter((receipt) => receipt === undefined).length
      if (unanswered === hashes.length) throw error
      tools.log.warn({ err: error, chainId, unanswered, asked: hashes.length }, 'not all receipts were told')
      return told
    })
  }

  function meet(transaction: JournalTransaction, receipt: Receipt, head: Block): Promise<void> {
    const isRead = canonical.get(receipt.blockNumber) === receipt.blockHash
    return meetReceipt(transaction, receipt, { head: head.number, isRead }, chain, tools)
  }

  async function sleep(ms: number, canBeCut: boolean): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const endsAt = performance.now() + ms
    await new Promise<void>((end) => {
      const endIn = (leftMs: number) => {
        clearTimeout(timer)
        timer = setTimeout(end, leftMs)
      }
      endIn(ms)
      pause = { canBeCut, end, cutTo: (leftMs) => performance.now() + leftMs < endsAt && endIn(leftMs) }
    })
    clearTimeout(timer)
    pause = null
  }
}
