/** After so many who go first in a row, one of the others has its turn. */
const mostInARow = 8

type Waiting = { begin: () => void; giveUp: NodeJS.Timeout }

export type Turnstile = ReturnType<typeof createTurnstile>

/**
 * So many may be inside at once. Of those who wait for a place, who goes first does so, in the order in which they came; the
 * others are let in between, so that none waits for ever. `tooLong` makes what is thrown after so long a wait.
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
