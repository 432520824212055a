import type { Chain, SendOutcome } from '../../chain/chain.js'
import { isRefusedForCost } from '../../domain/sendKind.js'
import type { JournalTransaction, SignedForm } from '../../store/journal/journalTransactions.js'
import type { EngineTools } from '../tools.js'
import { headOf } from '../heads.js'
import { noteAnswer } from './noteAnswer.js'
import { addForm, isToBeCancelled, replace, replaceCheaper } from './replace.js'

/**
 * Sends a transaction of the journal: its dearest signed form, once the nodes have few enough of its lane; or a cancel,
 * where nothing waits for it any more. Never throws for what a node says.
 */
export async function sendStored(transaction: JournalTransaction, chain: Chain, tools: EngineTools): Promise<void> {
  if (!(await tools.sendWindow.admit(transaction))) return
  // Only the nonce has to be used up: no credit is set aside for what the transaction would pay.
  if (isToBeCancelled(transaction)) {
    await replace(transaction, chain, { isCancel: true }, tools)
    return
  }
  const form = formToSend(transaction)
  const answer = await sendForm(transaction, form, chain, tools)
  if (isRefusedForCost(answer.kind)) {
    await sendBelowNodesCap({ ...transaction, sendOutcome: answer.kind }, form, chain, tools)
  }
  if (answer.kind === 'unfunded' && !form.isCancel) await sendCheaper(transaction, chain, tools)
  if (answer.kind === 'slotTaken') await replace(transaction, chain, { isCancel: form.isCancel }, tools)
  // A user can keep his authorization out of the pools. Where no others wait for him, his transaction is
  // waited for like any that is stuck.
  const isInTheWay = answer.kind === 'authorityBusy' && (await isWaitedFor(transaction, tools))
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

/**
 * Whether others must not wait for it: the other steps of a bundle, or what was signed for a later nonce of its lane.
 */
export async function isWaitedFor(
  { chainId, signer, nonce, carries }: JournalTransaction,
  tools: Pick<EngineTools, 'store'>,
): Promise<boolean> {
  if (carries.length > 1) return true
  const lanes = await tools.store.readLanes(chainId)
  return lanes.some((lane) => lane.signer === signer && lane.nextNonce > nonce + 1)
}

/**
 * Sends the cheapest form that pays the base fee, of a transaction whose signer can't pay for the dearest
 * form: a node asks for all that a form may cost, and fees may have risen and fallen since. Where all forms are dear
 * another one is signed.
 */
async function sendCheaper(transaction: JournalTransaction, chain: Chain, tools: EngineTools): Promise<void> {
  const { baseFeePerGas } = await headOf(chain, tools)
  const dearest = transaction.forms.at(-1)!
  const cheapest = cheapestOf(transaction.forms, baseFeePerGas, dearest)
  const fees = tools.codec.initialFees(baseFeePerGas, tools.tips.withTip(chain.config))
  // Not for a little less, which would be refused as well, or soon be too little.
  if (cheapest.maxFeePerGas > 2n * fees.maxFeePerGas) {
    await addForm(transaction, { ...transaction, fees, isCancel: false }, chain, tools)
  } else if (cheapest !== dearest) {
    await sendForm(transaction, cheapest, chain, tools)
  }
}

/**
 * Sends the cheapest form that pays the base fee, of a transaction that nodes refuse for all that its dearest
 * form may cost. Where they refuse that as well, one is signed with fees as of now. Once there is nothing
 * cheaper to try, a cancel, which takes little gas, gives the nonce up for those who wait for it; not at
 * once where some node may have it.
 */
async function sendBelowNodesCap(
  transaction: JournalTransaction,
  refused: SignedForm,
  chain: Chain,
  tools: EngineTools,
): Promise<void> {
  const { baseFeePerGas } = await headOf(chain, tools)
  const alike = transaction.forms.filter(({ isCancel }) => isCancel === refused.isCancel)
  const cheapest = cheapestOf(alike, baseFeePerGas, refused)
  const again = cheapest === refused ? null : await sendForm(transaction, cheapest, chain, tools)
  const kind = again ? again.kind : transaction.sendOutcome
  if (isRefusedForCost(kind) && !refused.isCancel && transaction.carries.length > 1) {
    tools.bundles.tooDear(chain.config.chainId, transaction.gasLimit * cheapest.maxFeePerGas)
  }
  if (isRefusedForCost(kind) && (await replaceCheaper(transaction, cheapest, chain, tools))) return
  const isInTheWay = (kind === 'overFeeCap' || kind === 'authorityBusy') && (await isWaitedFor(transaction, tools))
  if ((isInTheWay || kind === 'dead') && !refused.isCancel) {
    await replace(transaction, chain, { isCancel: true }, tools)
  }
}

/** The cheapest of the forms that pay the base fee; the dearest where none does. */
function cheapestOf(forms: readonly SignedForm[], baseFeePerGas: bigint, dearest: SignedForm): SignedForm {
  const paying = forms.filter(({ maxFeePerGas }) => maxFeePerGas >= baseFeePerGas)
  return paying.reduce((least, form) => (form.maxFeePerGas < least.maxFeePerGas ? form : least), dearest)
}

async function sendForm(
  transaction: JournalTransaction,
  form: SignedForm,
  chain: Chain,
  tools: EngineTools,
): Promise<SendOutcome> {
  const answer = await chain.send(form)
  await noteAnswer(transaction, form, answer, chain, tools)
  return answer
}
