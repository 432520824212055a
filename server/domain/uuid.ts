/** Whether the text is a UUID in lower case. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
}

/**
 * A UUIDv7 (RFC 9562): 48 bits of unix milliseconds, 12 bits that order the ids of one millisecond, then the 62
 * random bits of another UUID, `random`, of version 4 (as `randomUUID` of node:crypto makes it, which is much faster
 * than 8 bytes of `randomBytes`).
 */
export function uuidV7(nowMs: number, order: number, random: string): string {
  const time = Math.floor(nowMs).toString(16).padStart(12, '0')
  const version = '7' + order.toString(16).padStart(3, '0')
  // The last two groups: the variant, which is that of version 7 too, and all that follows.
  return [time.slice(0, 8), time.slice(8), version, random.slice(19)].join('-')
}
