import { type Held, heldTooMuch } from '../connections/heldTooMuch.js'

/** What is told of a body that is on its way. */
export type UnfinishedBody = {
  /** So many bytes of the body are kept by now. The body may be given up within this call. */
  keep(bytes: number): void
  /** The body has come whole, or none of it is kept any more. */
  end(): void
}

/** How much of the room is free again once bodies had to be given up, so that not every byte that comes needs some. */
const freed = 1 / 8

/**
 * Keeps all bodies that have not come whole within `mostBytes`: a client that sends the last of a body slowly has the
 * process keep all before it, and one with many connections need not send the last at all. `giveUp` is called for
 * bodies that there is no room for, and has to end them.
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
