/** In order, as many in each part as together weigh no more than `most`; what weighs more by itself has a part to itself. */
export function partsUpTo<T>(items: readonly T[], weightOf: (item: T) => bigint, most: bigint): T[][] {
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
