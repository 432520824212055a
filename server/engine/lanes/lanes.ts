import type { Address, Hex } from 'viem'
import type { Chain, SendOutcome } from '../../chain/chain.js'
import { actionsOf, type ChainAuthorization, type StepAttempt } from '../../domain/action.js'
import type { Airdrop } from '../../domain/airdrop.js'
import { SignerUnavailable } from '../../domain/errors.js'
import { unfunded } from '../../domain/unfunded.js'
import type { RecordOutcome } from '../../store/journal/journal.js'
import type { CarriedStep, JournalTransaction, SignedForm } from '../../store/journal/journalTransactions.js'
import { transactionFields } from '../logFields.js'
import { isRefused } from './operators.js'
import { isResting, signForm } from './signForm.js'
import type { EngineTools } from '../tools.js'
import { moved, type Visit, waits } from '../visit.js'

/**
 * A lane is one operator key on one chain. Its transactions go through these states, all of them in the journal:
 * recorded (bytes stored) → sent (a node has them, or may have; so many of a lane at once) → mined → final. Whatever fails
 * between recorded and mined, the nonce is kept and the stored bytes are sent again; only a replacement at the same nonce
 * ever changes them.
 */

const resendMs = 3_000
const backOffMs = 2_000
/** When a transaction that no block mentions is looked at again, by what the nodes said to it. */
const lookAgainMs: Record<SendOutcome['kind'], number> = {
  accepted: resendMs,
  known: resendMs,
  ambiguous: resendMs,
  perhapsBusy: resendMs,
  slotTaken: backOffMs,
  notPooled: backOffMs,
  authorityBusy: backOffMs,
  dead: backOffMs,
  // Something with this nonce is mined, which should be one of ours: its receipt is looked for soon.
  consumed: 500,
}
const noLaneMs = 1_000
/** What a transaction needs that does nothing, as a cancel, unless its chain asks more. */
const leastGas = 21_000n

export type Outgoing = {
  chain: Chain
  to: Address
  data: Hex
  authorizations: ChainAuthorization[]
  gasLimit: bigint
  /** Each as it was when its credit was set aside and its payload prepared. */
  steps: (CarriedStep & StepAttempt)[]
  airdrop?: Airdrop
}

export type Recorded = Extract<RecordOutcome, { outcome: 'recorded' | 'stale' }> | { outcome: 'noLane' }

/** What a visit waits when no lane took its transaction. */
export const noLane: Visit = waits(noLaneMs)

/** Stores a signed transaction on the least busy lane, then sends it. */
export async function recordAndSend(outgoing: Outgoing, tools: EngineTools): Promise<Visit> {
  const recorded = await record(outgoing, tools)
  if (recorded.outcome === 'noLane') return noLane
  if (recorded.outcome === 'recorded') await sendStored(recorded.transaction, outgoing.chain, tools)
  return moved
}

/** Stores a signed transaction on the least busy lane. Of steps that are stale it tells which; nothing is stored then. */
export async function record(outgoing: Outgoing, tools: EngineTools): Promise<Recorded> {
  const { chain } = outgoing
  const lanes = await usableLanes(chain, tools)
  const isAllowed = ({ signer }: { signer: Address }) =>
    outgoing.to !== chain.config.vault || !isRefused(chain, signer, tools)
  const allowed = lanes.filter(isAllowed)
  const funded =
    allowed.length > 1 ? await tools.purses.thatCanPay(chain, allowed, await costOf(outgoing, tools)) : allowed
  const signer = leastBusy(funded, chain, tools)
  if (!signer) return { outcome: 'noLane' }
  // One at a time, or all but one of them would sign for a nonce that is gone.
  const turn = await tools.turns.take(turnOf(chain, signer), () => recordOn(signer, outgoing, tools))
  const recorded = turn.done ? turn.result : null
  if (recorded?.outcome === 'stale') return recorded
  if (recorded?.outcome !== 'recorded') return { outcome: 'noLane' }
  if (outgoing.steps.length > 0) tools.observeTransaction(chain.config.chainId, outgoing.steps.length)
  for (const actionId of actionsOf(outgoing.steps)) tools.changed(actionId, recorded.steps)
  return recorded
}

/** In wei, what has to be on the signer's account for nodes to take it. */
async function costOf({ chain, gasLimit }: Outgoing, tools: EngineTools): Promise<bigint> {
  const head = await headOf(chain, tools)
  return gasLimit * tools.codec.initialFees(head.baseFeePerGas, tools.tips.on(chain.config)).maxFeePerGas
}

/** Null: there is no signature to be had now. Nothing has been stored then, and the next visit begins again. */
async function recordOn(signer: Address, outgoing: Outgoing, tools: EngineTools): Promise<RecordOutcome | null> {
  const { chain } = outgoing
  if (isResting(signer, tools)) return null
  const head = await headOf(chain, tools)
  const fees = tools.codec.initialFees(head.baseFeePerGas, tools.tips.on(chain.config))
  try {
    return await tools.store.recordTransaction(
      {
        chainId: chain.config.chainId,
        signer,
        to: outgoing.to,
        data: outgoing.data,
        authorizations: outgoing.authorizations,
        gasLimit: outgoing.gasLimit,
        steps: outgoing.steps,
        airdrop: outgoing.airdrop ?? null,
        sign: (nonce) => signForm({ ...outgoing, nonce, signer, fees, isCancel: false }, tools),
      },
      tools.now(),
    )
  } catch (error) {
    if (error instanceof SignerUnavailable) return null
    throw error
  }
}

