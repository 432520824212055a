/** A node this many blocks behind the others lags. */
const lagBlocks = 5

/** How many blocks each node is behind the newest of them: 0 where that is no lag yet, and where it did not answer. */
export function lags(heads: readonly (number | null)[]): number[] {
  const newest = Math.max(...heads.map((number) => number ?? 0))
  return heads.map((number) => (number === null || newest - number < lagBlocks ? 0 : newest - number))
}
