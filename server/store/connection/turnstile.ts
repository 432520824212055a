/** After so many of the first line in a row, one of the others has its turn. */
const mostInARow = 8
/** So many writes that have come before a read go before it; then it has its turn. */
const mostWritesInARow = 4

/** `place`: how many had come before. `begin` lets it in; `giveUp` is the timer that ends its wait. */
type Waiting = { place: number; begin: () => void; giveUp: NodeJS.Timeout }

export type Turnstile = ReturnType<typeof createTurnstile>

export type Line = 'first' | 'reads' | 'writes'

/**
 * A semaphore with priorities: so many `places` may be taken at once. Who waits for a place stands in one of three
 * lines, each in the order of coming. The first line goes before the others, but for one of them in between now and
 * then, so that nobody waits for ever. Reads and writes go in the order of coming too, but a read waits for a few
 * writes only, of which there may be any number. `tooLong` makes the error that is thrown after a wait of `patienceMs`.
 */
export function createTurnstile(places: number, patienceMs: number, tooLong: () => Error) {
  const lines: Record<Line, Waiting[]> = { first: [], reads: [], writes: [] }
  let free = places
  let come = 0
  let inARow = 0
  let writesInARow = 0

  return {
    enter(line: Line): Promise<void> {
      if (free > 0) {
        free--
        return Promise.resolve()
      }
      return new Promise((begin, refuse) => {
        const waiting: Waiting = {
          place: come++,
          begin,
          giveUp: setTimeout(() => {
            lines[line].splice(lines[line].indexOf(waiting), 1)
            refuse(tooLong())
          }, patienceMs),
        }
        lines[line].push(waiting)
      })
    },

    leave(): void {
      const next = nextOne()
      if (!next) {
        free++
        return
      }
      clearTimeout(next.giveUp)
      next.begin()
    },
  }

  function nextOne(): Waiting | undefined {
    const { first, reads, writes } = lines
    const areOthers = reads.length > 0 || writes.length > 0
    if (first.length > 0 && (!areOthers || inARow < mostInARow)) {
      inARow++
      return first.shift()
    }
    inARow = 0
    const isWritesTurn = isBefore(writes[0], reads[0]) && (!reads[0] || writesInARow < mostWritesInARow)
    writesInARow = isWritesTurn ? writesInARow + 1 : 0
    return isWritesTurn ? writes.shift() : reads.shift()
  }
}

function isBefore(one: Waiting | undefined, other: Waiting | undefined): boolean {
  return one !== undefined && (other === undefined || one.place < other.place)
}
