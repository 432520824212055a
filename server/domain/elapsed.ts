/**
 * How long ago something was, in milliseconds, by a wall clock. Where the clock was set back since, that moment is
 * ahead of it, and callers would wait until the clock has caught up: it counts as just as long ago instead.
 */
export function elapsedMs(since: number, now: number): number {
  return Math.abs(now - since)
}
