/**
 * Those of the items, in their order, that together are no longer than `most`. An item too long for what is left is
 * skipped, and a shorter one after it may still fit.
 */
export function thoseThatFit<Item>(items: readonly Item[], lengthOf: (item: Item) => number, most: number): Item[] {
  let length = 0
  return items.filter((item) => {
    const fits = length + lengthOf(item) <= most
    if (fits) length += lengthOf(item)
    return fits
  })
}
