import { createRequire } from 'node:module'
import type { Hex } from 'viem'

/** The part of the package `secp256k1` that is used here. Each throws where there is no answer. */
export type Libsecp256k1 = {
  /** 65 bytes, uncompressed. */
  ecdsaRecover(signature: Uint8Array, yParity: number, hash: Uint8Array, compressed: boolean): Uint8Array
  /** RFC 6979, with the lower of both `s`: r and s in 64 bytes. */
  ecdsaSign(hash: Uint8Array, key: Uint8Array): { signature: Uint8Array; recid: number }
}

/**
 * Loads the binary, past the package's own fallback, which is JavaScript that nobody here has tested. Throws where
 * there is none.
 */
export function loadLibsecp256k1(): Libsecp256k1 {
  return createRequire(import.meta.url)('secp256k1/bindings.js') as Libsecp256k1
}

/**
 * RFC 6979's signature for key 1, for a binary to be compared with before it is believed: one that loads and answers
 * wrong must neither sign anything nor decide on anybody's money.
 */
export const knownAnswer = {
  key: `0x${'00'.repeat(31)}01`,
  address: '0x7e5f4552091a69125d5dfcb7b8c2659029395bdf',
  hash: `0x${'01'.repeat(32)}`,
  signature: {
    r: '0x747a6c6bd9a8ff0b77a99b8f274f5df5198b5dddc33edd4bc89e459d13dfa617',
    s: '0x7431bfa016325b8f27491781d1c462999f1dde760560373a517d29161c2df139',
    yParity: 1,
  },
} as const

/** Throws when the hex has another length. */
export function toBytes(hex: Hex, length: number): Uint8Array {
  const bytes = Buffer.from(hex.slice(2), 'hex')
  if (bytes.length !== length) throw new Error(`Not ${length} bytes`)
  return bytes
}
