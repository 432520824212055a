/** For how many ms requests are begun in a turn of the event loop, before the rest of the process has its turn. */
const sliceMs = 4

/**
 * Lets requests begin one after the other, a few in each turn of the event loop. All that have arrived on all
 * connections would else be worked on in one turn, and the engine, whose steps take dozens of turns each, would stand
 * still for as long as clients keep asking. Requests lose nothing: the work is the same, and those that have begun
 * share database statements as before.
 */
export function createAdmission(): () => Promise<void> {
  const waiting: (() => void)[] = []
  let isUnderWay = false

  return () =>
    new Promise((begin) => {
      waiting.push(begin)
      if (isUnderWay) return
      isUnderWay = true
      setImmediate(() => void admitAll())
    })

  async function admitAll(): Promise<void> {
    let startedAt = performance.now()
    for (let begin = waiting.shift(); begin; begin = waiting.shift()) {
      begin()
      await microtasksDone()
      if (performance.now() - startedAt < sliceMs) continue
      await new Promise((nextTurn) => setImmediate(nextTurn))
      startedAt = performance.now()
    }
    isUnderWay = false
  }
}

/**
 * Resolves once the microtask queue is empty, when the request that has begun waits for something else. Callbacks of
 * `process.nextTick` run after the microtasks, unless scheduled at the top of a macrotask, hence the first await.
 */
async function microtasksDone(): Promise<void> {
  await Promise.resolve()
  await new Promise<void>((done) => process.nextTick(done))
}
