import type { Hex } from 'viem'

/** Addresses and hashes are compared and stored in lower case. */
export function lower<T extends Hex>(hex: T): T {
  return hex.toLowerCase() as T
}