/**
 * Sends what the journal holds of a transaction: its newest signed form, once the nodes have few enough of its lane; of
 * one that nothing waits for any more a cancel. Never throws for what a node says.
 */
export async function sendStored(transaction: JournalTransaction, chain: Chain, tools: EngineTools): Promise<void> {
  if (!(await tools.sendWindow.hasRoom(transaction))) return
  // Its nonce has to be used up, and is for nothing: what it would pay has no credit set aside.
  if (isToBeCancelled(transaction)) {
    await replace(transaction, chain, { isCancel: true }, tools)
    return
  }
  const form = formToSend(transaction)
  const answer = await chain.send(form)
  await noteAnswer(transaction, form, answer, chain, tools)
  if (isUnfunded(answer, tools) && !form.isCancel) await sendCheaper(transaction, chain, tools)
  if (answer.kind === 'slotTaken') await replace(transaction, chain, { isCancel: form.isCancel }, tools)
  // A user can keep his authorization out of the pools. The others of a bundle, or of the lane, must not wait for him; alone
  // he is waited for like anything that is stuck.
  const isInTheWay =
    answer.kind === 'authorityBusy' && (transaction.carries.length > 1 || (await isWaitedFor(transaction, tools)))
  if ((isInTheWay || answer.kind === 'dead') && !form.isCancel) {
    await replace(transaction, chain, { isCancel: true }, tools)
  }
}

/** Whether something was signed for a later nonce of its lane. */
async function isWaitedFor({ chainId, signer, nonce }: JournalTransaction, tools: EngineTools): Promise<boolean> {
  const lanes = await tools.store.readLanes(chainId)
  return lanes.some((lane) => lane.signer === signer && lane.nextNonce > nonce + 1)
}

/** Nothing waits for it, and it might pay all the same: while no cancel can be signed, it is sent to nobody. */
export function isToBeCancelled({ isUnwanted, forms }: JournalTransaction): boolean {
  return isUnwanted && !forms.some(({ isCancel }) => isCancel)
}

/** The form with the highest fees; of what nothing waits for, among the cancels, though what they cancel may offer more. */
export function formToSend({ isUnwanted, forms }: JournalTransaction): SignedForm {
  return forms.findLast(({ isCancel }) => isCancel || !isUnwanted)!
}

/** Stores what the nodes said to a signed form, and when to look again; whoever can do something about it hears of it. */
async function noteAnswer(
  transaction: JournalTransaction,
  form: SignedForm,
  { kind, text }: SendOutcome,
  chain: Chain,
  tools: EngineTools,
): Promise<void> {
  const now = tools.now()
  const context = { ...transactionFields(transaction), hash: form.hash }
  tools.log.debug({ ...context, outcome: kind, answer: text }, 'transaction sent')
  // It may be mined already, and is looked for while the answer is noted.
  tools.look(transaction.chainId, form.hash)
  if (kind === 'notPooled') {
    tools.log.warn({ ...context, answer: text }, 'node refuses the transaction for now')
    if (isUnfunded({ kind, text }, tools)) tools.purses.refused(chain, transaction.signer)
  }
  if (kind === 'authorityBusy') {
    tools.log.warn({ ...context, answer: text }, 'pending transactions of a user keep the transaction out')
  }
  if (kind === 'dead') {
    tools.log.error({ ...context, answer: text }, 'transaction can never be mined; giving up its nonce')
  }
  const outcome = isUnfunded({ kind, text }, tools) ? unfunded : kind
  // How long the newest form waits for a block says nothing where an older one was sent.
  const waitsAnew = form !== transaction.forms.at(-1)
  await tools.store.noteSend(transaction.id, { outcome, dueAt: now + lookAgainMs[kind], waitsAnew }, now)
}

function isUnfunded({ kind, text }: SendOutcome, tools: EngineTools): boolean {
  return kind === 'notPooled' && tools.codec.saysUnfunded(text)
}

/**
 * Sends the cheapest form that pays the base fee, of one that its signer can't pay for as it was signed last: a node asks
 * for all that a form may cost, and fees may have risen and fallen since. Where all forms are dear another one is signed.
 */
async function sendCheaper(transaction: JournalTransaction, chain: Chain, tools: EngineTools): Promise<void> {
  const { baseFeePerGas } = await headOf(chain, tools)
  const newest = transaction.forms.at(-1)!
  const paying = transaction.forms.filter(({ maxFeePerGas }) => maxFeePerGas >= baseFeePerGas)
  const cheapest = paying.reduce((least, form) => (form.maxFeePerGas < least.maxFeePerGas ? form : least), newest)
  const fees = tools.codec.initialFees(baseFeePerGas, tools.tips.on(chain.config))
  // A little less would be refused as well, or soon be too little.
  if (cheapest.maxFeePerGas > 2n * fees.maxFeePerGas) {
    await addForm(transaction, { ...transaction, fees, isCancel: false }, chain, tools)
  } else if (cheapest !== newest) {
    await noteAnswer(transaction, cheapest, await chain.send(cheapest), chain, tools)
  }
}

