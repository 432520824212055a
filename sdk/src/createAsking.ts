import type { Step, StepRef } from './wire.js'

/**
 * Asks for a step; to be called again where the answer was lost. A failed step that is asked for is tried anew,
 * and only a few times, so that it is looked at before it is asked for once more: what has changed by then has
 * been asked for. Where it isn't known how often it was asked for before, a failure may be the old one, and what
 * the answer was lost to is thrown.
 */
export function createAsking(
  planned: StepRef & Partial<Pick<Step, 'attempts'>>,
  { ask, look }: { ask: () => Promise<Step>; look: () => Promise<Step> },
): () => Promise<Step> {
  let lost: unknown = null
  return async () => {
    const now = lost === null ? null : await look()
    if (now?.status === 'executing' || now?.status === 'success') return now
    if (now && now.status !== 'created' && now.attempts !== planned.attempts) {
      if (planned.attempts === undefined) throw lost
      return now
    }
    return ask().catch((error: unknown) => {
      lost = error
      throw error
    })
  }
}
