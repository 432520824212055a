import { createRequire } from 'node:module'
import { type Address, recoverAddress } from 'viem'
import { keccak256 } from '../../sdk/src/keccak256.js'
import type { RecoverAddress } from '../../sdk/src/signing.js'

/** The part of the package `secp256k1` that is used here. */
type Native = {
  /** 65 bytes, uncompressed. Throws when there is no such key. */
  ecdsaRecover(signature: Uint8Array, yParity: number, hash: Uint8Array, compressed: boolean): Uint8Array
}

/** Recovery of a signer, by libsecp256k1 where its binary loads (30 times as fast), else by viem. */
export function chooseRecovery(load: () => Native = loadNative): {
  by: 'libsecp256k1' | 'viem'
  recover: RecoverAddress
} {
  try {
    const native = load()
    requireKnownAnswer(native)
    return { by: 'libsecp256k1', recover: async (parameters) => recoverBy(native, parameters) }
  } catch {
    return { by: 'viem', recover: recoverAddress }
  }
}

/** Past the package's own fallback, which is JavaScript that nobody here has tested. */
function loadNative(): Native {
  return createRequire(import.meta.url)('secp256k1/bindings.js') as Native
}

/** The answer is in lower case. */
function recoverBy(native: Native, { hash, signature }: Parameters<RecoverAddress>[0]): Address {
  const { r, s, yParity } = signature
  if (yParity !== 0 && yParity !== 1) throw new Error(`${yParity} is no parity`)
  const publicKey = native.ecdsaRecover(toBytes(r + s.slice(2), 64), yParity, toBytes(hash, 32), false)
  return `0x${keccak256(publicKey.subarray(1)).slice(26)}`
}

function toBytes(hex: string, length: number): Uint8Array {
  const bytes = Buffer.from(hex.slice(2), 'hex')
  if (bytes.length !== length) throw new Error(`Not ${length} bytes`)
  return bytes
}

/** A binary that loads and answers wrong must not decide on anybody's money. The signature is RFC 6979's for key 1. */
function requireKnownAnswer(native: Native): void {
  const known = {
    hash: '0x0101010101010101010101010101010101010101010101010101010101010101',
    signature: {
      r: '0x747a6c6bd9a8ff0b77a99b8f274f5df5198b5dddc33edd4bc89e459d13dfa617',
      s: '0x7431bfa016325b8f27491781d1c462999f1dde760560373a517d29161c2df139',
      yParity: 1,
    },
  } as const
  if (recoverBy(native, known) !== '0x7e5f4552091a69125d5dfcb7b8c2659029395bdf') throw new Error('wrong answer')
}
