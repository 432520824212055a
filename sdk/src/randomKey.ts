import { IntentError } from './errors.js'

/** A key that nobody else has. */
export function randomKey(): string {
  // Unlike randomUUID, this is there on plain http pages too.
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The caller's idempotency key, if the service will take it, else one that nobody else has. */
export function keyOf(given: string | undefined): string {
  if (given === undefined) return randomKey()
  if (typeof given === 'string' && /^(?=.*[!-~])[ -~]{1,255}$/.test(given)) return given
  throw new IntentError('idempotencyKey has to be 1 to 255 printable ASCII characters, not all spaces.')
}
