import type { Address } from 'viem'

/** Other names of the native currency that the service takes in token fields. */
const nativeSynonyms = new Set(['0x0', '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'])

/** A token as the service knows it, and so as it is hashed, signed and paid: the native currency has one name. */
export function readToken(token: Address): Address {
  const address = token.toLowerCase() as Address
  return nativeSynonyms.has(address) ? '0x0000000000000000000000000000000000000000' : address
}
