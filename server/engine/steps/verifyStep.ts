import type { Hash } from 'viem'
import type { Chain } from '../../chain/chain.js'
import type { PaymentCheck } from '../../chain/verifyPayment.js'
import { nameOfStep } from '../../domain/action.js'
import { elapsedMs } from '../../domain/elapsed.js'
import type { StepError } from '../../domain/errors.js'
import { depthOf, requiredConfirmations } from '../../domain/finality.js'
import type { StepWork } from '../../store/actions/steps.js'
import { arrivalsOf } from '../receipts/arrivals.js'
import { isFinal } from '../receipts/finality.js'
import type { EngineTools } from '../tools.js'
import { isLastLook, laterLookMs, pendingMs, unmined } from '../receipts/reportedTransaction.js'
import { endStep, failStep, postponed, type Visit, waits } from '../visit.js'

/** For how long without a new block a payment is not looked at. */
const blocklessMs = 15_000

/** A step that the user carries out himself, and the transaction that he has registered for it. */
type Payment = { work: StepWork; hash: Hash; chain: Chain }

/**
 * A payment whose transaction is mined, as declared or not, and deep enough for what the step
 * declares.
 */
type JudgedPayment = Extract<PaymentCheck, { outcome: 'verified' | 'failed' }>

/** One visit to a step that the user carries out himself: is the registered transaction there, final and as declared? */
export async function verifyStep(work: StepWork, tools: EngineTools): Promise<Visit> {
  const chain = tools.chains.get(work.batch.chainId)
  const hash = work.view.transactionHash
  if (!chain || !hash) throw new Error('A payment needs a configured chain and a hash')

  if (isAsDeepAsShown(work, tools)) return waits(chain.config.pollIntervalMs)

  const payment = { work, hash, chain }
  // What nodes have not known is mostly not known yet, which one call shows.
  const asksAll = isLastLook(work.unseenMs)
  if (work.unseenMs > 0 && !asksAll && !(await chain.knows(hash))) return lookForUnknown(payment, tools)
  const { transaction, receipt, head } = await chain.transaction(hash, { asksAll })
  const found = tools.codec.verifyPayment({
    transaction,
    receipt,
    head,
    batch: work.batch,
    user: work.user,
    confirmations: work.view.requiredConfirmations,
  })
  if (found.outcome !== 'unknown') tools.unseen.seen(nameOfStep(work.ref))
  switch (found.outcome) {
    case 'unknown':
      return lookForUnknown(payment, tools)
    case 'pending':
      return lookForBlock(payment, tools)
    case 'mismatch':
      return failStep(work, mismatch(found.message), tools)
    case 'waiting':
      return showDepth(payment, found, tools)
    case 'failed':
    case 'verified':
      return settlePayment(payment, found, tools)
  }
}

/**
 * Whether a payment that needs more blocks has none more than is shown of it, so that its node need not be asked. Hundreds
 * may wait for a dozen blocks each, and be looked at with every poll. Where no block comes at all they are looked at anyway.
 */
function isAsDeepAsShown({ view }: StepWork, tools: Pick<EngineTools, 'heads' | 'now'>): boolean {
  const { blockNumber, confirmations, requiredConfirmations: needed } = view
  const head = tools.heads.get(view.chainId)
  if (!head || blockNumber === null || confirmations === 0 || confirmations >= needed) return false
  const isDeeper = depthOf(blockNumber, head.number) > confirmations
  return !isDeeper && elapsedMs(view.updatedAt, tools.now()) < blocklessMs
}

/** No node knows the transaction: it is asked for again, until that has been in vain for too long. */
async function lookForUnknown(payment: Payment, tools: EngineTools): Promise<Visit> {
  const { work, hash, chain } = payment
  const { chainId, pollIntervalMs } = chain.config
  const delayMs = tools.unseen.nextLookMs(nameOfStep(work.ref), work.unseenMs, pollIntervalMs)
  if (delayMs === null) {
    return failStep(work, notFound(`No transaction ${hash} has appeared on chain ${chainId} within 10 minutes.`), tools)
  }
  await noteNotMined(payment, tools)
  return lookAgain(payment, delayMs, work.unseenMs + delayMs, tools)
}

