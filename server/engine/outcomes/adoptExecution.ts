import type { Hash } from 'viem'
import type { Chain, ChainTransaction, FoundLog, Receipt } from '../../chain/chain.js'
import { vaultsOf } from '../../domain/chainConfig.js'
import type { StepError } from '../../domain/errors.js'
import { depthOf } from '../../domain/finality.js'
import { payoutsOf, solverTransfers } from '../../domain/solverNeeds.js'
import type { StepResult } from '../../store/journal/bookResult.js'
import type { StepWork } from '../../store/actions/steps.js'
import { arrivalsOfRun, confirmationsFor } from './arrivals.js'
import { hasRun, notAsDeclared, withoutRun } from './batchRun.js'
import { isFinal } from './isFinal.js'
import { stepFields } from '../logFields.js'
import { accountRemembers, type Done } from './doneBefore.js'
import { batchIdOf } from '../payload.js'
import type { EngineTools } from '../tools.js'

type Adoption =
  /** Nothing says that somebody has carried the step out. */
  | { outcome: 'none' }
  /**
   * Somebody has, and that is not final yet. Not `found`: only the revert that was asked about says so, and no log
   * does.
   */
  | { outcome: 'waits'; found: boolean }
  | { outcome: 'ended'; result: StepResult }

/**
 * When the chain says that the step has been done already, finds the transaction that did it. A batch that someone else
 * executed is as good as one of ours. A payout that our vault remembers but our journal does not (a database that went
 * back in time) counts only if it paid exactly what this step asks for.
 */
export async function adoptExecution(work: StepWork, chain: Chain, done: Done, tools: EngineTools): Promise<Adoption> {
  // Asked before the search, or an execution that is mined in between would be on the chain and not be found.
  const isUnmined = await isOnlyPending(work, chain, done, tools)
  const found = await findTransaction(work, chain, done, tools)
  if (found.outcome === 'none') return { outcome: 'none' }
  // What the vault has paid is never given back as credit: a node that lags may not have the log yet.
  if (found.outcome === 'unfound') {
    // A batch that has run in the pending block comes into a block, or the next simulation goes well. One that has not
    // runs only within the step's own transaction, which undoes it: whoever is paid native currency by the solver may
    // run it then.
    if (isUnmined) return (await isPending(work, chain)) ? { outcome: 'waits', found: false } : { outcome: 'none' }
    if (done !== 'paid') return ended(unknownTransaction)
    const { chainId } = chain.config
    const fields = { ...stepFields(work), chainId, stepKey: work.stepKey }
    tools.tellSeldom('warn', fields, 'no node has the log of what the vault has paid')
    return { outcome: 'waits', found: false }
  }
  const { transaction, receipt, head } = await chain.transaction(found.hash, { asksAll: true })
  if (!transaction || !receipt) return { outcome: 'waits', found: true }
  const confirmations = depthOf(receipt.blockNumber, head.number)
  const needed = Math.max(work.view.requiredConfirmations, confirmationsFor(receipt, [work.user], chain, tools))
  if (!(await isFinal({ receipt, confirmations, needed, transaction }, chain))) return { outcome: 'waits', found: true }
  if (!paidExactly(work, { transaction, receipt }, chain, tools)) {
    return ended(done === 'paid' ? otherPayout : withoutPayout)
  }
  const { hash: transactionHash, blockHash } = receipt
  const place = { transactionHash, blockNumber: Number(receipt.blockNumber), blockHash }
  const payouts = payoutsOf(work.batch)
  // What the vault has paid is no proof that the account has done what it was paid for.
  const untrue = hasRun(work, receipt, tools)
    ? notAsDeclared(work, { receipt, payouts }, chain, tools)
    : withoutRun(payouts)
  if (untrue) return { outcome: 'ended', result: { status: 'error', error: untrue, ...place, confirmations, payouts } }
  const result: StepResult = {
    status: 'success',
    ...place,
    confirmations,
    // None for a payout alone: what the user has paid the vault in the transaction is another step's credit.
    arrivals: work.kind === 'delegated' ? await arrivalsOfRun(receipt, work.user, chain, tools) : [],
    payouts,
  }
  return { outcome: 'ended', result }
}

