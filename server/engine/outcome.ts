import type { Chain, Receipt } from '../chain/chain.js'
import type { StepError } from '../domain/errors.js'
import { solverTransfers } from '../domain/solverNeeds.js'
import type { JournalTransaction } from '../store/journal.js'
import type { StepResult } from '../store/settlement.js'
import type { StepWork } from '../store/steps.js'
import { adoptExecution } from './adoptExecution.js'
import { arrivalsOf } from './arrivals.js'
import { explainRevert } from './explainRevert.js'
import { batchIdOf } from './payload.js'
import type { EngineTools } from './tools.js'

/**
 * What a final receipt means for a step that the transaction carried. The contracts' events decide, not the receipt's
 * status alone: a call to an account without code succeeds and does nothing. Null: it can't be said yet.
 */
export async function resultOf(
  work: StepWork,
  transaction: JournalTransaction,
  receipt: Receipt,
  head: bigint,
  chain: Chain,
  tools: EngineTools,
): Promise<StepResult | null> {
  const place = { transactionHash: receipt.hash, blockNumber: Number(receipt.blockNumber) }
  if (transaction.attempts.some((attempt) => attempt.hash === receipt.hash && attempt.isCancel)) {
    const message =
      'The transaction could not be carried out by the chain and its place was given up; nothing happened.'
    return { status: 'error', error: { code: 'transaction_cancelled', message, retryable: true }, ...place }
  }
  if (receipt.status === 'success' && tookEffect(work, receipt, chain, tools)) {
    const batch = work.intent.chainBatches[work.ref.stepIndex]!
    return {
      status: 'success',
      ...place,
      blockHash: receipt.blockHash,
      confirmations: Number(head - receipt.blockNumber) + 1,
      arrivals: work.kind === 'delegated' ? await arrivalsOf(receipt, work.user, chain, tools) : [],
      payouts: solverTransfers(batch).map(({ token, amount }) => ({ chainId: batch.chainId, token, amount })),
    }
  }
  if (receipt.status === 'success') {
    const message = 'The transaction was mined, but the account did not run the batch; nothing was paid.'
    return { status: 'error', error: { code: 'batch_not_executed', message, retryable: true }, ...place }
  }
  const batch = work.intent.chainBatches[work.ref.stepIndex]!
  const failure = await failureOf(transaction, chain, tools)
  const adoption = failure && (await adoptExecution(work, batch, chain, failure, tools))
  // One who saw ours may have carried the batch out before it; what counts then is his.
  if (adoption?.outcome === 'waits') return null
  if (adoption?.outcome === 'ended') {
    return adoption.result.status === 'success' ? adoption.result : { ...adoption.result, ...place }
  }
  const error = failure ? await explainRevert(failure, batch, chain) : unexplained(transaction, receipt)
  return { status: 'reverted', error, ...place }
}

function tookEffect(work: StepWork, receipt: Receipt, chain: Chain, tools: EngineTools): boolean {
  const batch = work.intent.chainBatches[work.ref.stepIndex]!
  const paid =
    solverTransfers(batch).length === 0 ||
    (work.stepKey !== null && tools.codec.fulfilledKeys(receipt, chain.config.vault).includes(work.stepKey))
  const ran =
    work.intent.mode !== '7702' ||
    batch.calls.length === 0 ||
    tools.codec.executedBatchIds(receipt, work.user).includes(batchIdOf(work.intent, work.ref.stepIndex))
  return paid && ran
}

/** A receipt does not say why it reverted; running the same call again usually does. Null: it would succeed now. */
async function failureOf(transaction: JournalTransaction, chain: Chain, tools: EngineTools) {
  const { signer: from, to, data } = transaction
  const request = { from, to, data, value: 0n, authorization: null }
  const again = await chain.simulate(request, { overrideDelegate: null })
  return again.outcome === 'reverted' ? tools.codec.decodeRevert(again.data) : null
}

function unexplained(transaction: JournalTransaction, receipt: Receipt): StepError {
  const outOfGas = receipt.gasUsed >= transaction.gasLimit
  return {
    code: outOfGas ? 'gas_limit_exceeded' : 'execution_reverted',
    message: outOfGas
      ? `The transaction was mined and ran out of gas at ${transaction.gasLimit}; nothing took effect.`
      : 'The transaction was mined and reverted; the same call would succeed now.',
    retryable: true,
  }
}
