import type { Chain, ChainTransaction } from '../chain/chain.js'
import type { ChainBatch, TokenTransfer } from '../domain/action.js'
import { solverTransfers } from '../domain/solverNeeds.js'
import type { StepWork } from '../store/steps.js'
import type { Failure } from './explainRevert.js'
import { arrivalsOf } from './outcome.js'
import { batchIdOf } from './payload.js'
import type { EngineTools } from './tools.js'
import { endStep, failStep, type Visit, waits } from './visit.js'

/**
 * When the chain says that the step has been done already, finds the transaction that did it. A batch that someone else
 * executed is as good as one of ours. A payout that our vault remembers but our journal does not (a database that went
 * back in time) counts only if it paid exactly what this step asks for.
 * Null: the failure says nothing of the kind.
 */
export async function adoptExecution(
  work: StepWork,
  batch: ChainBatch,
  chain: Chain,
  failure: Failure,
  tools: EngineTools,
): Promise<Visit | null> {
  const hash = await findTransaction(work, chain, failure)
  if (hash === undefined) return null
  if (hash === null) return failStep(work, unknownTransaction, tools)
  const { transaction, receipt, head } = await chain.transaction(hash)
  if (!transaction || !receipt) return waits(chain.config.pollIntervalMs)
  const confirmations = Number(head.number - receipt.blockNumber) + 1
  if (confirmations < work.view.requiredConfirmations) return waits(chain.config.pollIntervalMs)
  const transfers = solverTransfers(batch)
  if (transfers.length > 0 && !paidExactly(transaction, work, transfers, chain, tools)) {
    return failStep(work, failure.name === 'AlreadyFulfilled' ? otherPayout : withoutPayout, tools)
  }
  return endStep(
    work,
    {
      status: 'success',
      transactionHash: receipt.hash,
      blockNumber: Number(receipt.blockNumber),
      confirmations,
      arrivals: arrivalsOf(receipt, work.user, chain, tools),
      payouts: transfers.map(({ token, amount }) => ({ chainId: batch.chainId, token, amount })),
    },
    tools,
  )
}

const unknownTransaction = {
  code: 'already_fulfilled',
  message: 'The chain says that this step has been carried out before, but the transaction could not be found.',
  retryable: true,
} as const

const otherPayout = {
  code: 'already_fulfilled',
  message: 'The vault has paid under this key before, and not what this step asks for.',
  retryable: false,
} as const

const withoutPayout = {
  code: 'already_fulfilled',
  message: 'The calls of this batch were executed by another transaction, without the solver’s transfers.',
  retryable: false,
} as const

/** Undefined: the failure is another one. Null: done, but the transaction was not found. */
async function findTransaction(work: StepWork, chain: Chain, failure: Failure) {
  if (failure.name === 'DuplicateChainBatch' && work.intent.mode === '7702') {
    return chain.findExecution(work.user, batchIdOf(work.intent, work.ref.stepIndex))
  }
  if (failure.name === 'AlreadyFulfilled' && work.stepKey) return chain.findFulfilment(work.stepKey)
  return undefined
}

function paidExactly(
  transaction: ChainTransaction,
  work: StepWork,
  transfers: TokenTransfer[],
  chain: Chain,
  tools: EngineTools,
): boolean {
  if (transaction.to !== chain.config.vault) return false
  const fulfilment = tools.codec.decodeFulfill(transaction.input)
  return (
    fulfilment !== null &&
    fulfilment.stepKey === work.stepKey &&
    fulfilment.transfers.length === transfers.length &&
    transfers.every(({ to, token, amount }, index) => {
      const paid = fulfilment.transfers[index]!
      return paid.to === to && paid.token === token && paid.amount === amount
    })
  )
}
