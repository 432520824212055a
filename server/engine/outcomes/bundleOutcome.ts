import type { Chain, Receipt } from '../../chain/chain.js'
import { isVault } from '../../domain/chainConfig.js'
import type { JournalTransaction } from '../../store/journal/journalTransactions.js'
import type { StepOutcome } from '../../store/journal/bookResult.js'
import type { StepWork } from '../../store/actions/steps.js'
import { doneAccordingTo } from './doneBefore.js'
import { explainRevert } from './explainRevert.js'
import { stepFields } from '../logFields.js'
import type { EngineTools } from '../tools.js'

type Codec = EngineTools['codec']
type BundledCall = NonNullable<ReturnType<Codec['decodeBundle']>>[number]
type BundleFault = ReturnType<Codec['bundleFaults']> extends Map<number, infer Fault> ? Fault : never

/** What the vault says went wrong in a bundle, and what it was to do there. */
type BundleReading = { failed: { call: BundledCall; fault: BundleFault }[] }

/** A transaction of the journal that is in a block. `bundle`: null where the transaction is none. */
export type MinedTransaction = { transaction: JournalTransaction; receipt: Receipt; bundle: BundleReading | null }

/** Reads what the vault says of a bundle, once for all its steps. Null: the transaction is no bundle. */
export function readBundle(
  transaction: JournalTransaction,
  receipt: Receipt,
  chain: Chain,
  tools: Pick<EngineTools, 'codec'>,
): BundleReading | null {
  const { to: vault } = transaction
  if (!isVault(vault, chain.config) || !tools.codec.isBundle(transaction.data)) return null
  const faults = tools.codec.bundleFaults(receipt, vault)
  // Decoded only where there are faults, since that takes longer than all else that is read.
  const calls = faults.size > 0 ? tools.codec.decodeBundle(transaction.data, vault) : null
  const failed = [...faults].flatMap(([index, fault]) => {
    const call = calls?.[index]
    return call ? { call, fault } : []
  })
  return { failed }
}

/**
 * What it means for a step that the vault says that it had no effect in a bundle. Null: the vault says nothing of the
 * step, or there is no bundle. The step has failed for good only if it fails by itself too: a failure that it may owe
 * to its company, such as that of a token that lets nobody in twice in one transaction, is not held against it.
 */
export async function faultOf(
  work: StepWork,
  { transaction, receipt, bundle }: MinedTransaction,
  chain: Chain,
  tools: Pick<EngineTools, 'codec' | 'log'>,
): Promise<StepOutcome | null> {
  const failed = bundle?.failed.find(({ call: { to, data } }) =>
    to === transaction.to
      ? tools.codec.decodeFulfill(data)?.stepKey === work.stepKey
      : // A step that the vault pays nothing for is a call of the user's account.
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
    // Somebody else may have carried the step out, which a visit of its own finds out.
    if (doneAccordingTo(failure) || doneAccordingTo(now)) return { status: 'alone' }
    // The reason in the log may be cut so that it can't be read; the one of now is whole.
    const error = await explainRevert(failure.name === null ? now : failure, work.batch, chain)
    return { status: 'reverted', error, transactionHash: receipt.hash, blockNumber: Number(receipt.blockNumber) }
  } catch (error) {
    // A step that no node wants to run must not keep the others from their end. That it had no effect in the bundle is
    // certain.
    tools.log.warn({ err: error, ...stepFields(work) }, 'why a step failed in a bundle could not be found out')
    return { status: 'alone' }
  }
}
