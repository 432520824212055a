/** No list of a request may have more; a test holds this against the spec. */
export const mostItems = 64
/** Deeper than any list of a request. What nobody looks at may be nested as deeply as a body is long. */
const deepest = 10

/**
 * Cuts lists that are too long to one item more than any may have, which is enough to refuse them: told of each of the
 * hundred thousand that a body has room for, validation would keep everybody else waiting for a second. Answers of how many
 * values it is made then.
 */
export function clipLists(value: unknown, depth = 0): number {
  if (typeof value !== 'object' || value === null || depth > deepest) return 1
  if (Array.isArray(value) && value.length > mostItems) value.length = mostItems + 1
  let values = 1
  for (const part of Object.values(value)) values += clipLists(part, depth + 1)
  return values
}

/** What it begins with: its lists end where so many values have been seen, though none is empty that was not. */
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
