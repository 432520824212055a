/** For how many ms requests are begun in a turn of the event loop, before the rest of the process has its turn. */
const sliceMs = 4

/**
 * Requests without a body take next to nothing before they wait for something; a large
 * body is read and checked for long.
 */
type Line = 'bare' | 'withBody'

/**
 * Lets requests begin one after the other, a few in each turn of the event loop. All that have arrived on all
 * connections would else be worked on in one turn, and the engine, whose steps take dozens of turns each, would stand
 * still for as long as clients keep asking. Requests lose nothing: the work is the same, and those that have begun
 * share database statements as before. Those with a body and those without stand in two lines, which take turns, so
 * that a read does not wait for all bodies that have come before it.
 */
export function createAdmission(): (line: Line) => Promise<void> {
  const lines: Record<Line, (() => void)[]> = { bare: [], withBody: [] }
  let isUnderWay = false

  return (line) =>
    new Promise((begin) => {
      lines[line].push(begin)
      if (isUnderWay) return
      isUnderWay = true
      setImmediate(() => void admitAll())
    })

  async function admitAll(): Promise<void> {
    let startedAt = performance.now()
    for (let line = waitedFor('bare'); line !== null; line = waitedFor(line)) {
      lines[line].shift()!()
      await microtasksDone()
      if (performance.now() - startedAt < sliceMs) continue
      await new Promise((nextTurn) => setImmediate(nextTurn))
      startedAt = performance.now()
      line = otherThan(line)
    }
    isUnderWay = false
  }

  /** The line, or the other one where nobody stands in it. */
  function waitedFor(line: Line): Line | null {
    if (lines[line].length > 0) return line
    return lines[otherThan(line)].length > 0 ? otherThan(line) : null
  }
}

function otherThan(line: Line): Line {
  return line === 'bare' ? 'withBody' : 'bare'
}

/**
 * Resolves once the microtask queue is empty, when the request that has begun waits for something else. Callbacks of
 * `process.nextTick` run after the microtasks, unless scheduled at the top of a macrotask, hence the first await.
 */
async function microtasksDone(): Promise<void> {
  await Promise.resolve()
  await new Promise<void>((done) => process.nextTick(done))
}
