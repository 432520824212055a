import { chunk } from '../../lists/chunk.js'

/** What `ask` answers for each item, in their order; asked for at most `size` at a time, all parts at once. */
export async function inParts<T, R>(
  items: readonly T[],
  size: number,
  ask: (part: T[]) => Promise<readonly R[]>,
): Promise<R[]> {
  return (await Promise.all(chunk(items, size).map(ask))).flat()
}
