import { settledOrAfter } from './settledOrAfter.js'

/** How long a group keeps the next one waiting at most, so that one that is stuck holds up nobody but itself. */
const patienceMs = 1_000

/**
 * Batches calls as DataLoader does; they are called groups here, since a batch is something else in this service. Calls
 * that come in one turn of the event loop, or while the group before them is under way, are answered by one `run`: many
 * small writes then share a commit, and many small reads a statement. `run` answers each item at its index; when it
 * throws, all callers of the group get its error. A group has at most `mostAtOnce` items. Where `groupsAtOnce` is more
 * than 1, another group begins beside those under way, but only when it is full.
 */
export function grouped<Item, Result>(
  run: (items: Item[]) => Promise<Result[]>,
  mostAtOnce: number,
  { groupsAtOnce }: { groupsAtOnce: number } = { groupsAtOnce: 1 },
): (item: Item) => Promise<Result> {
  type Waiting = { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void }
  let waiting: Waiting[] = []
  /** How many calls of `runAll` go from one group to the next now. */
  let runners = 0

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      const isFull = waiting.length >= mostAtOnce
      if (runners > 0 && !(isFull && runners < groupsAtOnce)) return
      runners += 1
      setImmediate(() => void runAll())
    })

  async function runAll(): Promise<void> {
    // The last runner takes whatever waits; the others leave a group that is not full, so that it grows.
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
