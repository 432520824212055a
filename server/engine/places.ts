/**
 * Places for what is done at once for several chains. A chain may hold as many places as are left free, and no more:
 * one whose nodes are slow or silent keeps its places for long, and so never takes those of the others. One chain alone
 * gets half of the places, two get a third each.
 */
export function createPlaces(total: number) {
  const held = new Map<number, number>()
  let free = total

  return {
    isFull,

    /** The chains that are to get no place for now. */
    full: () => [...held.keys()].filter(isFull),

    /** How many places may be taken at once, whichever of the chains that are not full take them. */
    room(): number {
      const most = Math.max(0, ...[...held].flatMap(([chainId, count]) => (isFull(chainId) ? [] : [count])))
      return Math.max(Math.floor((free - most) / 2), 0)
    },

    /** A chain that is not full may take several places at once, even more than are left to it. */
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

  /** Whether one more place for the chain would leave fewer free than it holds. */
  function isFull(chainId: number): boolean {
    return heldBy(chainId) + 1 > free - 1
  }

  function heldBy(chainId: number): number {
    return held.get(chainId) ?? 0
  }
}
