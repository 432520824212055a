import type { Hash } from 'viem'
import type { Chain } from '../../chain/chain.js'
import type { PaymentCheck } from '../../chain/verifyPayment.js'
import { nameOfStep } from '../../domain/action.js'
import { elapsedMs } from '../../domain/elapsed.js'
import type { StepError } from '../../domain/errors.js'
import { depthOf } from '../../domain/finality.js'
import type { StepWork } from '../../store/actions/steps.js'
import { arrivalsOf, confirmationsFor } from '../outcomes/arrivals.js'
import { isFinal } from '../outcomes/isFinal.js'
import type { EngineTools } from '../tools.js'
import { lookForNamed, type MinedSighting, rarestMs, type Sighting, unmined } from '../outcomes/namedTransaction.js'
import { postponed, type Visit, waits } from '../visit.js'
import { endStep, failStep } from './endStep.js'

/** For how long without a new block a payment is not looked at. */
const blocklessMs = 15_000

/** A step that the user carries out himself, and the transaction that he has registered for it. */
type Payment = { work: StepWork; hash: Hash; chain: Chain }

/**
 * A payment whose transaction is mined, as declared or not, and deep enough for what the step
 * declares.
 */
type JudgedPayment = Extract<PaymentCheck, { outcome: 'verified' | 'failed' }>

/**
 * One visit to a step that the user carries out himself: is the registered transaction there, final and as declared?
 */
export async function verifyStep(work: StepWork, tools: EngineTools): Promise<Visit> {
  const chain = tools.chains.get(work.batch.chainId)
  const hash = work.view.transactionHash
  if (!chain || !hash) throw new Error('A payment needs a configured chain and a hash')

  if (isAsDeepAsShown(work, tools)) return waits(chain.config.pollIntervalMs)

  const payment = { work, hash, chain }
  const { unseenMs, view } = work
  // The user and the steps behind this one wait for it, so that it is looked at often to the end.
  const named = { name: nameOfStep(work.ref), hash, unseenMs, namedAt: view.updatedAt, longestMs: rarestMs }
  const seen = await lookForNamed(named, chain, tools)
  switch (seen.outcome) {
    case 'unknown':
      await noteNotMined(payment, tools)
      return lookAgain(payment, seen.delayMs, seen.unseenMs, tools)
    case 'givenUp': {
      const { chainId } = chain.config
      const message = `No transaction ${hash} has appeared on chain ${chainId} within ${seen.within}.`
      return failStep(work, notFound(message), tools)
    }
    case 'unmined':
      return lookForBlock(payment, seen, tools)
    case 'mined':
      return verifyMined(payment, seen, tools)
  }
}

/**
 * Whether a payment that needs more blocks has none more than is shown of it, so that its node need not be
 * asked. Hundreds may wait for a dozen blocks each, and be looked at with every poll. Where no block comes at
 * all they are looked at anyway.
 */
function isAsDeepAsShown({ view }: StepWork, tools: Pick<EngineTools, 'heads' | 'now'>): boolean {
  const { blockNumber, confirmations, requiredConfirmations: needed } = view
  const head = tools.heads.get(view.chainId)
  if (!head || blockNumber === null || confirmations === 0 || confirmations >= needed) return false
  const isDeeper = depthOf(blockNumber, head.number) > confirmations
  return !isDeeper && elapsedMs(view.updatedAt, tools.now()) < blocklessMs
}

/** Nodes know the transaction, and no block has it: its block is waited for, but not for ever. */
async function lookForBlock(
  payment: Payment,
  { transaction, delayMs, isOverdue, within }: Extract<Sighting, { outcome: 'unmined' }>,
  tools: EngineTools,
): Promise<Visit> {
  const { work, hash, chain } = payment
  const wrong = tools.codec.paymentMismatch(transaction, work.batch, work.user)
  if (wrong !== null) return failStep(work, mismatch(wrong), tools)
  await noteNotMined(payment, tools)
  if (isOverdue && (await hadItsTurnFor(work, unmined.forMs, tools))) {
    const { chainId } = chain.config
    const message = `No block of chain ${chainId} has had the transaction ${hash} within ${within}. Ask again once it is mined.`
    return failStep(work, notFound(message), tools)
  }
  return lookAgain(payment, delayMs, 0, tools)
}

/** A block has the transaction: is it as declared, and deep enough? */
async function verifyMined(
  payment: Payment,
  { transaction, receipt, head }: MinedSighting,
  tools: EngineTools,
): Promise<Visit> {
  const { batch, user, view } = payment.work
  const confirmations = view.requiredConfirmations
  const found = tools.codec.verifyPayment({ transaction, receipt, head, batch, user, confirmations })
  switch (found.outcome) {
    case 'mismatch':
      return failStep(payment.work, mismatch(found.message), tools)
    case 'waiting':
      return showDepth(payment, found, tools)
    case 'failed':
    case 'verified':
      return settlePayment(payment, found, tools)
  }
}

/** Ends the step, once its transaction is as deep as what it has really moved asks for. */
async function settlePayment(payment: Payment, found: JudgedPayment, tools: EngineTools): Promise<Visit> {
  const { work, hash, chain } = payment
  const { transaction, receipt, confirmations } = found
  // More may have arrived of the user than was declared, and larger amounts wait longer.
  const needed = Math.max(work.view.requiredConfirmations, confirmationsFor(receipt, [work.user], chain, tools))
  if (!(await isFinal({ receipt, confirmations, needed, transaction }, chain))) {
    // No deeper than it has to be, or each block would be news of what nodes do not agree on.
    return showDepth(payment, { receipt, confirmations: Math.min(confirmations, needed) }, tools)
  }
  if (found.outcome === 'failed') return failStep(work, mismatch(found.message), tools)
  const place = { transactionHash: hash, blockNumber: Number(receipt.blockNumber), blockHash: receipt.blockHash }
  const arrivals = await arrivalsOf(receipt, work.user, chain, tools)
  return endStep(work, { status: 'success', ...place, confirmations, arrivals, payouts: [] }, tools)
}

/** Shows clients how deep the transaction is, and looks again with the next poll. */
async function showDepth(
  payment: Payment,
  { receipt, confirmations }: Pick<JudgedPayment, 'receipt' | 'confirmations'>,
  tools: Pick<EngineTools, 'store' | 'now' | 'changed'>,
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
async function noteNotMined(payment: Payment, tools: Pick<EngineTools, 'store' | 'now' | 'changed'>): Promise<void> {
  if (payment.work.view.confirmations !== 0) await noteSeen(payment, { blockNumber: null, confirmations: 0 }, tools)
}

async function noteSeen(
  { work, hash }: Payment,
  seen: { blockNumber: number | null; confirmations: number },
  tools: Pick<EngineTools, 'store' | 'now' | 'changed'>,
): Promise<void> {
  const { blockNumber, confirmations } = work.view
  if (seen.blockNumber === blockNumber && seen.confirmations === confirmations) return
  await tools.store.noteConfirmations(work.ref, { hash, ...seen }, tools.now())
  tools.changed(work.ref.actionId)
}

/**
 * Whether the step before this one ended more than `ms` ago, if there is one. While that was under way, nobody looked
 * for this step's transaction.
 */
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
