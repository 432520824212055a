/** How much work is let in at once at first, and at most. */
const mostAtOnce = 20
/** Work that took no longer shows that there is room for more. */
const quickMs = 500
/**
 * Whoever has waited so long is sent away, so that nobody keeps a place in a row that does not move, nor his process
 * from its end.
 */
const patienceMs = 3_000

/**
 * Limits how much work runs at once: one more after each that was quick, half as much after each that failed. A node
 * goes on with what has been given up here, so too much at once would never be done, and would keep it from everything
 * else. `refuse` makes the error of who has waited in vain; `now` is a clock in milliseconds.
 */
export function createPace({ refuse, now }: { refuse: () => Error; now: () => number }) {
  const waiting = new Set<() => void>()
  let allowed = mostAtOnce
  let running = 0

  return async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    await turn()
    const startedAt = now()
    try {
      const result = await work()
      if (now() - startedAt < quickMs) allowed = Math.min(allowed + 1, mostAtOnce)
      return result
    } catch (error) {
      allowed = Math.max(Math.floor(allowed / 2), 1)
      throw error
    } finally {
      running -= 1
      letIn()
    }
  }

  function turn(): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = () => {
        clearTimeout(timer)
        waiting.delete(enter)
        running += 1
        resolve()
      }
      const timer = setTimeout(() => {
        waiting.delete(enter)
        reject(refuse())
      }, patienceMs)
      waiting.add(enter)
      letIn()
    })
  }

  /** Lets in those that wait, in the order in which they came. */
  function letIn(): void {
    for (const enter of waiting) {
      if (running >= allowed) return
      enter()
    }
  }
}
