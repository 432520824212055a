import type { Logger } from 'pino'
import { elapsedMs } from '../domain/elapsed.js'

/** How often the log is told of the same while it goes on. */
const againMs = 600_000
/** What is remembered at most; beyond that the oldest is told anew. */
const mostRemembered = 10_000

export type SeldomLog = ReturnType<typeof createSeldomLog>

/**
 * Tells the log of what shows at every look, as of a transaction that can't be settled, at first and then every ten
 * minutes. Whatever `fields` name apart from `err` is told of for itself.
 */
export function createSeldomLog({ log, now }: { log: Pick<Logger, 'warn' | 'error'>; now: () => number }) {
  /** The oldest first. */
  const toldAt = new Map<string, number>()

  return function tellSeldom(level: 'warn' | 'error', fields: object, message: string): void {
    const { err: _err, ...named } = fields as { err?: unknown }
    const key = `${message}: ${JSON.stringify(named)}`
    const before = toldAt.get(key)
    if (before !== undefined && elapsedMs(before, now()) < againMs) return
    toldAt.delete(key)
    toldAt.set(key, now())
    for (const [oldest] of toldAt) {
      if (toldAt.size <= mostRemembered) break
      toldAt.delete(oldest)
    }
    log[level](fields, message)
  }
}
