import { actionsOf } from '../../domain/action.js'
import type { JournalTransaction } from '../../store/journal/journalTransactions.js'
import type { Store } from '../../store/store.js'
import type { EngineTools } from '../tools.js'

/**
 * Notes where a transaction was seen mined, and tells those who wait for its steps where that is news. Null: the chain
 * does not have it any more.
 */
export async function noteMined(
  transaction: JournalTransaction,
  mined: Parameters<Store['noteMined']>[1],
  tools: Pick<EngineTools, 'store' | 'now' | 'changed'>,
): Promise<void> {
  if (await tools.store.noteMined(transaction.id, mined, tools.now())) tellOf(transaction, tools)
}

/** Tells those who wait for the actions of a transaction that something about it has changed. */
export function tellOf({ carries }: JournalTransaction, tools: Pick<EngineTools, 'changed'>): void {
  for (const actionId of actionsOf(carries)) tools.changed(actionId)
}
