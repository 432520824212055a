/**
 * Places for what is done at once for several chains. A chain may hold as many as are left free, and no more: one whose
 * nodes are slow or silent keeps what it has for long, and so never takes the places of the others. One chain alone gets
 * half of them, two a third each.
 */
export function createPlaces(total: number) {
  const held = new Map<number, number>()
  let free = total

  return {
    isFull,

    /** The chains that are to get none for now. */
    full: () => [...held.keys()].filter(isFull),

    /** How many may be taken at once by those that are not full, whichever they are taken by. */
    room(): number {
      const most = Math.max(0, ...[...held].flatMap(([chainId, count]) => (isFull(chainId) ? [] : [count])))
      return Math.max(Math.floor((free - most) / 2), 0)
    },

    /** One that is not full may take several at once, though they are more than it is left. */
    take(chainId: number, count: number): void {
      held.set(chainId, heldBy(chainId) + count)
      free -= count
    },

    leave(chainId: number, count: number): void {
      held.set(chainId, heldBy(chainId) - count)
      if (heldBy(chainId) === 0) held.delete(chainId)
      free += count
    },
  }

  /** Whether one more would leave fewer free than the chain holds. */
  function isFull(chainId: number): boolean {
    return heldBy(chainId) + 1 > free - 1
  }

  function heldBy(chainId: number): number {
    return held.get(chainId) ?? 0
  }
}
