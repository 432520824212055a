import type { Hash } from 'viem'
import type { Block, Chain, Receipt } from '../../chain/chain.js'
import { forEachLimit } from '../../concurrency/forEachLimit.js'
import type { JournalTransaction } from '../../store/journal/journalTransactions.js'
import type { EngineTools } from '../tools.js'
import { createBlocksRead } from './blocksRead.js'
import { meetReceipt } from './meetReceipt.js'
import { type BlockReceipts, isUnder, linkBlocks, readBlocks } from './readBlocks.js'

/** How many blocks, however large, lie in memory at once with all their receipts. */
const readAtOnce = 4

/** Meets a transaction's receipt under the head of this round. Never throws. */
export type Meet = (transaction: JournalTransaction, receipt: Receipt, head: Block) => Promise<void>

/**
 * Reads the new blocks of a chain, and meets the receipts of the journal's transactions in them. `found`: hears of each
 * of these that is in a block.
 */
export function createNewBlocks(chain: Chain, tools: EngineTools, found: (hash: Hash) => void) {
  const read = createBlocksRead(chain.config.confirmations)
  /** The hashes of blocks that were read in this round and that lie under its head, by number. */
  const canonical = new Map<bigint, Hash>()

  const meet: Meet = (transaction, receipt, head) => {
    const isRead = canonical.get(receipt.blockNumber) === receipt.blockHash
    return meetReceipt(transaction, receipt, { head: head.number, isRead }, chain, tools)
  }

  return {
    meet,

    /** Forgets the blocks that the round before has read: they lay under its head. */
    roundBegins(): void {
      canonical.clear()
    },

    /** The block after the last one that was read. Null: it is not there yet, or has to be asked for again. */
    async readAhead(): Promise<BlockReceipts | null> {
      const last = read.last()
      return last === null ? null : chain.blockReceipts(last + 1n, { isGuess: true }).catch(() => null)
    },

    /** Whether this head was read last, so that there is nothing to read up to it. */
    isRead: (head: Block): boolean => read.isLast(head),

    exchanged: (head: Block): void => read.exchanged(head),

    skip: (head: Block): void => read.skip(head),

    /**
     * Reads the blocks up to the head. However many transactions are open, a request for each new block finds all of
     * ours in it; for several blocks the requests travel together.
     */
    async read(head: Block, ahead: BlockReceipts | null): Promise<void> {
      const ask = async (number: bigint) =>
        ahead && isUnder(head, ahead.block, number) ? ahead : chain.blockReceipts(number)
      const blocks = { after: read.after(head), head: head.number, mostAtOnce: readAtOnce }
      const ours: BlockReceipts[] = []
      try {
        for await (const some of readBlocks(blocks, ask)) {
          ours.push(...some.map(({ block, receipts }) => ({ block, receipts: receipts.filter(isOurs) })))
        }
      } finally {
        await meetBlocks(ours, head)
      }
    },
  }

  /**
   * Only all blocks together show whether one is under the head; one that does not fit is read again in the next round.
   */
  async function meetBlocks(blocks: readonly BlockReceipts[], head: Block): Promise<void> {
    const { linked, isUnderHead, unbroken } = linkBlocks(blocks, head)
    if (isUnderHead) for (const { block } of linked) canonical.set(block.number, block.hash)
    const receipts = [...new Set([...unbroken, ...linked])].flatMap((block) => block.receipts)
    await meetAll(receipts, head)
    // Noted only after that: blocks whose receipts could not be met are read again.
    read.note(unbroken.map(({ block }) => block))
  }

  async function meetAll(receipts: readonly Receipt[], head: Block): Promise<void> {
    for (const { hash } of receipts) found(hash)
    const transactions = await tools.store.findOpenByHash(receipts.map(({ hash }) => hash))
    await forEachLimit(transactions, tools.store.transactionsAtOnce, async (transaction) => {
      // The last receipt of a transaction: if the chain was reorganised while it was read, the block of the one before
      // is gone.
      const receipt = receipts.findLast((entry) => transaction.forms.some((form) => form.hash === entry.hash))
      if (receipt) await meet(transaction, receipt, head)
    })
  }

  function isOurs({ from }: Receipt): boolean {
    return tools.signers.has(from)
  }
}
