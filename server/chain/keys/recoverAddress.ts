import { type Address, recoverAddress } from 'viem'
import { keccak256 } from '../../../sdk/src/keccak256.js'
import type { RecoverAddress } from '../../../sdk/src/signing.js'
import { knownAnswer, type Libsecp256k1, loadLibsecp256k1, toBytes } from './libsecp256k1.js'

type Native = Pick<Libsecp256k1, 'ecdsaRecover'>

/** Recovery of a signer, by libsecp256k1 where its binary loads (30 times as fast), else by viem. */
export function chooseRecovery(load: () => Native = loadLibsecp256k1): {
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

/** The answer is in lower case. */
function recoverBy(native: Native, { hash, signature }: Parameters<RecoverAddress>[0]): Address {
  const { r, s, yParity } = signature
  if (yParity !== 0 && yParity !== 1) throw new Error(`${yParity} is no parity`)
  const publicKey = native.ecdsaRecover(toBytes(`${r}${s.slice(2)}`, 64), yParity, toBytes(hash, 32), false)
  return `0x${keccak256(publicKey.subarray(1)).slice(26)}`
}

function requireKnownAnswer(native: Native): void {
  if (recoverBy(native, knownAnswer) !== knownAnswer.address) throw new Error('wrong answer')
}
