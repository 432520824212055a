import type { Hash } from 'viem'
import type { Chain, Receipt } from '../../chain/chain.js'
import { actionsOf, type StepRef } from '../../domain/action.js'
import { depthOf } from '../../domain/finality.js'
import { type SolverNeed, solverNeeds } from '../../domain/solverNeeds.js'
import type { StepView } from '../../domain/views.js'
import { airdropTopic } from '../../domain/topics.js'
import type { JournalTransaction } from '../../store/journal/journalTransactions.js'
import type { StepOutcome } from '../../store/journal/bookResult.js'
import type { StepWork } from '../../store/actions/steps.js'
import { airdropOf, airdropResultOf } from '../outcomes/airdropOutcome.js'
import { confirmationsFor } from '../outcomes/arrivals.js'
import { type MinedTransaction, readBundle } from '../outcomes/bundleOutcome.js'
import { stepFields, transactionFields } from '../logFields.js'
import { resultOf } from '../outcomes/stepOutcome.js'
import type { EngineTools } from '../tools.js'
import { noteMined, tellOf } from './noteMined.js'

type Seen = {
  /** The chain's newest block. */
  head: bigint
  /**
   * The receipt's block was read itself just now, and is linked to this head by the hashes of the blocks between them.
   */
  isRead: boolean
}

/**
 * Notes a transaction of the journal that was seen mined, and settles it once it is final. Never throws: one that can't
 * be settled now must not keep the others waiting; it is met again.
 */
export async function meetReceipt(
  transaction: JournalTransaction,
  receipt: Receipt,
  seen: Seen,
  chain: Chain,
  tools: EngineTools,
): Promise<void> {
  try {
    await settleOrNote(transaction, receipt, seen, chain, tools)
  } catch (error) {
    const named = { ...transactionFields(transaction), hash: receipt.hash }
    // A database or a node that is away comes back.
    const level = tools.isOutage(error) ? 'warn' : 'error'
    tools.tellSeldom(level, { err: error, ...named }, 'transaction could not be settled')
  }
}

async function settleOrNote(
  transaction: JournalTransaction,
  receipt: Receipt,
  { head, isRead }: Seen,
  chain: Chain,
  tools: EngineTools,
): Promise<void> {
  await tools.tips.mined(transaction, receipt.hash, chain)
  const confirmations = depthOf(receipt.blockNumber, head)
  const mined = { hash: receipt.hash, blockNumber: Number(receipt.blockNumber), blockHash: receipt.blockHash }
  if (confirmations < chain.config.confirmations) {
    await tools.store.noteMined(transaction.id, { ...mined, confirmations }, tools.now())
    // Also where it is no news to the database: another replica may have noted it first, and told only its own clients.
    return tellOf(transaction, tools)
  }
  const works = await tools.store.readStepsOf(transaction)
  const users = works.map(({ user }) => user)
  const needed = Math.max(
    confirmationsFor(receipt, users, chain, tools),
    ...works.map((work) => work.view.requiredConfirmations),
  )
  // What can't be settled yet is shown no deeper than it has to be, or each block would be news of it.
  const shown = { ...mined, confirmations: Math.min(confirmations, needed) }
  const note = () => noteMined(transaction, shown, tools)
  // Where one node is believed, the block that was read under the head need not be asked for again.
  const isCertain = async () => (chain.config.agreement === 1 && isRead) || chain.isCertain(receipt, needed)
  if (confirmations < needed || !(await isCertain())) return note()
  const bundle = readBundle(transaction, receipt, chain, tools)
  const meaning = await meaningOf(works, { transaction, receipt, bundle, head }, chain, tools).catch(
    async (error: unknown) => {
      // Noted as mined all the same: its nonce is used up, and of a lane only the lowest that is not mined is given a
      // higher tip.
      await note()
      throw error
    },
  )
  if (!meaning) return note()
  const { results, airdrop, airdropResult } = meaning
  const settled = { transactionId: transaction.id, mined, results, airdrop: airdropResult }
  const done = await tools.store.settleTransaction(settled, tools.now())
  if (done.outcome === 'stale') return
  const place = { chainId: chain.config.chainId, transactionId: transaction.id, hash: receipt.hash }
  if (bundle && receipt.status === 'reverted') {
    tools.log.error({ ...place, steps: works.length }, 'a bundle has failed as a whole; its steps go by themselves')
    tools.bundles.failed(chain.config.chainId)
  }
  if (airdrop) {
    const { token, wallet, round } = airdrop
    tools.log.info({ ...place, token, wallet, round, paid: airdropResult?.paidIn !== null }, 'airdrop settled')
    tools.changed(airdropTopic(airdrop))
  }
  await announce(results, done.steps, place, tools)
}

type Result = { work: StepWork; ref: StepRef; result: StepOutcome; needs: SolverNeed[] | null }

/** What a final receipt means for all that its transaction carries. Null: for a part of it that can't be said yet. */
async function meaningOf(
  works: readonly StepWork[],
  mined: MinedTransaction & { head: bigint },
  chain: Chain,
  tools: EngineTools,
) {
  const { transaction, receipt } = mined
  const results = await resultsOf(works, mined, chain, tools)
  const airdrop = await airdropOf(transaction, receipt, chain, tools)
  const airdropResult = airdrop && (await airdropResultOf(airdrop, receipt, chain, tools))
  return !results || (airdrop && !airdropResult) ? null : { results, airdrop, airdropResult }
}

/**
 * What a final receipt means for the steps that its transaction concerns. Null: for one of them it can't be said yet.
 */
async function resultsOf(
  works: readonly StepWork[],
  mined: MinedTransaction & { head: bigint },
  chain: Chain,
  tools: EngineTools,
): Promise<Result[] | null> {
  const outcomes = await Promise.all(works.map((work) => resultOf(work, mined, chain, tools)))
  const results: Result[] = []
  for (const [index, work] of works.entries()) {
    const outcome = outcomes[index]
    if (!outcome) return null
    const result = withDepth(outcome, mined)
    // A transaction that a step has given up for another one concerns it only by what has happened all the same.
    const isIdle = !('payouts' in result) || (result.status !== 'success' && !result.payouts?.length)
    if (work.transactionId !== mined.transaction.id && isIdle) continue
    const needs = solverNeeds(work.batch, tools.settings)
    results.push({ work, ref: work.ref, result, needs })
  }
  return results
}

/** The outcome with how deep the receipt's block is, where the step has failed in that block. */
function withDepth(outcome: StepOutcome, { receipt, head }: { receipt: Receipt; head: bigint }): StepOutcome {
  if (outcome.status === 'alone' || outcome.status === 'success') return outcome
  if (outcome.blockNumber !== Number(receipt.blockNumber)) return outcome
  return { ...outcome, confirmations: depthOf(receipt.blockNumber, head) }
}

/** Tells everybody who waits for what has just been stored. */
async function announce(
  results: readonly Result[],
  steps: StepView[],
  place: { chainId: number; transactionId: number; hash: Hash },
  tools: EngineTools,
): Promise<void> {
  for (const { work, result } of results) {
    const code = 'error' in result ? result.error.code : undefined
    tools.log.info({ ...stepFields(work), ...place, status: result.status, code }, 'step settled')
    if (result.status !== 'alone') tools.countStep(place.chainId, result.status, code)
  }
  for (const actionId of actionsOf(results)) tools.changed(actionId, steps)
  await tools.accounts.freed(results.flatMap(({ work, result }) => (result.status === 'alone' ? [] : work)))
  tools.wake('steps')
}
