/** Of a message, in characters. What a contract or a node says may be of any length, a column is not. */
const longestMessage = 2000

/**
 * A message as it is stored: cut where it is too long. MySQL would refuse it whole (`TEXT` holds 64 KiB), and with it
 * the end of what it tells of, which would be tried again for ever.
 */
export function storedMessage(message: string): string {
  if (message.length <= longestMessage) return message
  // Half of a pair of surrogates would be no character.
  return `${message.slice(0, longestMessage - 1).replace(/[\ud800-\udbff]$/, '')}…`
}
