/** How long an ability that was denied is not asked for again. */
const againMs = 600_000

/**
 * Something that nodes may be unable to do, such as answer a method. They are taken to be able until one says
 * otherwise, and again after a while: it may have been one of several, or a gateway on a bad day, or one that was
 * brought up to date since.
 */
export function createAbility(now: () => number = () => performance.now()) {
  let deniedAt = -Infinity
  return {
    isThere: (): boolean => now() - deniedAt >= againMs,
    /** Says that a node has denied it. */
    deny(): void {
      deniedAt = now()
    },
  }
}
