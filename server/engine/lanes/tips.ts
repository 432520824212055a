import type { Block, Chain } from '../../chain/chain.js'
import type { ChainConfig } from '../../domain/chainConfig.js'
import { elapsedMs } from '../../domain/elapsed.js'
import type { JournalTransaction } from '../../store/journal/journalTransactions.js'

/** After so long a learned tip is lowered by an eighth, as it may have been more than blocks ask for. */
const lowerAfterMs = 3_600_000
/** What needs more than this part of a block's gas may be passed over for its size. */
const largeShare = 8n

export type Tips = ReturnType<typeof createTips>

/**
 * What tip the blocks of each chain ask for, in wei per gas, as far as our own transactions have shown it: those that
 * paid the base fee, were passed over by blocks and were mined once their fees had been raised. Later transactions
 * begin at that tip, and don't climb to it each by itself, one after the other. Nothing of this outlives the process,
 * which learns it again.
 */
export function createTips(now: () => number) {
  const learned = new Map<number, { tip: bigint; at: number }>()
  /**
   * The last transaction of each lane whose fees were raised since blocks had passed it over: the tip with which they
   * did at first, and whether that may have been for its size.
   */
  const raised = new Map<string, { id: number; tip: bigint; isLarge: boolean }>()

  return {
    /** The chain's configuration with the tip that new forms are to offer: the learned one, and at least `leastTip`. */
    withTip(config: ChainConfig, leastTip = 0n): ChainConfig {
      const learned = current(config.chainId)
      const tip = leastTip > learned ? leastTip : learned
      return tip > config.priorityFeePerGas ? { ...config, priorityFeePerGas: tip } : config
    },

    /**
     * Says that blocks have passed a transaction over although it paid the base fee, and that its fees are raised for
     * that.
     */
    passedOver(transaction: JournalTransaction, { gasLimit: ofBlock }: Pick<Block, 'gasLimit'>): void {
      const { id, gasLimit, forms } = transaction
      const before = raisedAs(transaction)
      const tip = before?.tip ?? forms.at(-1)!.maxPriorityFeePerGas
      raised.set(laneOf(transaction), { id, tip, isLarge: before?.isLarge || gasLimit * largeShare > ofBlock })
    },

    /**
     * Says that this form of a transaction is in a block. A user can keep a transaction that carries his authorization
     * out of blocks for as long as he likes, and a large one may have waited for room: such a one shows no more than
     * what the node suggests as well.
     */
    async mined(
      transaction: JournalTransaction,
      hash: string,
      chain: Pick<Chain, 'config' | 'suggestedTip'>,
    ): Promise<void> {
      const before = raisedAs(transaction)
      if (!before) return
      raised.delete(laneOf(transaction))
      const form = transaction.forms.find((one) => one.hash === hash)
      if (!form || form.maxPriorityFeePerGas <= before.tip) return
      const isSure = transaction.authorizations.length === 0 && !before.isLarge
      const paid = form.maxPriorityFeePerGas
      const suggested = isSure ? paid : await chain.suggestedTip().catch(() => 0n)
      const shown = suggested < paid ? suggested : paid
      const { chainId } = chain.config
      // One that is not sure to show it takes nothing back of what others have shown.
      if (isSure || shown > current(chainId)) learned.set(chainId, { tip: shown, at: now() })
    },
  }

  function raisedAs(transaction: JournalTransaction) {
    const known = raised.get(laneOf(transaction))
    return known?.id === transaction.id ? known : null
  }

  function current(chainId: number): bigint {
    const known = learned.get(chainId)
    if (!known) return 0n
    const { tip, at } = known
    if (elapsedMs(at, now()) < lowerAfterMs) return tip
    const lower = tip - tip / 8n
    learned.set(chainId, { tip: lower, at: now() })
    return lower
  }
}

function laneOf({ chainId, signer }: JournalTransaction): string {
  return `${chainId}:${signer}`
}
