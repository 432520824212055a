import { type Held, heldTooMuch } from '../connections/heldTooMuch.js'

/** A body that is on its way. */
export type UnfinishedBody = {
  /** So many bytes are kept of it by now. It may be given up at once. */
  keep(bytes: number): void
  /** It has come whole, or nothing more of it is kept. */
  end(): void
}

/** What is free again once some had to be given up, so that it is not looked for with each byte that comes. */
const freed = 1 / 8

/**
 * Keeps bodies that have not come whole within so many bytes: who sends the last of it slowly has all before it kept,
 * and who has many connections need not send it at all. `giveUp` is called of those for which there is no room, and has
 * to end them.
 */
export function createUnfinishedBodies(mostBytes: number) {
  const bodies = new Set<Held & { giveUp: () => void }>()
  let bytes = 0

  return function begin(client: string, giveUp: () => void): UnfinishedBody {
    const body = { client, bytes: 0, giveUp }
    bodies.add(body)
    return {
      keep(now) {
        bytes += now - body.bytes
        body.bytes = now
        if (bytes > mostBytes) for (const one of heldTooMuch(bodies, mostBytes * (1 - freed))) one.giveUp()
      },
      end() {
        if (bodies.delete(body)) bytes -= body.bytes
      },
    }
  }
}
