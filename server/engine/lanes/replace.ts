import type { Address } from 'viem'
import type { Chain } from '../../chain/chain.js'
import { SignerUnavailable } from '../../domain/errors.js'
import { raisedTo } from '../../domain/feeCap.js'
import type { JournalTransaction, SignedForm } from '../../store/journal/journalTransactions.js'
import { transactionFields } from '../logFields.js'
import type { EngineTools } from '../tools.js'
import { headOf } from '../heads.js'
import { noteAnswer } from './noteAnswer.js'
import { isResting, signForm } from './signForm.js'

/** The gas of a transaction that does nothing, as of a cancel, unless its chain asks for more. */
const leastGas = 21_000n

/**
 * Signs the same payload (or a cancel) at the same nonce with higher fees, stores it, then sends it. `leastTip`, in wei
 * per gas, is what the form offers at the least, as far as the fee cap lets it. False: nothing is signed, as when the
 * cap is reached; the forms that were stored before stay valid, and have to be sent again where nodes dropped them.
 */
export async function replace(
  transaction: JournalTransaction,
  chain: Chain,
  options: { isCancel: boolean; leastTip?: bigint },
  tools: EngineTools,
): Promise<boolean> {
  const head = await headOf(chain, tools)
  const config = tools.tips.withTip(chain.config, options.leastTip)
  // The payload of a transaction that nothing waits for is signed no more.
  const isCancel = options.isCancel || transaction.isUnwanted
  const raised = tools.codec.replacementFees(transaction.forms, head.baseFeePerGas, config, { isCancel })
  // Most nodes have forgotten a transaction that was opened again, and take a cancel that offers less than it did: the
  // cap may have been lowered since.
  const fees = raised ?? (isToBeCancelled(transaction) ? tools.codec.initialFees(head.baseFeePerGas, config) : null)
  if (!fees) {
    // Not louder: it is looked at every few seconds, maybe for hours, and the metric of stuck transactions tells of it.
    tools.log.debug(transactionFields(transaction), 'replacement would exceed the fee cap')
    return false
  }
  const payload = isCancel ? await nothingFrom(transaction.signer, chain) : transaction
  return addForm(transaction, { ...payload, fees, isCancel }, chain, tools)
}

/**
 * Signs what nodes refuse for its cost with fees as of now, stores it, then sends it. False: nothing is signed, as
 * where those fees are hardly lower.
 */
export async function replaceCheaper(
  transaction: JournalTransaction,
  refused: SignedForm,
  chain: Chain,
  tools: EngineTools,
): Promise<boolean> {
  const { baseFeePerGas } = await headOf(chain, tools)
  const { isCancel } = refused
  // A node may hold one that does not pay the base fee any more.
  const notPaying = transaction.forms.filter(({ maxFeePerGas }) => maxFeePerGas < baseFeePerGas)
  const fees = tools.codec.replacementFees(notPaying, baseFeePerGas, tools.tips.withTip(chain.config), { isCancel })
  if (!fees || fees.maxFeePerGas * raisedTo > refused.maxFeePerGas * 1_000n) return false
  const payload = isCancel ? await nothingFrom(transaction.signer, chain) : transaction
  return addForm(transaction, { ...payload, fees, isCancel }, chain, tools)
}

type Form = Pick<JournalTransaction, 'to' | 'data' | 'authorizations' | 'gasLimit'> & {
  fees: Pick<SignedForm, 'maxFeePerGas' | 'maxPriorityFeePerGas'>
  isCancel: boolean
}

/** Signs another form at the same nonce, stores it, then sends it. False: there is no signature to be had now. */
export async function addForm(
  transaction: JournalTransaction,
  { to, data, authorizations, gasLimit, fees, isCancel }: Form,
  chain: Chain,
  tools: EngineTools,
): Promise<boolean> {
  if (isResting(transaction.signer, tools)) return false
  const { nonce, signer, carries: steps } = transaction
  const unsigned = { to, data, authorizations, gasLimit, fees, isCancel, chain, nonce, signer, steps }
  const form = await signForm(unsigned, tools).catch((error: unknown) => {
    // Forms that were sent before stay valid, and the other transactions of the chain must not wait for this one.
    if (error instanceof SignerUnavailable) return null
    throw error
  })
  if (!form) return false
  const stored = await tools.store.recordForm(transaction, form, tools.now())
  if (stored === 'stale') return true
  const replaced = { ...transactionFields(transaction), hash: form.hash, isCancel }
  tools.log.info(replaced, 'transaction replaced')
  await noteAnswer(transaction, form, await chain.send(form), chain, tools)
  return true
}

/** Takes up a nonce that the journal never had, with a transaction that does nothing. */
export async function fillGap(chain: Chain, signer: Address, nonce: number, tools: EngineTools): Promise<void> {
  const { chainId } = chain.config
  const head = await headOf(chain, tools)
  const fees = tools.codec.initialFees(head.baseFeePerGas, tools.tips.withTip(chain.config))
  const payload = await nothingFrom(signer, chain)
  const form = await signForm({ ...payload, chain, nonce, signer, fees, steps: [], isCancel: true }, tools)
  const filler = { chainId, signer, nonce, gasLimit: payload.gasLimit, form }
  const recorded = await tools.store.recordFiller(filler, tools.now())
  if (!recorded) return
  tools.log.warn({ ...transactionFields(recorded), hash: form.hash }, 'a nonce that the journal never had is filled')
  const answer = await chain.send(form)
  // There was no gap: a node had told too low a nonce.
  if (answer.kind === 'consumed') await tools.store.giveUpFiller(recorded.id, tools.now())
  else await noteAnswer(recorded, form, answer, chain, tools)
}

/**
 * Whether a transaction has to be cancelled: nothing waits for it, and it might pay all the same. While no cancel can
 * be signed, it is sent to nobody.
 */
export function isToBeCancelled({ isUnwanted, forms }: JournalTransaction): boolean {
  return isUnwanted && !forms.some(({ isCancel }) => isCancel)
}

/**
 * A transaction that does nothing but use up its nonce. On chains that charge for data in gas (Arbitrum) it needs more
 * than elsewhere, by prices that change: half as much is added. Where no node tells how much it needs, the usual is
 * tried.
 */
async function nothingFrom(signer: Address, chain: Chain) {
  const needed = await chain.gasOfTransfer(signer).catch(() => leastGas)
  const gasLimit = needed > leastGas ? (needed * 3n) / 2n : leastGas
  return { to: signer, data: '0x' as const, authorizations: [], gasLimit }
}
