/** In characters. What a contract or a node says may be of any length, a column is not. */
const longestMessage = 2000

/**
 * A message as it is stored: cut where it is too long. MySQL would refuse the whole write (`TEXT` holds 64 KiB), so
 * that the step or report that the message belongs to would never end, and be tried again for ever.
 */
export function storedMessage(message: string): string {
  if (message.length <= longestMessage) return message
  // Not cut in the middle of a surrogate pair: half of one is no character.
  return `${message.slice(0, longestMessage - 1).replace(/[\ud800-\udbff]$/, '')}…`
}
