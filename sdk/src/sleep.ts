import { untilAborted } from './abortable.js'
import { longestTimerMs } from './limitedSignal.js'

/** Resolves after the time; rejects with the signal's reason as soon as it aborts. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const over = new Promise<void>((resolve) => (timer = setTimeout(resolve, Math.min(ms, longestTimerMs))))
  return untilAborted(over, signal).finally(() => clearTimeout(timer))
}
