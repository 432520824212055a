import { throwIfAborted } from './abortable.js'

/** Timers that are set for longer go off at once. */
export const longestTimerMs = 2 ** 31 - 1

/** A signal that aborts with the caller's, or after a time without news, and tells which it was. */
export function limitedSignal(ms: number, outer?: AbortSignal) {
  const controller = new AbortController()
  let timedOut = false
  let timer: ReturnType<typeof setTimeout>
  const abort = () => controller.abort()
  const limit = (next: number) => {
    clearTimeout(timer)
    timer = setTimeout(
      () => {
        timedOut = true
        abort()
      },
      Math.min(next, longestTimerMs),
    )
  }
  // Before the timer: what is no signal throws here.
  outer?.addEventListener('abort', abort, { once: true })
  if (outer?.aborted) abort()
  limit(ms)
  return {
    signal: controller.signal,
    /**
     * Rejects with the reason of the caller's signal, or with the error of `late` when time was up, else with `error`.
     */
    fail(error: unknown, late: () => Error): never {
      throwIfAborted(outer)
      throw timedOut ? late() : error
    },
    /** Starts the time anew. */
    limit,
    /** Ends what still listens to the signal, and leaves no timer behind. */
    close() {
      clearTimeout(timer)
      outer?.removeEventListener('abort', abort)
      abort()
    },
  }
}
