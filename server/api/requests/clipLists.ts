/** No list of a request may have more items; a test compares this with the spec. */
export const mostItems = 64
/** Deeper than any list that the spec has; lists below are in properties that it does not have, which nobody reads. */
const deepest = 10

/**
 * Cuts each list that is too long, in place, to one item more than a list may have, which is enough to have it refused:
 * of the hundred thousand items that a body has room for, validation would block the event loop for a second. Returns
 * how many values are left.
 */
export function clipLists(value: unknown, depth = 0): number {
  if (typeof value !== 'object' || value === null || depth > deepest) return 1
  if (Array.isArray(value) && value.length > mostItems) value.length = mostItems + 1
  let values = 1
  for (const part of Object.values(value)) values += clipLists(part, depth + 1)
  return values
}

/**
 * A copy of a body's beginning: once it has `mostValues` values, lists end with the item that they are at. Each keeps
 * at least its first item, since an empty list may be an issue that the body itself does not have.
 */
export function beginningOf(value: unknown, mostValues: number): unknown {
  let left = mostValues
  const begin = (part: unknown): unknown => {
    left--
    if (typeof part !== 'object' || part === null) return part
    if (!Array.isArray(part)) {
      return Object.fromEntries(Object.entries(part).map(([name, entry]) => [name, begin(entry)]))
    }
    const items: unknown[] = []
    for (const item of part) {
      if (left <= 0 && items.length > 0) break
      items.push(begin(item))
    }
    return items
  }
  return begin(value)
}
