import type { Block, Chain } from '../../chain/chain.js'
import { forEachLimit } from '../../concurrency/forEachLimit.js'
import { depthOf } from '../../domain/finality.js'
import { chunkByWeight } from '../../lists/chunkByWeight.js'
import { groupBy } from '../../lists/groupBy.js'
import type { JournalTransaction, MinedPlace } from '../../store/journal/journalTransactions.js'
import { transactionFields } from '../logFields.js'
import type { EngineTools } from '../tools.js'
import { askReceipts } from './askReceipts.js'
import type { Meet } from './newBlocks.js'
import { noteMined } from './noteMined.js'

const pageSize = 200
/** How many steps are shown in one database transaction: a few bundles. */
const stepsAtOnce = 200n

/**
 * Sees to the transactions of a chain that are noted as mined: settles those that are deep enough, and
 * shows how deep the others are.
 */
export function createMinedCheck(
  chain: Chain,
  tools: Pick<EngineTools, 'store' | 'log' | 'now' | 'changed'>,
  meet: Meet,
) {
  const { chainId, confirmations: finalDepth } = chain.config
  /** Clients have not been shown yet how deep their transactions are under the newest head. */
  let isUncounted = false
  /** The chain has reorganised, and it is not all noted yet which transactions are in no block any more. */
  let isDoubtful = false

  return {
    headMoved(): void {
      isUncounted = true
    },

    reorganised(): void {
      isDoubtful = true
    },

    /**
     * Settles those mined deep enough by now; each receipt is asked for again, since its block may be gone. After a
     * reorganisation all that are mined are looked at: those that the new chain lacks are sent again at once and shown
     * as they are.
     */
    async settle(head: Block): Promise<void> {
      const deepEnough = Number(head.number) - finalDepth + 1
      const wasDoubtful = isDoubtful
      const to = wasDoubtful ? Number.MAX_SAFE_INTEGER : deepEnough
      let isDecided = true
      for await (const mined of tools.store.readMinedTransactions(chainId, { from: 0, to }, pageSize)) {
        const hashes = mined.map((transaction) => transaction.mined!.hash)
        const receipts = await askReceipts(hashes, chain, tools.log)
        const unreceipted: JournalTransaction[] = []
        await forEachLimit(mined.entries(), tools.store.transactionsAtOnce, async ([index, transaction]) => {
          const receipt = receipts[index]
          if (receipt) return meet(transaction, receipt, head)
          // That a node has no receipt proves nothing: a transaction is in no block any more only if its block is gone.
          const gone = receipt === null ? await isGone(transaction) : null
          if (gone === null || (gone && !(await noteGone(transaction)))) isDecided = false
          if (gone === false) unreceipted.push(transaction)
        })
        if (unreceipted.length > 0) await meetUnreceipted(unreceipted, head)
      }
      isDoubtful &&= !isDecided
      // Every mined transaction has just been shown as it is.
      if (wasDoubtful) isUncounted = false
    },

    /** Shows clients how deep their transactions are by now. */
    async count(head: Block): Promise<void> {
      // The depth of transactions whose blocks may be gone would be untrue.
      if (!isUncounted || isDoubtful) return
      const blocks = { from: Number(head.number) - finalDepth + 2, to: Number(head.number) }
      let areAllShown = true
      for await (const shallow of tools.store.readMinedPlaces(chainId, blocks, pageSize)) {
        for (const some of chunkByWeight(shallow, ({ steps }) => BigInt(steps), stepsAtOnce)) {
          areAllShown = (await showDepths(some, head)) && areAllShown
        }
      }
      isUncounted = !areAllShown
    },
  }

  /** Meets those whose blocks are the chain's, though the node that was asked has no receipt of them. */
  async function meetUnreceipted(transactions: readonly JournalTransaction[], head: Block): Promise<void> {
    const receipts = await chain.missingReceipts(transactions.map(({ mined }) => mined!))
    await forEachLimit(transactions.entries(), tools.store.transactionsAtOnce, async ([index, transaction]) => {
      const receipt = receipts[index]
      if (receipt) await meet(transaction, receipt, head)
    })
    const [first, ...others] = transactions.filter((_transaction, index) => !receipts[index])
    if (!first) return
    const { hash, blockNumber } = first.mined!
    const fields = { chainId, hash, blockNumber, others: others.length }
    tools.log.warn(fields, 'no node has the receipt of a transaction though its block is the chain’s')
  }

  /** False: not all of them could be shown, and are to be in another round. */
  async function showDepths(transactions: readonly MinedPlace[], head: Block): Promise<boolean> {
    const depths = transactions.map(({ id, mined }) => {
      return { transactionId: id, mined, confirmations: depthOf(mined.blockNumber, head.number) }
    })
    try {
      const { steps, isWhole } = await tools.store.noteDepths(depths, tools.now())
      for (const [actionId, shown] of groupBy(steps, (step) => step.actionId)) tools.changed(actionId, shown)
      return isWhole
    } catch (error) {
      tools.log.warn({ err: error, chainId, transactions: depths.length }, 'depths could not be shown')
      // Somebody is at a step of one of them, for which the others need not wait.
      if (transactions.length > 1) for (const one of transactions) await showDepths([one], head)
      return false
    }
  }

  /**
   * Whether the transaction's block is not the chain's any more. Null: it can't be said yet, since the chain has become
   * shorter and has no block of that number.
   */
  async function isGone({ mined }: JournalTransaction): Promise<boolean | null> {
    const block = await chain.blockByNumber(BigInt(mined!.blockNumber))
    return block && block.hash !== mined!.blockHash
  }

  /**
   * False: somebody else is at the transaction, or the database is away. That keeps no other waiting; it is to be noted
   * in another round.
   */
  async function noteGone(transaction: JournalTransaction): Promise<boolean> {
    try {
      await noteMined(transaction, null, tools)
      return true
    } catch (error) {
      tools.log.warn({ err: error, ...transactionFields(transaction) }, 'transaction could not be noted')
      return false
    }
  }
}
