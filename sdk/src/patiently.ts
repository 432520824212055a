import { type IntentApiError, IntentError, IntentTimeoutError } from './errors.js'
import { longestPauseMs, shortestPauseMs } from './pauses.js'
import { sleep } from './sleep.js'
import type { Step } from './wire.js'

/** Repeats what fails for a passing reason, for so many milliseconds or until the signal aborts. Only for what is safe to repeat. */
export async function patiently<T>(
  attempt: () => Promise<T>,
  options: { withinMs?: number; signal: AbortSignal | undefined; faults?: Faults },
): Promise<T> {
  const { withinMs = Infinity, signal, faults } = options
  const deadline = performance.now() + withinMs
  for (;;) {
    try {
      const result = await attempt()
      faults?.note(null)
      return result
    } catch (error) {
      // What ends the wait is none.
      if (!signal?.aborted) faults?.note(error)
      const wantedMs = (error as IntentApiError | undefined)?.retryAfterMs ?? longestPauseMs
      const pauseMs = Math.max(wantedMs, shortestPauseMs)
      const isPassing = error instanceof IntentError && error.retryable
      if (!isPassing || performance.now() + pauseMs > deadline) throw error
      await sleep(pauseMs, signal)
    }
  }
}

type Faults = ReturnType<typeof createFaults>

/** Keeps why the last look of a wait has failed, so that a wait that ends in vain says so. */
export function createFaults() {
  let last: unknown = null
  return {
    /** Null: it has not failed. */
    note(fault: unknown): void {
      last = fault
    },
    timeout(message: string, lastStep: Step | null): IntentTimeoutError {
      const why = last instanceof Error ? `; the service was away at last: ${last.message}` : '.'
      return new IntentTimeoutError(message + why, { lastStep, cause: last ?? undefined })
    },
  }
}