function ended(error: StepError): Adoption {
  return { outcome: 'ended', result: { status: 'error', error, transactionHash: null, blockNumber: null } }
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

/** Whether the simulation may have seen the batch executed in the pending block only. */
async function isOnlyPending(
  work: StepWork,
  chain: Chain,
  done: Done,
  tools: Pick<EngineTools, 'heads'>,
): Promise<boolean> {
  const { intent } = work
  return done === 'run' && intent.mode === '7702' && !(await remembersBatch({ ...work, intent }, chain, tools))
}

/** By a node that has the newest head at the least, since what the chain says of the step may be as new as that. */
function remembersBatch(
  step: Parameters<typeof accountRemembers>[0],
  chain: Chain,
  tools: Pick<EngineTools, 'heads'>,
): Promise<boolean> {
  return accountRemembers(step, chain, tools.heads.get(chain.config.chainId)?.number)
}

async function isPending({ intent, user, ref }: StepWork, chain: Chain): Promise<boolean> {
  return intent.mode === '7702' && chain.isChainBatchPending(user, batchIdOf(intent, ref.stepIndex))
}

/** The transaction that has carried the step out. */
type Found =
  /** Nothing says that there is one. */
  | { outcome: 'none' }
  /** There is one, and nodes have no log of it, or don't search as far as it may be. */
  | { outcome: 'unfound' }
  | { outcome: 'found'; hash: Hash }

async function findTransaction(
  work: StepWork,
  chain: Chain,
  done: Done,
  tools: Pick<EngineTools, 'heads'>,
): Promise<Found> {
  if (done === 'paid' && work.stepKey) return loggedIn(await chain.findFulfilment(work.stepKey))
  const { intent } = work
  if (intent.mode !== '7702') return { outcome: 'none' }
  const batchId = batchIdOf(intent, work.ref.stepIndex)
  if (done === 'run') return loggedIn(await chain.findExecution(work.user, batchId))
  if (done !== 'perhapsRun') return { outcome: 'none' }
  // The delegate looks at the time before it looks whether the batch has run; most that have run out have not.
  const log = loggedIn(await chain.findExecution(work.user, batchId, { isThere: false }))
  if (log.outcome === 'found') return log
  // The node may be a block behind, keep no old logs, or not tell however often it is asked. The account's memory does,
  // until it gives the batch's place to another.
  const hasRunBefore = await remembersBatch({ ...work, intent }, chain, tools)
  return hasRunBefore ? loggedIn(await chain.findExecution(work.user, batchId)) : { outcome: 'none' }
}

function loggedIn(log: FoundLog): Found {
  return log === null || log === 'unsearched' ? { outcome: 'unfound' } : { outcome: 'found', hash: log }
}

/**
 * Whether the transaction has paid just the solver's transfers of the step, or there are none. What it asks the vault
 * for is paid only if the vault says so: in a bundle each step may fail by itself.
 */
function paidExactly(
  work: StepWork,
  { transaction, receipt }: { transaction: ChainTransaction; receipt: Receipt },
  chain: Chain,
  tools: Pick<EngineTools, 'codec'>,
): boolean {
  const transfers = solverTransfers(work.batch)
  if (transfers.length === 0) return true
  const vault = vaultsOf(chain.config).find((address) => address === transaction.to)
  if (!vault || !work.stepKey) return false
  if (!tools.codec.fulfilledKeys(receipt, vault).includes(work.stepKey)) return false
  const asked = tools.codec.decodeFulfilments(transaction.input, vault)
  const fulfilment = asked.find(({ stepKey }) => stepKey === work.stepKey)
  return (
    fulfilment !== undefined &&
    fulfilment.transfers.length === transfers.length &&
    transfers.every(({ to, token, amount }, index) => {
      const paid = fulfilment.transfers[index]!
      return paid.to === to && paid.token === token && paid.amount === amount
    })
  )
}
