/** No list of a request may have more; a test holds this against the spec. */
export const mostItems = 64
/** Deeper than any list of a request. What nobody looks at may be nested as deeply as a body is long. */
const deepest = 10

/**
 * Cuts lists that are too long to one item more than any may have, which is enough to refuse them: told of each of the
 * hundred thousand that a body has room for, validation would keep everybody else waiting for a second.
 */
export function clipLists(value: unknown, depth = 0): void {
  if (typeof value !== 'object' || value === null || depth > deepest) return
  if (Array.isArray(value) && value.length > mostItems) value.length = mostItems + 1
  for (const part of Object.values(value)) clipLists(part, depth + 1)
}
