import { type IntentApiError, type IntentError, seemsOurs } from './errors.js'
import { longestPauseMs, shortestPauseMs } from './pauses.js'
import { sleep } from './sleep.js'

/**
 * Repeats what fails for a passing reason, for so many milliseconds or until the signal aborts.
 * Only for what is safe to repeat.
 */
export async function patiently<T>(
  attempt: () => Promise<T>,
  options: { withinMs?: number; signal: AbortSignal | undefined; onFault?: (error: IntentError) => void },
): Promise<T> {
  const { withinMs = Infinity, signal, onFault } = options
  const deadline = performance.now() + withinMs
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      const wantedMs = (error as IntentApiError | undefined)?.retryAfterMs ?? longestPauseMs
      const pauseMs = Math.max(wantedMs, shortestPauseMs)
      if (!seemsOurs(error) || !error.retryable || performance.now() + pauseMs > deadline) throw error
      onFault?.(error)
      await sleep(pauseMs, signal)
    }
  }
}
