/**
 * A semaphore: at most `most` pieces of work are under way at once, and the others wait in the order in which they were
 * asked for. When the turn of one comes and nobody waits for its result any more (`isGone`), it is not begun, and its
 * result is null.
 */
export function createSemaphore(most: number) {
  const waiting: (() => void)[] = []
  let underWay = 0

  return async function run<T>(isGone: () => boolean, work: () => Promise<T>): Promise<T | null> {
    if (underWay < most) underWay++
    // What ends hands its place on, so that `underWay` stays as it is.
    else await new Promise<void>((begin) => waiting.push(begin))
    try {
      return isGone() ? null : await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else underWay--
    }
  }
}
