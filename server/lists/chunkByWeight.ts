/**
 * The items in their order, in lists that each weigh no more than `most`; an item that weighs more by itself has a list
 * to itself.
 */
export function chunkByWeight<T>(items: readonly T[], weightOf: (item: T) => bigint, most: bigint): T[][] {
  const parts: T[][] = []
  let weight = 0n
  for (const item of items) {
    weight += weightOf(item)
    const part = parts.at(-1)
    if (part && weight <= most) {
      part.push(item)
      continue
    }
    parts.push([item])
    weight = weightOf(item)
  }
  return parts
}
