import { reasonOf } from './abortable.js'
import { longestTimerMs } from './limitedSignal.js'

/** Between two looks, whatever a service or a clock says. */
export const shortestPauseMs = 150

/** Resolves after the time; rejects with the signal's reason as soon as it aborts. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(reasonOf(signal) as Error)
    signal?.addEventListener('abort', onAbort, { once: true })
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', onAbort)
        resolve()
      },
      Math.min(ms, longestTimerMs),
    )
    function onAbort() {
      clearTimeout(timer)
      reject(reasonOf(signal!) as Error)
    }
  })
}
