import type { Address } from 'viem'
import { untilAborted } from './abortable.js'

/** By user, in lower case: settled once all of his that have begun or wait are through. Kept no longer than that. */
const turns = new Map<string, Promise<unknown>>()

/** Runs for each user one thing after the other, of those that this process or page has. */
export function inTurn<T>(user: Address, signal: AbortSignal | undefined, run: () => Promise<T>): Promise<T> {
  const key = user.toLowerCase()
  const before = turns.get(key)
  const mine = untilAborted(before, signal).then(run)
  // What is aborted while it waits lets nothing in that came after it.
  const over = Promise.allSettled([before, mine]).then(() => {
    if (turns.get(key) === over) turns.delete(key)
  })
  turns.set(key, over)
  return mine
}
