import type { Hash } from 'viem'
import { elapsedMs } from '../../domain/elapsed.js'
import { requiredConfirmations } from '../../domain/finality.js'
import type { StepWork } from '../../store/actions/steps.js'
import { arrivalsOf } from '../receipts/arrivals.js'
import type { EngineTools } from '../tools.js'
import { laterLookMs, nextLookMs, pendingMs, unmined } from '../receipts/reportedTransaction.js'
import { endStep, failStep, type Visit, waits } from '../visit.js'

/** One visit to a step that the user carries out himself: is the registered transaction there, final and as declared? */
export async function verifyStep(work: StepWork, tools: EngineTools): Promise<Visit> {
  const batch = work.intent.chainBatches[work.ref.stepIndex]!
  const chain = tools.chains.get(batch.chainId)
  const hash = work.view.transactionHash
  if (!chain || !hash) throw new Error('A payment needs a configured chain and a hash')

  const { transaction, receipt, head } = await chain.transaction(hash)
  const found = tools.codec.verifyPayment({
    transaction,
    receipt,
    head,
    batch,
    user: work.user,
    confirmations: work.view.requiredConfirmations,
  })
  // What was seen has not stayed away.
  if (found.outcome !== 'unknown' && work.unseenMs > 0) await tools.store.noteUnseen(work.ref, hash, 0)
  switch (found.outcome) {
    case 'unknown': {
      const delayMs = nextLookMs(work.unseenMs, chain.config.pollIntervalMs)
      if (delayMs !== null) {
        await noteNotMined(work, hash, tools)
        await tools.store.noteUnseen(work.ref, hash, work.unseenMs + delayMs)
        return waits(delayMs)
      }
      const message = `No transaction ${hash} has appeared on chain ${batch.chainId} within 10 minutes.`
      return failStep(work, { code: 'transaction_not_found', message, retryable: true }, tools)
    }
    case 'pending': {
      await noteNotMined(work, hash, tools)
      const sinceMs = elapsedMs(work.view.updatedAt, tools.now())
      if (sinceMs > unmined.forMs && (await hadItsTurnFor(work, unmined.forMs, tools))) {
        const message = `No block of chain ${batch.chainId} has had the transaction ${hash} within a day. Ask again once it is mined.`
        return failStep(work, { code: 'transaction_not_found', message, retryable: true }, tools)
      }
      return waits(laterLookMs(sinceMs, Math.max(chain.config.pollIntervalMs, pendingMs)))
    }
    case 'waiting':
      await tools.store.noteConfirmations(
        work.ref,
        { hash, blockNumber: found.blockNumber, confirmations: found.confirmations },
        tools.now(),
      )
      tools.changed(work.ref.actionId)
      return waits(chain.config.pollIntervalMs)
    case 'mismatch':
      return failStep(work, { code: 'transaction_mismatch', message: found.message, retryable: true }, tools)
    case 'failed':
    case 'verified': {
      // More may have arrived than was declared, and larger amounts wait longer.
      const { blockNumber, confirmations } = found
      const arrived = requiredConfirmations(chain.config, tools.codec.vaultArrivals(receipt!, chain.config))
      const needed = Math.max(work.view.requiredConfirmations, arrived)
      if (confirmations < needed || !(await chain.isCertain(receipt!, needed, transaction!))) {
        await tools.store.noteConfirmations(work.ref, { hash, blockNumber, confirmations }, tools.now())
        tools.changed(work.ref.actionId)
        return waits(chain.config.pollIntervalMs)
      }
      if (found.outcome === 'failed') {
        return failStep(work, { code: 'transaction_mismatch', message: found.message, retryable: true }, tools)
      }
      return endStep(
        work,
        {
          status: 'success',
          transactionHash: hash,
          blockNumber: Number(receipt!.blockNumber),
          blockHash: receipt!.blockHash,
          confirmations: found.confirmations,
          arrivals: await arrivalsOf(receipt!, work.user, chain, tools),
          payouts: [],
        },
        tools,
      )
    }
  }
}

/** A reorganisation may have taken away the block that it was seen in. */
async function noteNotMined(work: StepWork, hash: Hash, tools: EngineTools): Promise<void> {
  if (work.view.confirmations === 0) return
  await tools.store.noteConfirmations(work.ref, { hash, blockNumber: null, confirmations: 0 }, tools.now())
  tools.changed(work.ref.actionId)
}

/** Asked for while the step before was under way, it was not looked for until that had ended. */
async function hadItsTurnFor(work: StepWork, ms: number, tools: EngineTools): Promise<boolean> {
  const before = await tools.store.readPreviousStep(work.ref)
  return before === null || elapsedMs(before.updatedAt, tools.now()) > ms
}
