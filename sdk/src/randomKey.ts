import { bytesToHex } from 'viem'
import { IntentError } from './errors.js'
import { isText } from './isText.js'

/** A key that nobody else has; where the platform can't make one, the caller is to give what is named. */
export function randomKey(instead = 'idempotencyKey'): string {
  // Old platforms, such as React Native without a polyfill.
  if (typeof globalThis.crypto?.getRandomValues !== 'function') {
    throw new IntentError(`No global crypto for a random key; name ${instead}.`)
  }
  // Unlike randomUUID, this is there on plain http pages too.
  return bytesToHex(crypto.getRandomValues(new Uint8Array(16))).slice(2)
}

/** The caller's idempotency key, if the service will take it, else one that nobody else has. */
export function keyOf(given: string | undefined): string {
  if (given === undefined) return randomKey()
  if (isText(given, /^(?=.*[!-~])[ -~]{1,255}$/)) return given
  throw new IntentError('idempotencyKey has to be 1 to 255 printable ASCII characters, not all spaces.')
}