/** Nodes know the transaction, and no block has it: its block is waited for, but not for ever. */
async function lookForBlock(payment: Payment, tools: EngineTools): Promise<Visit> {
  const { work, hash, chain } = payment
  const { chainId, pollIntervalMs } = chain.config
  await noteNotMined(payment, tools)
  const sinceMs = elapsedMs(work.view.updatedAt, tools.now())
  if (sinceMs > unmined.forMs && (await hadItsTurnFor(work, unmined.forMs, tools))) {
    const message = `No block of chain ${chainId} has had the transaction ${hash} within a day. Ask again once it is mined.`
    return failStep(work, notFound(message), tools)
  }
  return lookAgain(payment, laterLookMs(sinceMs, Math.max(pollIntervalMs, pendingMs)), 0, tools)
}

/** Ends the step, once its transaction is as deep as what it has really moved asks for. */
async function settlePayment(payment: Payment, found: JudgedPayment, tools: EngineTools): Promise<Visit> {
  const { work, hash, chain } = payment
  const { transaction, receipt, confirmations } = found
  // More may have arrived than was declared, and larger amounts wait longer.
  const arrived = requiredConfirmations(chain.config, tools.codec.vaultArrivals(receipt, chain.config))
  const needed = Math.max(work.view.requiredConfirmations, arrived)
  if (!(await isFinal({ receipt, confirmations, needed, transaction }, chain))) return showDepth(payment, found, tools)
  if (found.outcome === 'failed') return failStep(work, mismatch(found.message), tools)
  const place = { transactionHash: hash, blockNumber: Number(receipt.blockNumber), blockHash: receipt.blockHash }
  const arrivals = await arrivalsOf(receipt, work.user, chain, tools)
  return endStep(work, { status: 'success', ...place, confirmations, arrivals, payouts: [] }, tools)
}

/** Shows clients how deep the transaction is, and looks again with the next poll. */
async function showDepth(
  payment: Payment,
  { receipt, confirmations }: Pick<JudgedPayment, 'receipt' | 'confirmations'>,
  tools: EngineTools,
): Promise<Visit> {
  await noteSeen(payment, { blockNumber: Number(receipt.blockNumber), confirmations }, tools)
  return lookAgain(payment, payment.chain.config.pollIntervalMs, 0, tools)
}

/** Looks again after a while. A transaction that a node has told has not stayed unknown: `unseenMs` is 0 then. */
async function lookAgain(
  { work, hash }: Payment,
  delayMs: number,
  unseenMs: number,
  tools: Pick<EngineTools, 'store'>,
): Promise<Visit> {
  if (unseenMs === work.unseenMs) return waits(delayMs)
  await tools.store.postponeStep(work.ref, delayMs, { hash, forMs: unseenMs })
  return postponed
}

/** A reorganisation may have taken away the block in which the transaction was seen. */
async function noteNotMined(payment: Payment, tools: EngineTools): Promise<void> {
  if (payment.work.view.confirmations !== 0) await noteSeen(payment, { blockNumber: null, confirmations: 0 }, tools)
}

async function noteSeen(
  { work, hash }: Payment,
  seen: { blockNumber: number | null; confirmations: number },
  tools: EngineTools,
): Promise<void> {
  const { blockNumber, confirmations } = work.view
  if (seen.blockNumber === blockNumber && seen.confirmations === confirmations) return
  await tools.store.noteConfirmations(work.ref, { hash, ...seen }, tools.now())
  tools.changed(work.ref.actionId)
}

/** A step that was asked for while the one before it was under way: nobody looked for its transaction until that had ended. */
async function hadItsTurnFor(work: StepWork, ms: number, tools: Pick<EngineTools, 'store' | 'now'>): Promise<boolean> {
  const before = await tools.store.readPreviousStep(work.ref)
  return before === null || elapsedMs(before.updatedAt, tools.now()) > ms
}

function mismatch(message: string): StepError {
  return { code: 'transaction_mismatch', message, retryable: true }
}

function notFound(message: string): StepError {
  return { code: 'transaction_not_found', message, retryable: true }
}
