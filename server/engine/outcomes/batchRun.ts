import type { Chain, Receipt } from '../../chain/chain.js'
import { nativeToken } from '../../domain/action.js'
import type { StepError } from '../../domain/errors.js'
import { runsCalls } from '../../domain/stepKind.js'
import type { Payout } from '../../store/journal/bookResult.js'
import type { StepWork } from '../../store/actions/steps.js'
import { batchIdOf } from '../payload.js'
import type { EngineTools } from '../tools.js'

/** Whether the account says that it has run the batch, or there is nothing to run. */
export function hasRun(work: StepWork, receipt: Receipt, tools: Pick<EngineTools, 'codec'>): boolean {
  if (!runsCalls(work)) return true
  return tools.codec.executedBatchIds(receipt, work.user).includes(batchIdOf(work.intent, work.ref.stepIndex))
}

/**
 * What speaks against an account that says that it has run the batch; null: nothing does. Other code than the
 * delegate's can say so of what it has not run, and a stranger may have given a batch that forgives its calls too
 * little gas: then the tokens that the batch declares have not moved, which its simulation was compared with too. Of
 * calls that declare nothing the account's word is all there is.
 */
export function notAsDeclared(
  work: StepWork,
  { receipt, payouts }: { receipt: Receipt; payouts: readonly Payout[] },
  chain: Chain,
  tools: Pick<EngineTools, 'codec'>,
): StepError | null {
  if (!runsCalls(work)) return null
  // A receipt has no logs of native currency.
  const tokenTransfers = work.batch.tokenTransfers.filter(({ token }) => token !== nativeToken)
  const missing = tools.codec.matchTransfers({ tokenTransfers }, receipt.logs)
  if (missing === null) return null
  const words = [
    'The account says that it has run the batch, but not all has come about that the batch declares.',
    missing,
  ]
  if (payouts.length > 0) words.push('The solver’s transfers were paid.')
  if (tools.codec.vaultArrivals(receipt, chain.config).some(({ from }) => from === work.user)) {
    words.push('What the account has paid the solver’s vault in it is credit once it is reported (POST /coredeposit).')
  }
  return { code: 'transfer_mismatch', message: words.join(' '), retryable: false }
}

/**
 * The error of a step whose account did not say in the transaction that it has run the batch. What the solver has paid
 * in it is not paid again.
 */
export function withoutRun(payouts: readonly Payout[]): StepError {
  const message =
    payouts.length > 0
      ? 'The solver’s transfers were paid, but the account has other code than the delegate’s and did not run the batch.'
      : 'The transaction was mined, but the account did not run the batch; nothing was paid.'
  return { code: 'batch_not_executed', message, retryable: payouts.length === 0 }
}
