/** Between two looks, whatever a service or a clock says. */
export const shortestPauseMs = 150
export const longestPauseMs = 2_000
const leastPollMs = 20

/** Looks of somebody who wants them this often, though no faster than any service likes. */
export function pauseOf(pollIntervalMs: number | undefined, otherwiseMs: number): number {
  if (pollIntervalMs === undefined) return otherwiseMs
  return Math.max(pollIntervalMs, leastPollMs)
}
