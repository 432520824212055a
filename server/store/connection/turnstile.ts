/** After so many of the first line in a row, one of the others has its turn. */
const mostInARow = 8

/** `begin` lets it in; `giveUp` is the timer that ends its wait. */
type Waiting = { begin: () => void; giveUp: NodeJS.Timeout }

export type Turnstile = ReturnType<typeof createTurnstile>

/**
 * A semaphore with two priorities: so many `places` may be taken at once. Who waits for a place stands in one of two lines,
 * `first` or `others`, each in the order of coming. The first line goes before the other, but for one in between now and
 * then, so that nobody waits for ever. `tooLong` makes the error that is thrown after a wait of `patienceMs`.
 */
export function createTurnstile(places: number, patienceMs: number, tooLong: () => Error) {
  const lines = { first: [] as Waiting[], others: [] as Waiting[] }
  let free = places
  let inARow = 0

  return {
    enter(line: keyof typeof lines): Promise<void> {
      if (free > 0) {
        free--
        return Promise.resolve()
      }
      return new Promise((begin, refuse) => {
        const waiting: Waiting = {
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
    const { first, others } = lines
    if (first.length > 0 && (others.length === 0 || inARow < mostInARow)) {
      inARow++
      return first.shift()
    }
    inARow = 0
    return others.shift()
  }
}
