import {
  type Address,
  type Hash,
  hashTypedData,
  type Hex,
  hexToBigInt,
  pad,
  recoverAddress,
  size,
  slice,
  toPrefixedMessage,
} from 'viem'
import {
  authorizationDigest,
  intentDigest,
  registrationTypedData,
  type SignatureType,
  type SignedAuthorization,
  type UnsignedIntent,
} from './digests.js'
import { keccak256 } from './keccak256.js'

/** All that is signed and its hashes, and the checks of others' signatures, which servers alone need. */

export {
  authorizationDigest,
  batchHash,
  type Call,
  type ChainBatch,
  chainBatchHash,
  chainBatchId,
  chainBatchStructHash,
  ecdsaIntentDigest,
  eip712IntentDigest,
  intentDigest,
  intentDigestOf,
  intentDomain,
  intentTypedData,
  registrationTypedData,
  registrationTypes,
  type SignatureType,
  type SignedAuthorization,
  type TokenTransfer,
  tokenTransfersHash,
  type UnsignedIntent,
} from './digests.js'
export { intentTypes } from './structHash.js'

/**
 * Recovers who made a signature over a hash; rejects when nobody can have made it. viem's `recoverAddress` is one, and
 * what is used by default; software with native code may bring its own.
 */
export type RecoverAddress = (parameters: {
  hash: Hash
  /** Words of 32 bytes; `yParity` 0 or 1. */
  signature: { r: Hex; s: Hex; yParity: number }
}) => Promise<Address>

/** Half of secp256k1's order; EIP-2 and EIP-7702 refuse an `s` above it. */
const highestS = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

/**
 * Who signed an intent. Null when the signature is not 65 bytes with a low `s` and `v` 27 or 28, or recovers to nobody.
 */
export async function recoverIntentSigner(
  intent: UnsignedIntent & { signature: Hex },
  recover: RecoverAddress = recoverAddress,
): Promise<Address | null> {
  const { signatureType, signature } = intent
  return recoverDigestSigner({ signatureType, digest: intentDigest(intent), signature }, recover)
}

/** Who signed an intent whose digest (`intentDigest`) is known already. Null as in `recoverIntentSigner`. */
export async function recoverDigestSigner(
  { signatureType, digest, signature }: { signatureType: SignatureType; digest: Hash; signature: Hex },
  recover: RecoverAddress = recoverAddress,
): Promise<Address | null> {
  return recoverSigner(
    signatureType === 'ecdsa' ? keccak256(toPrefixedMessage({ raw: digest })) : digest,
    signature,
    recover,
  )
}

/**
 * Who signed an authorization. Null when its parts are no valid signature (EIP-7702 wants a low `s`, `yParity` 0 or 1).
 */
export async function recoverAuthorizationSigner(
  authorization: SignedAuthorization,
  recover: RecoverAddress = recoverAddress,
): Promise<Address | null> {
  const { yParity = 0 } = authorization
  const [r, s] = [toWord(authorization.r), toWord(authorization.s)]
  if (yParity !== 0 && yParity !== 1) return null
  if (!r || !s || hexToBigInt(s) > highestS) return null
  return recover({ hash: authorizationDigest(authorization), signature: { r, s, yParity } }).catch(() => null)
}

/** Whether `user` signed the registration of this transaction for this step. */
export async function verifyRegistration(
  registration: {
    actionId: string
    intentIndex: number
    stepIndex: number
    hash: Hash
    signature: Hex
    user: Address
  },
  recover: RecoverAddress = recoverAddress,
): Promise<boolean> {
  const digest = hashTypedData(registrationTypedData(registration))
  const signer = await recoverSigner(digest, registration.signature, recover)
  return signer?.toLowerCase() === registration.user.toLowerCase()
}

/** Whether a signature has the form that the contracts take: 65 bytes, a low `s` (EIP-2), `v` 27 or 28. */
export function isWellFormedSignature(signature: Hex): boolean {
  if (size(signature) !== 65) return false
  const v = Number(slice(signature, 64, 65))
  return (v === 27 || v === 28) && hexToBigInt(slice(signature, 32, 64)) <= highestS
}

async function recoverSigner(hash: Hash, signature: Hex, recover: RecoverAddress): Promise<Address | null> {
  if (!isWellFormedSignature(signature)) return null
  const parts = { r: slice(signature, 0, 32), s: slice(signature, 32, 64), yParity: Number(slice(signature, 64)) - 27 }
  return recover({ hash, signature: parts }).catch(() => null)
}

/** A number of up to 32 bytes as 32 bytes; some software drops leading zeros. Null for anything else. */
function toWord(value: Hex): Hex | null {
  return /^0x[0-9a-fA-F]{1,64}$/.test(value) ? pad(value, { size: 32 }) : null
}
