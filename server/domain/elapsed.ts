/**
 * How long ago something was, in milliseconds, by a wall clock. One that was set back since would say that it is yet to
 * come, and nothing would be looked at again until then: so it counts as that long ago.
 */
export function elapsedMs(since: number, now: number): number {
  return Math.abs(now - since)
}
