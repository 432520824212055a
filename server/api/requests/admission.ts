/** How long requests are begun, in ms, before everything else of the process has its turn again. */
const sliceMs = 4

/**
 * Lets requests begin one after the other, a few in each turn of the event loop. All that has come on all connections would
 * else be worked on in one turn; and the engine, whose steps take dozens of turns one after the other, would stand still
 * while clients do nothing but ask. Requests lose nothing: the work is the same, and those that have begun share statements
 * as before.
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
      await untilItWaits()
      if (performance.now() - startedAt < sliceMs) continue
      await new Promise((nextTurn) => setImmediate(nextTurn))
      startedAt = performance.now()
    }
    isUnderWay = false
  }
}

/**
 * Until all has been done which waits for nothing: Node takes its next ticks once no promise is left to go on with. Not so in
 * a turn's own call, where they come first, so that this begins at a promise.
 */
async function untilItWaits(): Promise<void> {
  await Promise.resolve()
  await new Promise<void>((done) => process.nextTick(done))
}
