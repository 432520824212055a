/**
 * Lets so many reads be under way at once; the others wait in the order in which they came. All of them would else have
 * asked the database before the first is answered, also for clients that have hung up since, and whatever comes then
 * waits for them all.
 */
export function createReaders(most: number) {
  const waiting: (() => void)[] = []
  let underWay = 0

  /** Null: when it was its turn, nobody was there any more to read it. */
  return async function read<T>(isGone: () => boolean, work: () => Promise<T>): Promise<T | null> {
    if (underWay < most) underWay++
    // Whoever ends hands its place on.
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
