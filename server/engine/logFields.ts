import type { CarriedStep, JournalTransaction } from '../store/journal/journalTransactions.js'
import { traceFields } from '../domain/traceContext.js'

/** What log lines name a step by, with the trace of the request that asked for it. */
export function stepFields({ ref, traceparent }: CarriedStep) {
  const { actionId, intentIndex, stepIndex } = ref
  return { actionId, intentIndex, stepIndex, ...traceFields(traceparent) }
}

/** One step by its own fields, so that a search by these finds it; several as a list. */
export function stepsFields(steps: readonly CarriedStep[]) {
  if (steps.length === 0) return {}
  return steps.length === 1 ? stepFields(steps[0]!) : { steps: steps.map(stepFields) }
}

/** What log lines name a transaction of the journal by; `transactionId` is its row. */
export function transactionFields({ id, chainId, signer, nonce, carries }: JournalTransaction) {
  return { chainId, signer, nonce, transactionId: id, ...stepsFields(carries) }
}
