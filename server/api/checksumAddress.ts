import type { Address } from 'viem'
import { keccak256 } from '../../sdk/src/keccak256.js'

const [eight, a, capitalA] = ['8', 'a', 'A'].map((digit) => digit.charCodeAt(0)) as [number, number, number]

/**
 * An address as answers write it, in EIP-55 form: a letter is a capital where the hash of the lower case digits has 8
 * or more at its place. viem's `getAddress` hashes in JavaScript, and a page of actions may name thousands.
 */
export function checksumAddress(address: Address): Address {
  const digits = Buffer.from(address.slice(2).toLowerCase(), 'latin1')
  const hash = keccak256(digits)
  for (let place = 0; place < digits.length; place++) {
    const digit = digits[place]!
    if (digit >= a && hash.charCodeAt(place + 2) >= eight) digits[place] = digit - a + capitalA
  }
  return `0x${digits.toString('latin1')}`
}
