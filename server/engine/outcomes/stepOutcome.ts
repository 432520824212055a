import type { Address, Hash } from 'viem'
import type { Chain, Receipt, Rerun } from '../../chain/chain.js'
import { isVault, vaultsOf } from '../../domain/chainConfig.js'
import type { StepError } from '../../domain/errors.js'
import { depthOf } from '../../domain/finality.js'
import { payoutsOf, solverTransfers } from '../../domain/solverNeeds.js'
import type { JournalTransaction } from '../../store/journal/journalTransactions.js'
import type { Payout, StepOutcome, StepResult } from '../../store/journal/bookResult.js'
import type { StepWork } from '../../store/actions/steps.js'
import { adoptExecution } from './adoptExecution.js'
import { arrivalsOfRun } from './arrivals.js'
import { hasRun, notAsDeclared, withoutRun } from './batchRun.js'
import { faultOf, type MinedTransaction } from './bundleOutcome.js'
import { doneAccordingTo, doneBefore } from './doneBefore.js'
import { explainRevert } from './explainRevert.js'
import { stepFields } from '../logFields.js'
import { isOperatorsFault } from '../lanes/operators.js'
import type { EngineTools } from '../tools.js'

type Mined = MinedTransaction & { head: bigint }
type Place = { transactionHash: Hash; blockNumber: number }

/**
 * What a final receipt means for a step that the transaction carried. The contracts' events decide, not the receipt's
 * status alone: a call to an account without code succeeds and does nothing. Null: it can't be said yet.
 */
export async function resultOf(
  work: StepWork,
  mined: Mined,
  chain: Chain,
  tools: EngineTools,
): Promise<StepOutcome | null> {
  const { transaction, receipt, bundle } = mined
  // Of a vault that only another replica's chains file has nothing can be read here, and a payout that can't be read is
  // not taken for unpaid.
  if (transaction.to !== work.user && !isVault(transaction.to, chain.config))
    return unreadable(work, transaction, tools)
  if (receipt.status === 'success' && !wasCancelled(mined)) {
    const isWhole = hasPaid(work, receipt, chain, tools) && hasRun(work, receipt, tools)
    return isWhole ? carriedOut(work, mined, chain, tools) : leftUndone(work, mined, chain, tools)
  }
  // Nothing happened for any step of the bundle, and which of them is to blame shows when each goes by itself.
  return bundle ? { status: 'alone' } : withoutEffect(work, mined, chain, tools)
}

/** The vault has paid what the step pays, and its calls have run. */
async function carriedOut(
  work: StepWork,
  { receipt, head }: Mined,
  chain: Chain,
  tools: EngineTools,
): Promise<StepOutcome> {
  const payouts = payoutsOf(work.batch)
  const untrue = notAsDeclared(work, { receipt, payouts }, chain, tools)
  if (untrue) return { status: 'error', error: untrue, ...placeOf(receipt), payouts }
  return {
    status: 'success',
    ...placeOf(receipt),
    blockHash: receipt.blockHash,
    confirmations: depthOf(receipt.blockNumber, head),
    arrivals: work.kind === 'delegated' ? await arrivalsOfRun(receipt, work.user, chain, tools) : [],
    payouts,
  }
}

/** The transaction succeeded without the step: in a bundle, or since the account does not run the delegate. */
async function leftUndone(work: StepWork, mined: Mined, chain: Chain, tools: EngineTools): Promise<StepOutcome> {
  const { receipt } = mined
  const fault = await faultOf(work, mined, chain, tools)
  if (fault?.status === 'alone') return fault
  const spent = hasPaid(work, receipt, chain, tools) ? payoutsOf(work.batch) : []
  // Somebody may have carried it out before, in an account that has given the delegate up since: a visit of the step's
  // own finds out.
  const isDone = spent.length === 0 && (await doneSince(receipt, work, chain)) !== null
  return isDone ? { status: 'alone' } : (fault ?? (await unrun(work.user, spent, chain, placeOf(receipt))))
}

