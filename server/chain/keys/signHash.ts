import { bytesToHex, type Hash, type Hex } from 'viem'
import { sign } from 'viem/accounts'
import type { SignatureParts } from '../encodeTransaction.js'
import { knownAnswer, type Libsecp256k1, loadLibsecp256k1, toBytes } from './libsecp256k1.js'

/** Signs 32 bytes with a key: RFC 6979, with the lower of both `s` (EIP-2). */
type SignHash = (hash: Hash, privateKey: Hex) => Promise<SignatureParts>

/**
 * Signing by libsecp256k1 where its binary loads and is right (several times as fast), else by viem; both give the
 * same.
 */
export function chooseSigning(load: () => Pick<Libsecp256k1, 'ecdsaSign'> = loadLibsecp256k1): {
  by: 'libsecp256k1' | 'viem'
  signHash: SignHash
} {
  try {
    const native = load()
    requireKnownAnswer(native)
    return { by: 'libsecp256k1', signHash: async (hash, privateKey) => signBy(native, hash, privateKey) }
  } catch {
    return { by: 'viem', signHash: signByViem }
  }
}

function signBy(native: Pick<Libsecp256k1, 'ecdsaSign'>, hash: Hash, privateKey: Hex): SignatureParts {
  const { signature, recid } = native.ecdsaSign(toBytes(hash, 32), toBytes(privateKey, 32))
  return {
    r: bytesToHex(signature.subarray(0, 32)),
    s: bytesToHex(signature.subarray(32)),
    yParity: recid & 1,
  }
}

async function signByViem(hash: Hash, privateKey: Hex): Promise<SignatureParts> {
  const { r, s, yParity } = await sign({ hash, privateKey })
  return { r, s, yParity: yParity! }
}

function requireKnownAnswer(native: Pick<Libsecp256k1, 'ecdsaSign'>): void {
  const { key, hash, signature: known } = knownAnswer
  const { r, s, yParity } = signBy(native, hash, key)
  if (r !== known.r || s !== known.s || yParity !== known.yParity) throw new Error('wrong answer')
}
