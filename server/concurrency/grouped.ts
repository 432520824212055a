import { settledOrAfter } from './settledOrAfter.js'

/** How long a group keeps the next one waiting at most, so that one that is stuck holds up nobody but itself. */
const patienceMs = 1_000

/**
 * Has calls that come while the one before is under way, or in the same turn of the event loop, done in one go: many
 * small writes then share a commit, and many small reads a statement. Each caller gets the result at his place, or the
 * error of the whole. `sideBySide`: so many groups may be under way at once; another one begins only when it is full.
 */
export function grouped<Item, Result>(
  run: (items: Item[]) => Promise<Result[]>,
  mostAtOnce: number,
  { sideBySide }: { sideBySide: number } = { sideBySide: 1 },
): (item: Item) => Promise<Result> {
  type Waiting = { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void }
  let waiting: Waiting[] = []
  /** How many take one group after the other. */
  let runners = 0

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      const isFull = waiting.length >= mostAtOnce
      if (runners > 0 && !(isFull && runners < sideBySide)) return
      runners += 1
      setImmediate(() => void runAll())
    })

  async function runAll(): Promise<void> {
    // The last one takes what is there; the others leave what is no full group to grow.
    while (waiting.length >= (runners > 1 ? mostAtOnce : 1)) {
      const group = waiting.slice(0, mostAtOnce)
      waiting = waiting.slice(mostAtOnce)
      await settledOrAfter(answer(group), patienceMs)
    }
    runners -= 1
  }

  async function answer(group: Waiting[]): Promise<void> {
    try {
      const results = await run(group.map(({ item }) => item))
      for (const [index, { resolve }] of group.entries()) resolve(results[index]!)
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }
}
