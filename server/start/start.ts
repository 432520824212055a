import type { Logger } from 'pino'

/** A start under way. */
export type Start = {
  log: Logger
  /** Breaks the start off, which then rejects with the reason. */
  signal: AbortSignal
  /** Has something done when the service stops, or its start fails: what was opened last is closed first. */
  onStop(step: () => Promise<void>): void
}
