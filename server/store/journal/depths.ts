import type { Hash } from 'viem'
import type { StepView } from '../../domain/views.js'
import { type ChangedStep, changeSteps } from '../actions/stepChange.js'
import type { Database } from '../connection/database.js'
import { isPlacedAs, refOf, type StepRow, toStepView, type TransactionRow } from '../rows.js'

/** A transaction as it was read, mined, and how deep its block is by now. */
export type Depth = {
  transactionId: number
  mined: { hash: Hash; blockNumber: number }
  confirmations: number
}

/**
 * Shows in the steps of mined transactions how deep these are by now, all in one database transaction: on a chain with
 * many confirmations each new block changes what is shown of all steps of the blocks before it. Answers with the steps
 * that it has changed, and whether every transaction could be looked at: those that somebody else has locked are left
 * out, and only the locks of steps and actions are waited for. A transaction whose block has changed since it was read
 * is left as it is.
 */
export async function noteDepths(
  database: Database,
  depths: readonly Depth[],
  now: number,
): Promise<{ steps: StepView[]; isWhole: boolean }> {
  const ids = depths.map(({ transactionId }) => transactionId)
  return database.transact(
    async (trx) => {
      const open = trx<TransactionRow>('transactions').whereIn('id', ids).where({ status: 'open' })
      const [transactions, steps] = await trx.together(
        trx.lock(open.select('id', 'mined_hash', 'mined_block'), { skipLocked: true }),
        trx<StepRow>('steps').whereIn('transaction_id', ids).where({ status: 'executing' }),
      )
      const found = new Map(transactions.map((row) => [row.id, row]))
      const seen = depths.filter(({ transactionId, mined }) => {
        const row = found.get(transactionId)
        return row?.mined_hash === mined.hash && row.mined_block === mined.blockNumber
      })
      const changed = await changeSteps(trx, changesOf(seen, steps), now)
      return { steps: changed.map(toStepView), isWhole: found.size === depths.length }
    },
    { patient: false },
  )
}

function changesOf(depths: readonly Depth[], steps: readonly StepRow[]): ChangedStep[] {
  const depthOf = new Map(depths.map((depth) => [depth.transactionId, depth]))
  return steps.flatMap((step) => {
    const depth = depthOf.get(step.transaction_id!)
    if (!depth) return []
    const { mined, confirmations } = depth
    const isPlaced = isPlacedAs(step, mined)
    // Another replica's node may have been ahead of ours: what is known to lie so deep lies there for all.
    if (isPlaced && step.confirmations >= confirmations) return []
    const place = isPlaced ? {} : { transaction_hash: mined.hash, block_number: mined.blockNumber }
    return { ref: refOf(step), change: { ...place, confirmations } }
  })
}
