import { IntentApiError, IntentError, IntentTimeoutError } from './errors.js'
import { sleep } from './sleep.js'
import type { CallOptions, Step, StepRef } from './wire.js'

export type WaitOptions = {
  /** Ends the wait, which then rejects with the signal's reason. The step goes on. */
  signal?: AbortSignal
  /** How long to wait at most, in milliseconds. 10 minutes by default; then the wait rejects with `IntentTimeoutError`. */
  timeoutMs?: number
  /** How long to wait between looks, in milliseconds. By default 0.15 s at first and after each change, growing to 2 s. */
  pollIntervalMs?: number
  /** Told of the step as first seen and of every change of status, transaction or confirmations. */
  onChange?: (step: Step) => void
}

export type GetStep = (step: StepRef, options: CallOptions) => Promise<Step>

const defaultTimeoutMs = 600_000
const shortestPauseMs = 150
const longestPauseMs = 2_000

export function hasEnded(step: Step): boolean {
  return step.status === 'success' || step.status === 'reverted' || step.status === 'error'
}

/**
 * Looks at a step until it has ended, as `success`, `reverted` or `error`. A service that is away for a while is
 * waited for.
 */
export async function waitForStep(getStep: GetStep, ref: StepRef, options: WaitOptions = {}): Promise<Step> {
  const { signal, onChange, timeoutMs = defaultTimeoutMs, pollIntervalMs } = options
  const deadline = Date.now() + timeoutMs
  let last: Step | null = null
  let pauseMs = shortestPauseMs
  for (;;) {
    const step = await patiently(() => getStep(ref, { signal }), { deadline, signal })
    if (last === null || describe(step) !== describe(last)) {
      pauseMs = shortestPauseMs
      onChange?.(step)
    }
    last = step
    if (hasEnded(step)) return step
    if (Date.now() >= deadline) {
      throw new IntentTimeoutError(`The step has not ended within ${timeoutMs} ms; it is ${step.status}.`, step)
    }
    await sleep(Math.min(pollIntervalMs ?? pauseMs, Math.max(0, deadline - Date.now())), signal)
    pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)
  }
}

/** Repeats what fails for a passing reason, until the deadline (unix milliseconds). Only for what is safe to repeat. */
export async function patiently<T>(
  attempt: () => Promise<T>,
  { deadline, signal }: { deadline: number; signal: AbortSignal | undefined },
): Promise<T> {
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      const pauseMs = (error instanceof IntentApiError ? error.retryAfterMs : null) ?? longestPauseMs
      const isPassing = error instanceof IntentError && error.retryable
      if (!isPassing || Date.now() + pauseMs > deadline) throw error
      await sleep(pauseMs, signal)
    }
  }
}

/** What is told of as a change. */
export function describe({ status, transactionHash, confirmations, attempts }: Step): string {
  return [status, transactionHash, confirmations, attempts].join()
}
