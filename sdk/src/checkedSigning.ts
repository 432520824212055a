import type { Address, Hash, Hex } from 'viem'
import {
  asHash,
  asIndex,
  checkAuthorization,
  checkBatch,
  checkCalls,
  checkDraft,
  checkRegistration,
  checkSignatureType,
} from './checkDraft.js'
import * as signing from './signing.js'
import type { ChainBatch, RecoverAddress, SignatureType, SignedAuthorization, UnsignedIntent } from './signing.js'

/**
 * The package's `/signing`: the functions of `signing.ts`, which throw an `IntentError` for what can't be hashed, such as
 * half a byte of calldata, of which encoders would make something else. The service checks by its schema first, and calls
 * those of `signing.ts` itself. A signature that is none is no error: nobody has signed.
 */

export { intentDomain, intentTypes, isWellFormedSignature, registrationTypes } from './signing.js'
export type {
  Call,
  ChainBatch,
  RecoverAddress,
  SignatureType,
  SignedAuthorization,
  TokenTransfer,
  UnsignedIntent,
} from './signing.js'

/**
 * The `hash` of an `ecdsa` batch: keccak256(abi.encode(uint256 chainId, (address to, uint256 value, bytes data)[] calls)).
 * Token transfers are not part of it.
 */
export function chainBatchHash(batch: Pick<ChainBatch, 'chainId' | 'calls'>): Hash {
  checkCalls({ ...batch, tokenTransfers: [] }, 'batch')
  return signing.chainBatchHash(batch)
}

/** The `hash` of an `eip712` batch: its EIP-712 struct hash. */
export function chainBatchStructHash(batch: ChainBatch): Hash {
  checkCalls(batch, 'batch')
  return signing.chainBatchStructHash(batch)
}

/** The `hash` that a batch carries in an action, by the intent's signature type. */
export function batchHash(signatureType: SignatureType, batch: ChainBatch): Hash {
  checkSignatureType(signatureType, 'signatureType')
  return signatureType === 'ecdsa' ? chainBatchHash(batch) : chainBatchStructHash(batch)
}

/**
 * The EIP-712 encoding of a batch's `tokenTransfers`: keccak256 of their struct hashes, one after the other. The
 * delegate contract gets it beside the signature, since its `execute` carries no transfers.
 */
export function tokenTransfersHash(tokenTransfers: ChainBatch['tokenTransfers']): Hash {
  checkBatch({ chainId: 1, tokenTransfers }, 'batch')
  return signing.tokenTransfersHash(tokenTransfers)
}

/** keccak256(abi.encode(string signatureType, uint256 nbf, uint256 exp, bytes32[] batchHashes)); signed by EIP-191. */
export function ecdsaIntentDigest(intent: UnsignedIntent): Hash {
  checkIntent(intent)
  return signing.ecdsaIntentDigest(intent)
}

/** The intent as EIP-712 typed data, as `eth_signTypedData_v4` wants it. `solver` is the zero address. */
export function intentTypedData(intent: Omit<UnsignedIntent, 'signatureType'>) {
  checkIntent(intent)
  return signing.intentTypedData(intent)
}

/** The EIP-712 digest of the intent. */
export function eip712IntentDigest(intent: Omit<UnsignedIntent, 'signatureType'>): Hash {
  checkIntent(intent)
  return signing.eip712IntentDigest(intent)
}

/**
 * The digest that names an intent, on chain and off. For `eip712` it is what the signature signs; for `ecdsa` the
 * signature is over its EIP-191 form (`personal_sign` of the 32 raw bytes).
 */
export function intentDigest(intent: UnsignedIntent): Hash {
  checkTyped(intent)
  return signing.intentDigest(intent)
}

/** The same, for who knows the hashes of the batches (`batchHash`) already. */
export function intentDigestOf(intent: Parameters<typeof signing.intentDigestOf>[0]): Hash {
  checkSignatureType(intent.signatureType, 'intent.signatureType')
  checkWindow(intent)
  intent.batchHashes.forEach((hash, index) => asHash(hash, `intent.batchHashes[${index}]`))
  return signing.intentDigestOf(intent)
}

/** What a delegate remembers an executed batch by: keccak256(abi.encode(bytes32 intentDigest, uint256 batchIndex)). */
export function chainBatchId(digest: Hash, batchIndex: number): Hash {
  asHash(digest, 'digest')
  asIndex(batchIndex, 'batchIndex')
  return signing.chainBatchId(digest, batchIndex)
}

/** Who signed an intent. Null when the signature is not 65 bytes with a low `s` and `v` 27 or 28, or recovers to nobody. */
export async function recoverIntentSigner(
  intent: UnsignedIntent & { signature: Hex },
  recover?: RecoverAddress,
): Promise<Address | null> {
  checkTyped(intent)
  return signing.recoverIntentSigner(intent, recover)
}

/** Who signed an intent whose digest (`intentDigest`) is known already. Null as in `recoverIntentSigner`. */
export async function recoverDigestSigner(
  signed: { signatureType: SignatureType; digest: Hash; signature: Hex },
  recover?: RecoverAddress,
): Promise<Address | null> {
  checkSignatureType(signed.signatureType, 'signatureType')
  asHash(signed.digest, 'digest')
  return signing.recoverDigestSigner(signed, recover)
}

/** What an EIP-7702 authorization signs: keccak256(0x05 ‖ rlp([chainId, address, nonce])). Chain id 0 means any chain. */
export function authorizationDigest(authorization: { address: Address; chainId: number; nonce: number }): Hash {
  checkAuthorization(authorization, 'authorization', 0)
  return signing.authorizationDigest(authorization)
}

/** Who signed an authorization. Null when its parts are no valid signature (EIP-7702 wants a low `s`, `yParity` 0 or 1). */
export async function recoverAuthorizationSigner(
  authorization: SignedAuthorization,
  recover?: RecoverAddress,
): Promise<Address | null> {
  checkAuthorization(authorization, 'authorization', 0)
  return signing.recoverAuthorizationSigner(authorization, recover)
}

type Registration = Parameters<typeof signing.registrationTypedData>[0]

/** A registration of a payment as EIP-712 typed data. */
export function registrationTypedData(registration: Registration) {
  checkRegistration(registration)
  return signing.registrationTypedData(registration)
}

/** Whether `user` signed the registration of this transaction for this step. */
export async function verifyRegistration(
  registration: Registration & { signature: Hex; user: Address },
  recover?: RecoverAddress,
): Promise<boolean> {
  checkRegistration(registration)
  return signing.verifyRegistration(registration, recover)
}

function checkTyped(intent: UnsignedIntent): void {
  checkIntent(intent)
  checkSignatureType(intent.signatureType, 'intent.signatureType')
}

function checkIntent(intent: Omit<UnsignedIntent, 'signatureType'>): void {
  checkDraft(intent)
  checkWindow(intent)
}

function checkWindow({ nbf, exp }: { nbf: number; exp: number }): void {
  asIndex(nbf, 'intent.nbf')
  asIndex(exp, 'intent.exp')
}
