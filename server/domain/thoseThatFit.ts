/** In their order, those that together are no longer than `most`; one that is too long beside the others is left out. */
export function thoseThatFit<Item>(items: readonly Item[], lengthOf: (item: Item) => number, most: number): Item[] {
  let length = 0
  return items.filter((item) => {
    const fits = length + lengthOf(item) <= most
    if (fits) length += lengthOf(item)
    return fits
  })
}