/** The transaction reverted or was cancelled: by it nothing happened. Null: it can't be said yet whether by another. */
async function withoutEffect(
  work: StepWork,
  mined: Mined,
  chain: Chain,
  tools: EngineTools,
): Promise<StepOutcome | null> {
  const { transaction, receipt } = mined
  const isCancelled = wasCancelled(mined)
  // First what the contracts remember: to run the call again at a vault that is paused by now shows only that.
  const remembered = await doneSince(receipt, work, chain)
  const again = remembered || isCancelled ? null : await runAgain(work, transaction, chain, tools)
  const failure = again?.outcome === 'reverted' ? tools.codec.decodeRevert(again.data) : null
  // The step goes on, as the same attempt, with an operator that the vault knows.
  const { signer: from, to } = transaction
  if (failure && (await isOperatorsFault(failure, { from, to }, chain, tools))) return { status: 'alone' }
  const done = remembered ?? (failure && doneAccordingTo(failure))
  const adoption = done && (await adoptExecution(work, chain, done, tools))
  // Somebody who saw our transaction may have carried the batch out before it, or one of ours that had been given up
  // may have: what counts then is that execution.
  if (adoption?.outcome === 'waits') {
    // An account with other code may have made up a revert that the contracts' memory does not bear out. They are asked
    // once more, since the step may have been paid between the two.
    const isTrue = adoption.found || (remembered ?? (await doneSince(receipt, work, chain))) !== null
    if (isTrue) return null
  }
  const place = placeOf(receipt)
  if (adoption?.outcome === 'ended') {
    return adoption.result.transactionHash === null ? { ...adoption.result, ...place } : adoption.result
  }
  if (isCancelled) return { status: 'error', error: cancelled, ...place }
  const error = failure ? await explainRevert(failure, work.batch, chain) : unexplained(transaction, receipt, again)
  return { status: 'reverted', error, ...place }
}

/** Whether it is the transaction's cancel that is mined. */
function wasCancelled({ transaction, receipt }: Mined): boolean {
  return transaction.forms.some((form) => form.hash === receipt.hash && form.isCancel)
}

function placeOf({ hash, blockNumber }: Receipt): Place {
  return { transactionHash: hash, blockNumber: Number(blockNumber) }
}

function unreadable(work: StepWork, { to, chainId }: JournalTransaction, tools: Pick<EngineTools, 'tellSeldom'>): null {
  const fields = { ...stepFields(work), chainId, vault: to }
  tools.tellSeldom('error', fields, 'the step was sent through a vault that is not configured')
  return null
}

/** Whether a vault has paid the step's transfers, or there are none. */
function hasPaid(work: StepWork, receipt: Receipt, chain: Chain, tools: Pick<EngineTools, 'codec'>): boolean {
  if (solverTransfers(work.batch).length === 0) return true
  return work.stepKey !== null && tools.codec.fulfilledKeys(receipt, ...vaultsOf(chain.config)).includes(work.stepKey)
}

/**
 * The result where the call succeeded and did not run the batch. The account has no code, since its authorization had
 * no effect, or other code than the delegate's. Other code may even have told the vault that it has run the batch, so
 * that the vault has paid: that is spent, and nothing is paid again.
 */
async function unrun(
  user: Address,
  payouts: Payout[],
  chain: Chain,
  place: Place,
): Promise<Extract<StepResult, { status: 'error' | 'reverted' }>> {
  if (payouts.length === 0) {
    const [account] = await chain.accounts([user], 'latest')
    if (!account!.delegate && !account!.hasForeignCode) return { status: 'error', error: notDelegated, ...place }
  }
  return { status: 'error', error: withoutRun(payouts), ...place, payouts }
}

const notDelegated = {
  code: 'account_not_delegated',
  message:
    'The transaction was mined, but the authorization had no effect, so that the account did not run the batch; nothing was paid.',
  retryable: true,
} as const

const cancelled = {
  code: 'transaction_cancelled',
  message: 'The transaction could not be carried out by the chain and its place was given up; nothing happened.',
  retryable: true,
} as const

/**
 * What the contracts remember of a step, as of its receipt's block at the least: what kept the transaction from having
 * an effect came before it.
 */
function doneSince({ blockNumber }: Receipt, work: StepWork, chain: Chain): ReturnType<typeof doneBefore> {
  return doneBefore(work, chain, { since: blockNumber })
}

/**
 * A receipt does not say why its transaction reverted; to run the same call again usually does. Null: no node runs it,
 * which must not keep the others from their end. That the transaction had no effect is certain.
 */
async function runAgain(
  work: StepWork,
  transaction: JournalTransaction,
  chain: Chain,
  tools: Pick<EngineTools, 'log'>,
) {
  const { signer: from, to, data } = transaction
  try {
    return await chain.rerun({ from, to, data })
  } catch (error) {
    tools.log.warn({ err: error, ...stepFields(work) }, 'why a transaction reverted could not be found out')
    return null
  }
}

function unexplained(transaction: JournalTransaction, receipt: Receipt, again: Rerun | null): StepError {
  const isSpent = receipt.gasUsed >= transaction.gasLimit
  const now = again ? 'the same call would succeed now' : 'no node could tell why'
  return {
    code: isSpent ? 'gas_limit_exceeded' : 'execution_reverted',
    message: isSpent
      ? `The transaction was mined and ran out of gas at ${transaction.gasLimit}; nothing took effect.`
      : `The transaction was mined and reverted; ${now}.`,
    retryable: true,
  }
}
