import type { Chain } from '../../chain/chain.js'
import type { JournalTransaction, SignedForm } from '../../store/journal/journalTransactions.js'
import type { EngineTools } from '../tools.js'
import { headOf } from './heads.js'
import { noteAnswer } from './noteAnswer.js'
import { addForm, isToBeCancelled, replace } from './replace.js'

/**
 * Sends a transaction of the journal: its newest signed form, once the nodes have few enough of its lane; or a cancel,
 * where nothing waits for it any more. Never throws for what a node says.
 */
export async function sendStored(transaction: JournalTransaction, chain: Chain, tools: EngineTools): Promise<void> {
  if (!(await tools.sendWindow.hasRoom(transaction))) return
  // Only the nonce has to be used up: no credit is set aside for what the transaction would pay.
  if (isToBeCancelled(transaction)) {
    await replace(transaction, chain, { isCancel: true }, tools)
    return
  }
  const form = formToSend(transaction)
  const answer = await chain.send(form)
  await noteAnswer(transaction, form, answer, chain, tools)
  if (answer.kind === 'unfunded' && !form.isCancel) await sendCheaper(transaction, chain, tools)
  if (answer.kind === 'slotTaken') await replace(transaction, chain, { isCancel: form.isCancel }, tools)
  // A user can keep his authorization out of the pools. The other steps of a bundle, or of the lane, must not wait for
  // him. Where none do, his transaction is waited for like any that is stuck.
  const isInTheWay =
    answer.kind === 'authorityBusy' && (transaction.carries.length > 1 || (await isWaitedFor(transaction, tools)))
  if ((isInTheWay || answer.kind === 'dead') && !form.isCancel) {
    await replace(transaction, chain, { isCancel: true }, tools)
  }
}

/**
 * The form with the highest fees. Of a transaction that nothing waits for, the highest of its cancels, though the
 * payload that they cancel may offer more.
 */
export function formToSend({ isUnwanted, forms }: JournalTransaction): SignedForm {
  return forms.findLast(({ isCancel }) => isCancel || !isUnwanted)!
}

/** Whether something was signed for a later nonce of its lane. */
async function isWaitedFor(
  { chainId, signer, nonce }: JournalTransaction,
  tools: Pick<EngineTools, 'store'>,
): Promise<boolean> {
  const lanes = await tools.store.readLanes(chainId)
  return lanes.some((lane) => lane.signer === signer && lane.nextNonce > nonce + 1)
}

/**
 * Sends the cheapest form that pays the base fee, of a transaction whose signer can't pay for the form that was signed
 * last: a node asks for all that a form may cost, and fees may have risen and fallen since. Where all forms are dear
 * another one is signed.
 */
async function sendCheaper(transaction: JournalTransaction, chain: Chain, tools: EngineTools): Promise<void> {
  const { baseFeePerGas } = await headOf(chain, tools)
  const newest = transaction.forms.at(-1)!
  const paying = transaction.forms.filter(({ maxFeePerGas }) => maxFeePerGas >= baseFeePerGas)
  const cheapest = paying.reduce((least, form) => (form.maxFeePerGas < least.maxFeePerGas ? form : least), newest)
  const fees = tools.codec.initialFees(baseFeePerGas, tools.tips.withTip(chain.config))
  // Not for a little less, which would be refused as well, or soon be too little.
  if (cheapest.maxFeePerGas > 2n * fees.maxFeePerGas) {
    await addForm(transaction, { ...transaction, fees, isCancel: false }, chain, tools)
  } else if (cheapest !== newest) {
    await noteAnswer(transaction, cheapest, await chain.send(cheapest), chain, tools)
  }
}
