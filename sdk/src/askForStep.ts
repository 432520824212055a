import { hasEnded } from './watchAction.js'
import type { Step, StepRef } from './wire.js'

/**
 * Asks for a step; to be called again where the answer was lost. A failed step that is asked for is tried anew, and only a
 * few times, so that it is looked at before it is asked for once more: what has changed by then has been asked for.
 */
export function createAsking(
  planned: StepRef & Partial<Pick<Step, 'attempts'>>,
  { ask, look }: { ask: () => Promise<Step>; look: () => Promise<Step> },
): () => Promise<Step> {
  let isRepeated = false
  return async () => {
    const now = isRepeated ? await look() : null
    if (now && (now.status === 'executing' || (hasEnded(now) && now.attempts !== planned.attempts))) return now
    isRepeated = true
    return ask()
  }
}
