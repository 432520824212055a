import type { Chain, SendOutcome } from '../../chain/chain.js'
import { isRefusedForCost, type SendKind } from '../../domain/sendKind.js'
import type { JournalTransaction, SignedForm } from '../../store/journal/journalTransactions.js'
import { transactionFields } from '../logFields.js'
import type { EngineTools } from '../tools.js'

const resendMs = 3_000
const backOffMs = 2_000
/** When a transaction that no block mentions is looked at again, by what the nodes said to it. */
const lookAgainMs: Record<SendKind, number> = {
  accepted: resendMs,
  known: resendMs,
  ambiguous: resendMs,
  perhapsBusy: resendMs,
  perhapsOverFeeCap: resendMs,
  slotTaken: backOffMs,
  unfunded: backOffMs,
  overFeeCap: backOffMs,
  notPooled: backOffMs,
  authorityBusy: backOffMs,
  dead: backOffMs,
  // Something with this nonce is mined, which should be one of ours: its receipt is looked for soon.
  consumed: 500,
}

/**
 * Stores what the nodes said to a signed form, and when to look at its transaction again. Logs what is wrong, and notes
 * a signer that can't pay in `gasBalances`, by which signers are chosen.
 */
export async function noteAnswer(
  transaction: JournalTransaction,
  form: SignedForm,
  { kind, text }: SendOutcome,
  chain: Chain,
  tools: EngineTools,
): Promise<void> {
  const now = tools.now()
  const context = { ...transactionFields(transaction), hash: form.hash }
  tools.log.debug({ ...context, outcome: kind, answer: text }, 'transaction sent')
  // The form may be mined already: its block is looked for while the answer is noted.
  tools.look(transaction.chainId, form.hash)
  if (kind === 'notPooled' || kind === 'unfunded' || isRefusedForCost(kind)) {
    tools.log.warn({ ...context, answer: text }, 'node refuses the transaction for now')
  }
  if (kind === 'unfunded') tools.gasBalances.refused(chain, transaction.signer)
  if (kind === 'authorityBusy') {
    tools.log.warn({ ...context, answer: text }, 'pending transactions of a user keep the transaction out')
  }
  if (kind === 'dead') {
    tools.log.error({ ...context, answer: text }, 'transaction can never be mined; giving up its nonce')
  }
  const dearest = transaction.forms.at(-1)!
  // Whatever nodes say to a cheaper form, nothing dearer is to be signed than what they refuse for its cost.
  const { sendOutcome: before } = transaction
  const outcome = isRefusedForCost(before) && form.maxFeePerGas < dearest.maxFeePerGas ? before : kind
  // Where a cheaper form was sent, the wait of the dearest says nothing and begins anew.
  const noted = { outcome, dueAt: now + lookAgainMs[kind], waitsAnew: form !== dearest } as const
  await tools.store.noteSend(transaction.id, noted, now)
}
