import { pause } from './pause.js'

/**
 * Waits for a condition, and fails loudly when it does not come true in time. Unless told how often, it asks every 10
 * ms and, the longer it waits, ever later up to every 100 ms: much of what is waited for runs in the same process.
 */
export async function until<T>(
  condition: () => T | Promise<T>,
  what: string,
  withinMs = 20_000,
  everyMs?: number,
): Promise<NonNullable<Exclude<T, false>>> {
  const began = performance.now()
  for (;;) {
    const value = await condition()
    if (value) return value as NonNullable<Exclude<T, false>>
    const waitedMs = performance.now() - began
    if (waitedMs > withinMs) throw new Error(`Waited ${withinMs} ms in vain for ${what}`)
    await pause(everyMs ?? Math.min(100, Math.max(10, waitedMs / 20)))
  }
}
