/** Between two looks, whatever a service or a clock says. */
export const shortestPauseMs = 150
export const longestPauseMs = 2_000
export const leastPollMs = 20
