/**
 * Places for what is done at once for several chains. A chain may take as many places as are left free, and no more:
 * one whose nodes are slow or silent keeps its places for long, and so never takes those of the others. One chain alone
 * gets half of the places, two get a third each.
 */
export function createPlaces(total: number) {
  const taken = new Map<number, number>()
  let free = total

  return {
    isFull,

    /** The chains that are to get no place for now. */
    full: () => [...taken.keys()].filter(isFull),

    /** How many places may be taken at once, whichever of the chains that are not full take them. */
    room(): number {
      const most = Math.max(0, ...[...taken].flatMap(([chainId, count]) => (isFull(chainId) ? [] : [count])))
      return Math.max(Math.floor((free - most) / 2), 0)
    },

    /** A chain that is not full may take several places at once, even more than are left to it. */
    take(chainId: number, count: number): void {
      taken.set(chainId, takenBy(chainId) + count)
      free -= count
    },

    leave(chainId: number, count: number): void {
      taken.set(chainId, takenBy(chainId) - count)
      if (takenBy(chainId) === 0) taken.delete(chainId)
      free += count
    },
  }

  /** Whether one more place for the chain would leave fewer free than it has taken. */
  function isFull(chainId: number): boolean {
    return takenBy(chainId) + 1 > free - 1
  }

  function takenBy(chainId: number): number {
    return taken.get(chainId) ?? 0
  }
}
