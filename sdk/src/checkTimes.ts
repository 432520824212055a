import { fail } from './checkInput.js'

type Times = {
  timeoutMs?: number | undefined
  stepTimeoutMs?: number | undefined
  pollIntervalMs?: number | undefined
  waitSeconds?: number | undefined
}

/** Before anything is asked for, signed or paid: with a wrong one it would be given up at once. */
export function checkTimes({ timeoutMs = 0, stepTimeoutMs = 1, pollIntervalMs = 0, waitSeconds = 0 }: Times): void {
  check('timeoutMs', timeoutMs, timeoutMs >= 0)
  check('stepTimeoutMs', stepTimeoutMs, stepTimeoutMs > 0)
  check('pollIntervalMs', pollIntervalMs, Number.isFinite(pollIntervalMs))
  check('waitSeconds', waitSeconds, waitSeconds >= 0, 'seconds')
}

function check(name: string, time: unknown, fits: boolean, unit = 'milliseconds'): void {
  if (typeof time !== 'number' || !fits) fail(name, `a number of ${unit}`, time)
}
