import { type Address, zeroAddress } from 'viem'
import { hasRightChecksum } from '../../server/config/chainAddresses.js'

export function readChainId(text: string): number {
  if (!/^[1-9]\d{0,15}$/.test(text)) throw new Error(`<chainId> has to be a number above 0; it is ${text}`)
  return Number(text)
}

export function readExposureId(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text))
    throw new Error(`<id> has to be the number of an exposure, as status shows it; it is ${text}`)
  return Number(text)
}

/** `word` is what it stands for in the usage. */
export function readAddress(text: string, word: string): Address {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) throw new Error(`${word} has to be an address, 0x and 40 hex digits`)
  if (!hasRightChecksum(text))
    throw new Error(`${word} has a wrong checksum (EIP-55), so that a letter may be wrong; copy it anew`)
  return text.toLowerCase() as Address
}

/** The same of somebody: what is sent to the zero address is nobody's. */
export function readSomebody(text: string, word: string): Address {
  const address = readAddress(text, word)
  if (address === zeroAddress) throw new Error(`${word} is the zero address, which is nobody's`)
  return address
}

/** In the token's smallest unit. */
export function readAmount(text: string): bigint {
  if (!/^[1-9]\d{0,77}$/.test(text))
    throw new Error(`<amount> has to be a whole number above 0, in the token's smallest unit; it is ${text}`)
  return BigInt(text)
}
