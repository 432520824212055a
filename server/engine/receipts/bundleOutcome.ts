import type { Chain, Receipt } from '../../chain/chain.js'
import type { ChainBatch } from '../../domain/action.js'
import { isVault } from '../../domain/chainConfig.js'
import type { JournalTransaction } from '../../store/journal/journalTransactions.js'
import type { StepOutcome } from '../../store/journal/bookResult.js'
import type { StepWork } from '../../store/actions/steps.js'
import { explainRevert } from '../steps/explainRevert.js'
import { stepFields } from '../logFields.js'
import type { EngineTools } from '../tools.js'

type Codec = EngineTools['codec']
type BundledCall = NonNullable<ReturnType<Codec['decodeBundle']>>[number]
type BundleFault = ReturnType<Codec['bundleFaults']> extends Map<number, infer Fault> ? Fault : never

/** What the vault says went wrong in a bundle, and what it was to do there. */
type BundleReading = { failed: { call: BundledCall; fault: BundleFault }[] }

/** A transaction of the journal that is in a block. `bundle` null: it is none. */
export type MinedTransaction = { transaction: JournalTransaction; receipt: Receipt; bundle: BundleReading | null }

/** Somebody else may have done it; a visit of the step's own finds out. */
const doneByOthers: readonly (string | null)[] = ['AlreadyFulfilled', 'DuplicateChainBatch', 'IntentExpired']

/** Null: the transaction is no bundle. Read once for all its steps. */
export function readBundle(
  transaction: JournalTransaction,
  receipt: Receipt,
  chain: Chain,
  tools: Pick<EngineTools, 'codec'>,
): BundleReading | null {
  const { to: vault } = transaction
  if (!isVault(vault, chain.config) || !tools.codec.isBundle(transaction.data)) return null
  const faults = tools.codec.bundleFaults(receipt, vault)
  // Only for these, since it takes longer than all that is read otherwise.
  const calls = faults.size > 0 ? tools.codec.decodeBundle(transaction.data, vault) : null
  const failed = [...faults].flatMap(([index, fault]) => {
    const call = calls?.[index]
    return call ? { call, fault } : []
  })
  return { failed }
}

/**
 * What the vault's word about a step means that had no effect. Null: it says nothing of it, or there is no bundle. It has
 * failed for good only if it fails by itself too: what a step may owe to its company, such as a token that lets nobody in
 * twice in one transaction, is not held against it.
 */
export async function faultOf(
  work: StepWork,
  batch: ChainBatch,
  { transaction, receipt, bundle }: MinedTransaction,
  chain: Chain,
  tools: Pick<EngineTools, 'codec' | 'log'>,
): Promise<StepOutcome | null> {
  const failed = bundle?.failed.find(({ call: { to, data } }) =>
    to === transaction.to
      ? tools.codec.decodeFulfill(data)?.stepKey === work.stepKey
      : // What the vault pays his own calls have no part in.
        work.stepKey === null && to === work.user,
  )
  if (!failed) return null
  const { call, fault } = failed
  if (fault.kind === 'skipped') return { status: 'alone' }
  const failure = tools.codec.decodeRevert(fault.reason)
  const { to, data } = call
  try {
    const byItself = await chain.rerun({ from: transaction.signer, to, data })
    if (byItself.outcome === 'success') return { status: 'alone' }
    const now = tools.codec.decodeRevert(byItself.data)
    if (doneByOthers.includes(failure.name) || doneByOthers.includes(now.name)) return { status: 'alone' }
    // A reason that was cut can't be read; the one of now is whole.
    const error = await explainRevert(failure.name === null ? now : failure, batch, chain)
    return { status: 'reverted', error, transactionHash: receipt.hash, blockNumber: Number(receipt.blockNumber) }
  } catch (error) {
    // What no node wants to run must not keep the others from their end. That it had no effect here is certain.
    tools.log.warn({ err: error, ...stepFields(work) }, 'why a step failed in a bundle could not be found out')
    return { status: 'alone' }
  }
}
