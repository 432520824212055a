import type { Chain } from '../../chain/chain.js'
import type { ChainConfig } from '../../domain/chainConfig.js'
import { elapsedMs } from '../../domain/elapsed.js'
import type { JournalTransaction } from '../../store/journal/journalTransactions.js'

/** What blocks took at last is tried with an eighth less after so long, as it may have been more than they ask. */
const lowerAfterMs = 3_600_000

export type Tips = ReturnType<typeof createTips>

/**
 * What tip the blocks of each chain ask for, in wei per gas, as far as our own transactions have shown: one that paid the
 * base fee, was passed over by blocks and was mined once its fees had been raised. The next ones begin there, and don't
 * climb to it each by itself, one after the other. Nothing of this outlives the process, which learns it again.
 */
export function createTips(now: () => number) {
  const learned = new Map<number, { tip: bigint; at: number }>()
  /** Transactions whose fees were raised since blocks had passed them over. */
  const raised = new Set<number>()

  return {
    /** The chain's fees as new forms are to go by, with this tip at the least. */
    on(config: ChainConfig, leastTip = 0n): ChainConfig {
      const learned = current(config.chainId)
      const tip = leastTip > learned ? leastTip : learned
      return tip > config.priorityFeePerGas ? { ...config, priorityFeePerGas: tip } : config
    },

    /** Blocks have passed it over although it paid the base fee, and its fees are raised for that. */
    passedOver({ id }: JournalTransaction): void {
      raised.add(id)
    },

    /**
     * This form of it is in a block. A user can keep out of blocks what carries his authorization, for as long as he likes, so
     * that it shows no more than what the node suggests as well.
     */
    async mined(
      { id, forms, authorizations }: JournalTransaction,
      hash: string,
      chain: Pick<Chain, 'config' | 'suggestedTip'>,
    ): Promise<void> {
      const form = forms.find((one) => one.hash === hash)
      if (!raised.delete(id) || !form || form === forms[0]) return
      const paid = form.maxPriorityFeePerGas
      const suggested = authorizations.length === 0 ? paid : await chain.suggestedTip().catch(() => 0n)
      const shown = suggested < paid ? suggested : paid
      const { chainId } = chain.config
      // One that shows less takes nothing back of what others have shown.
      if (authorizations.length === 0 || shown > current(chainId)) learned.set(chainId, { tip: shown, at: now() })
    },
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