/**
 * Signs the same payload (or a cancel) at the same nonce with higher fees, stores it, then sends it. `leastTip`, in wei per
 * gas, is offered at the least as far as the fee cap lets it. False: nothing is signed, as at that cap; what was stored before
 * stays valid, and has to be sent again where nodes dropped it.
 */
export async function replace(
  transaction: JournalTransaction,
  chain: Chain,
  options: { isCancel: boolean; leastTip?: bigint },
  tools: EngineTools,
): Promise<boolean> {
  const head = await headOf(chain, tools)
  const config = tools.tips.on(chain.config, options.leastTip)
  // What nothing waits for is signed no more as it was.
  const isCancel = options.isCancel || transaction.isUnwanted
  const raised = tools.codec.replacementFees(transaction.forms, head.baseFeePerGas, config, { isCancel })
  // Most nodes have forgotten what was opened again, and take a cancel that offers less: the cap may have been lowered since.
  const fees = raised ?? (isToBeCancelled(transaction) ? tools.codec.initialFees(head.baseFeePerGas, config) : null)
  if (!fees) {
    // It is looked at every few seconds, maybe for hours; the metric of what is stuck tells of it.
    tools.log.debug(transactionFields(transaction), 'replacement would exceed the fee cap')
    return false
  }
  const payload = isCancel ? await nothingFrom(transaction.signer, chain) : transaction
  return addForm(transaction, { ...payload, fees, isCancel }, chain, tools)
}

type Form = Pick<Outgoing, 'to' | 'data' | 'authorizations' | 'gasLimit'> & {
  fees: Pick<SignedForm, 'maxFeePerGas' | 'maxPriorityFeePerGas'>
  isCancel: boolean
}

/** Signs another form at the same nonce, stores it, then sends it. False: there is no signature to be had now. */
async function addForm(
  transaction: JournalTransaction,
  { to, data, authorizations, gasLimit, fees, isCancel }: Form,
  chain: Chain,
  tools: EngineTools,
): Promise<boolean> {
  if (isResting(transaction.signer, tools)) return false
  const { nonce, signer, carries: steps } = transaction
  const unsigned = { to, data, authorizations, gasLimit, fees, isCancel, chain, nonce, signer, steps }
  const form = await signForm(unsigned, tools).catch((error: unknown) => {
    // What was sent before stays valid, and the other transactions of the chain must not wait for this one.
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
  const fees = tools.codec.initialFees(head.baseFeePerGas, tools.tips.on(chain.config))
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
 * A transaction that does nothing but use up its nonce. On chains that charge for data in gas (Arbitrum) it needs more than
 * elsewhere, by prices that change: half as much is added. Where no node tells how much, it is tried with the usual.
 */
async function nothingFrom(signer: Address, chain: Chain) {
  const needed = await chain.gasOfTransfer(signer).catch(() => leastGas)
  const gasLimit = needed > leastGas ? (needed * 3n) / 2n : leastGas
  return { to: signer, data: '0x' as const, authorizations: [], gasLimit }
}

/** The newest head that is known, asked for only when none is. */
export async function headOf(chain: Chain, tools: EngineTools) {
  const known = tools.heads.get(chain.config.chainId)
  if (known) return known
  const head = await chain.head()
  tools.heads.set(chain.config.chainId, head)
  return head
}

/** Those that take work, with how many open transactions they have. */
async function usableLanes(chain: Chain, tools: EngineTools): Promise<{ signer: Address; open: number }[]> {
  const { chainId } = chain.config
  if (!(await tools.lanesChecked.within(chainId, noLaneMs))) return []
  // Whether it takes work shows when its nonce is read.
  if (tools.signers.size === 1) return [...tools.signers.keys()].map((signer) => ({ signer, open: 0 }))
  const [lanes, open] = await Promise.all([tools.store.readLanes(chainId), tools.store.countOpenTransactions(chainId)])
  return lanes
    .filter(({ status, signer }) => status === 'active' && tools.signers.has(signer) && !isResting(signer, tools))
    .map(({ signer }) => ({ signer, open: open.get(signer) ?? 0 }))
}

/** Counts what is being recorded with what is open, or all who come at one moment would choose the same. */
function leastBusy(
  lanes: readonly { signer: Address; open: number }[],
  chain: Chain,
  tools: EngineTools,
): Address | undefined {
  const loads = lanes.map(({ signer, open }) => ({ signer, load: open + tools.turns.queued(turnOf(chain, signer)) }))
  return loads.sort((a, b) => a.load - b.load)[0]?.signer
}

function turnOf(chain: Chain, signer: Address): string {
  return `${chain.config.chainId} ${signer}`
}
