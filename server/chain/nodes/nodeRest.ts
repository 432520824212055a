/**
 * How long a node that is asked too much is left alone, if it does not say how long; ever longer while it answers
 * nothing.
 */
const firstMs = 1_000
const longestMs = 30_000

/** Whether a node is left alone since it has said that it is asked too much. */
export function createNodeRest(now: () => number = () => performance.now()) {
  let until = -Infinity
  let lastMs = 0

  return {
    isOn: (): boolean => now() < until,

    /** The node has answered. */
    end(): void {
      lastMs = 0
    },

    /** `retryAfter`: its header of that name (RFC 9110), of which seconds are understood. */
    begin(retryAfter: unknown): void {
      const toldMs = Number(retryAfter) * 1_000
      lastMs = Math.min(toldMs > 0 ? toldMs : Math.max(lastMs * 2, firstMs), longestMs)
      until = now() + lastMs
    },
  }
}
