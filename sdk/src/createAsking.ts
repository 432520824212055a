import type { Step, StepRef } from './wire.js'

/**
 * Asks for a step; to be called again where the answer was lost. A failed step that is asked for is tried again, and
 * only a few times. So after a lost answer the step is read first: if it has changed, the request has arrived, and no
 * attempt is used up. Without `planned.attempts` a failure that is read may be the old one; the error to which the
 * answer was lost is thrown then.
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
