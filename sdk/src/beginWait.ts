import { checkTimes } from './checkTimes.js'
import { type IntentError, IntentTimeoutError } from './errors.js'
import { limitedSignal } from './limitedSignal.js'
import { patiently } from './patiently.js'
import { leastPollMs, longestPauseMs, shortestPauseMs } from './pauses.js'
import { sleep } from './sleep.js'
import type { WatchOptions } from './watchAction.js'
import type { Step } from './wire.js'

export type Wait = ReturnType<typeof beginWait>

const defaultWaitMs = 600_000

/** What a wait for the end of a step or an action needs, until it is closed. */
export function beginWait(what: 'step' | 'action', options: WatchOptions) {
  const { timeoutMs = defaultWaitMs, pollIntervalMs } = options
  checkTimes(options)
  const { signal, fail, close } = limitedSignal(timeoutMs, options.signal)
  /** Why the last look has failed, so that a wait that ends in vain says so. */
  let fault: IntentError | null = null
  let pauseMs = shortestPauseMs

  return {
    signal,
    close,
    /** Whether no stream is wanted. */
    polls: pollIntervalMs !== undefined,

    /** Looks, however often the service is away. */
    async look<T>(ask: () => Promise<T>): Promise<T> {
      const seen = await patiently(ask, { signal, onFault: (error) => void (fault = error) })
      fault = null
      return seen
    },

    /** Between two looks: ever longer, or as long as is asked for, though no shorter than any service likes. */
    async pause(): Promise<void> {
      await sleep(pollIntervalMs === undefined ? pauseMs : Math.max(pollIntervalMs, leastPollMs), signal)
      pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)
    },

    /** After a change, which others may follow soon. */
    lookSoon(): void {
      pauseMs = shortestPauseMs
    },

    /** Rejects with why the wait has ended. */
    fail(error: unknown, lastStep: Step | null): never {
      return fail(error, () => {
        const why = fault ? `; the service was away at last: ${fault.message}` : '.'
        const message = `The ${what} has not ended within ${timeoutMs} ms${why}`
        return new IntentTimeoutError(message, { lastStep, cause: fault })
      })
    },
  }
}
