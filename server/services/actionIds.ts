import { randomInt, randomUUID } from 'node:crypto'
import { uuidV7 } from '../domain/uuid.js'

/**
 * A clock that is set back by more than this is followed; what is less may be requests that have overtaken one another.
 */
const setBackMs = 1_000
/**
 * A counter begins below the first, so that it can be raised as often again; where it has
 * come to the second, time goes on.
 */
const [firstBelow, last12Bits] = [0x800, 0xfff]

/**
 * Makes action ids: UUIDv7, each greater than the one before, so that a list by id is a list by time. Those of one
 * millisecond are told apart by a counter (RFC 9562, 6.2, method 1).
 */
export function createActionIds(): (nowMs: number) => string {
  let last = { ms: 0, counter: 0 }
  return (nowMs) => {
    const isLater = nowMs > last.ms || nowMs < last.ms - setBackMs
    if (isLater) last = { ms: nowMs, counter: randomInt(firstBelow) }
    else if (last.counter < last12Bits) last.counter += 1
    else last = { ms: last.ms + 1, counter: 0 }
    return uuidV7(last.ms, last.counter, randomUUID())
  }
}
