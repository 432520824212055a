/** A key that nobody else has. */
export function randomKey(): string {
  // Unlike randomUUID, this is there on plain http pages too.
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
