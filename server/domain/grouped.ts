/**
 * Has calls that come while the one before is under way, or in the same turn of the event loop, done in one go: many
 * small writes then share a commit, and many small reads a statement. Each caller gets the result at his place, or the error of the whole.
 */
export function grouped<Item, Result>(
  run: (items: Item[]) => Promise<Result[]>,
  mostAtOnce: number,
): (item: Item) => Promise<Result> {
  let waiting: { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void }[] = []
  let isRunning = false

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (isRunning) return
      isRunning = true
      setImmediate(() => void runAll())
    })

  async function runAll(): Promise<void> {
    while (waiting.length > 0) {
      const group = waiting.slice(0, mostAtOnce)
      waiting = waiting.slice(mostAtOnce)
      try {
        const results = await run(group.map(({ item }) => item))
        for (const [index, { resolve }] of group.entries()) resolve(results[index]!)
      } catch (error) {
        for (const { reject } of group) reject(error)
      }
    }
    isRunning = false
  }
}
