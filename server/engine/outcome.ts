import type { Address } from 'viem'
import type { Chain, Receipt } from '../chain/chain.js'
import { solverTransfers } from '../domain/solverNeeds.js'
import type { Arrival } from '../store/credits.js'
import type { JournalTransaction } from '../store/journal.js'
import type { StepResult } from '../store/settlement.js'
import type { StepWork } from '../store/steps.js'
import { explainRevert } from './explainRevert.js'
import { batchIdOf } from './payload.js'
import type { EngineTools } from './tools.js'

/** What reached the vault from the user in a transaction. */
export function arrivalsOf(receipt: Receipt, user: Address, chain: Chain, tools: EngineTools): Arrival[] {
  return tools.codec
    .vaultArrivals(receipt, chain.config)
    .filter((arrival) => arrival.from === user)
    .map((arrival) => ({
      chainId: chain.config.chainId,
      transactionHash: receipt.hash,
      logIndex: arrival.logIndex,
      blockNumber: Number(receipt.blockNumber),
      user,
      token: arrival.token,
      amount: arrival.amount,
    }))
}

/**
 * What a final receipt means for a step that the transaction carried. The contracts' events decide, not the receipt's
 * status alone: a call to an account without code succeeds and does nothing.
 */
export async function resultOf(
  work: StepWork,
  transaction: JournalTransaction,
  receipt: Receipt,
  head: bigint,
  chain: Chain,
  tools: EngineTools,
): Promise<StepResult> {
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
      confirmations: Number(head - receipt.blockNumber) + 1,
      arrivals: work.kind === 'delegated' ? arrivalsOf(receipt, work.user, chain, tools) : [],
      payouts: solverTransfers(batch).map(({ token, amount }) => ({ chainId: batch.chainId, token, amount })),
    }
  }
  if (receipt.status === 'success') {
    const message = 'The transaction was mined, but the account did not run the batch; nothing was paid.'
    return { status: 'error', error: { code: 'batch_not_executed', message, retryable: true }, ...place }
  }
  return { status: 'reverted', error: await reasonOf(work, transaction, receipt, chain, tools), ...place }
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

/** A receipt does not say why it reverted; running the same call again usually does. */
async function reasonOf(
  work: StepWork,
  transaction: JournalTransaction,
  receipt: Receipt,
  chain: Chain,
  tools: EngineTools,
) {
  const batch = work.intent.chainBatches[work.ref.stepIndex]!
  const again = await chain.simulate(
    { from: transaction.signer, to: transaction.to, data: transaction.data, value: 0n, authorization: null },
    { overrideDelegate: null },
  )
  if (again.outcome === 'reverted') return explainRevert(tools.codec.decodeRevert(again.data), batch, chain)
  const outOfGas = receipt.gasUsed >= transaction.gasLimit
  return {
    code: outOfGas ? ('gas_limit_exceeded' as const) : ('execution_reverted' as const),
    message: outOfGas
      ? `The transaction was mined and ran out of gas at ${transaction.gasLimit}; nothing took effect.`
      : 'The transaction was mined and reverted; the same call would succeed now.',
    retryable: true,
  }
}
