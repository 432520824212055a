import type { Block, Chain } from '../../chain/chain.js'
import { longestPutOffMs } from '../../domain/putOff.js'
import type { JournalTransaction } from '../../store/journal/journalTransactions.js'
import type { createResends } from '../lanes/resends.js'
import type { EngineTools } from '../tools.js'
import { askReceipts } from './askReceipts.js'
import type { Meet } from './newBlocks.js'

const pageSize = 200

/** Looks after transactions that are due and that no block has mentioned: those without a receipt are sent again. */
export function createSilentCheck(
  chain: Chain,
  tools: Pick<EngineTools, 'store' | 'now' | 'sendWindow' | 'log'>,
  { meet, resends }: { meet: Meet; resends: ReturnType<typeof createResends> },
) {
  /** `movedAt`: when the head was last looked at before it was seen to have moved, in unix ms. */
  return async (head: Block, movedAt: number): Promise<void> => {
    const due = await tools.store.readDueTransactions(chain.config.chainId, pageSize, tools.now())
    if (due.length === 0) return
    // Of a transaction that is queued no node can know, and it is sent as soon as others are mined.
    const looked = due.filter((transaction) => !tools.sendWindow.isQueued(transaction))
    const silent = await tools.store.readUnminedOf(looked.map(({ id }) => id))
    const hashes = silent.flatMap((transaction) => transaction.forms.map((form) => form.hash))
    // All count as unmined where no node tells: to send a mined one again costs nothing.
    const asked = await askReceipts(hashes, chain, tools.log).catch((): undefined[] => hashes.map(() => undefined))
    const receipts = asked.flatMap((receipt) => receipt ?? [])
    const untold = new Set(hashes.filter((_hash, index) => asked[index] === undefined))
    const unmined: JournalTransaction[] = []
    for (const transaction of silent) {
      const receipt = receipts.find((entry) => transaction.forms.some((form) => form.hash === entry.hash))
      if (receipt) await meet(transaction, receipt, head)
      else unmined.push(transaction)
    }
    await tools.store.postponeTransactions(
      due.map(({ id }) => id),
      tools.now() + longestPutOffMs.transactions,
    )
    const mayBeMined = ({ forms }: JournalTransaction) => forms.some(({ hash }) => untold.has(hash))
    resends.begin(unmined, { head, movedAt, unanswered: new Set(unmined.filter(mayBeMined).map(({ id }) => id)) })
  }
}
