import type { ChainBatch, Intent, Mode, SignedIntent } from './action.js'

/**
 * What a step asks of the service.
 * `delegated`: a 7702 batch, one transaction by the service.
 * `payment`: an on-demand batch that the user carries out himself and registers by hash.
 * `fulfilment`: an on-demand batch that only the solver's transfers make up.
 * `presigned`: accepted by the schema, not executable.
 */
export type StepKind = 'delegated' | 'payment' | 'fulfilment' | 'presigned'

export function stepKind(mode: Mode, batch: ChainBatch): StepKind {
  if (mode === '7702') return 'delegated'
  if (mode === 'non-7702:presign') return 'presigned'
  return isUserBatch(batch) ? 'payment' : 'fulfilment'
}

/** Whether a step has the user's account run calls, which he has signed. */
export function runsCalls<Step extends { intent: Intent; batch: ChainBatch }>(
  step: Step,
): step is Step & { intent: SignedIntent } {
  return step.intent.mode === '7702' && step.batch.calls.length > 0
}

/**
 * An on-demand batch that its user carries out: something leaves his account, or nothing is to be paid by anyone, so
 * that his transaction is all there is to it.
 */
export function isUserBatch(batch: ChainBatch): boolean {
  return (
    batch.tokenTransfers.length === 0 ||
    batch.tokenTransfers.some((transfer) => transfer.from !== 'solver') ||
    batch.calls.some((call) => call.value > 0n || call.data !== '0x')
  )
}
