import {
  type Address,
  domainSeparator,
  encodeAbiParameters,
  type Hash,
  type Hex,
  numberToHex,
  toRlp,
  type TypedDataDomain,
} from 'viem'
import { hashAll, keccak256 } from './keccak256.js'
import { readToken } from './readToken.js'
import { hashBatchStruct, hashIntentStruct, hashTransferStruct, intentTypes } from './structHash.js'

/** What is signed, and its hashes. */

/**
 * How an intent is signed. `ecdsa` covers the calls; `eip712` covers the token transfers too, and wallets can show it.
 */
export type SignatureType = 'ecdsa' | 'eip712'

/** A call of the user's account. `value` in wei. */
export type Call = {
  to: Address
  /** The native currency that it carries, in wei. */
  value: bigint
  /** The calldata, such as viem's `encodeFunctionData` gives. */
  data: Hex
}

/** A token movement; `amount` in the token's smallest unit, the zero address is the native currency. */
export type TokenTransfer = {
  /** The sender's address, or `solver` when the solver funds the transfer. */
  from: Address | 'solver'
  to: Address
  /** The token's contract, or the zero address for the native currency; `0x0` and `0xEeee…EEeE` mean the same. */
  token: Address
  /** In the token's smallest unit, such as viem's `parseUnits` gives. */
  amount: bigint
}

/** One chain's part of an intent. */
export type ChainBatch = {
  chainId: number
  /** What is to move: from the user, what his calls bring about; from `solver`, what the vault pays before they run. */
  tokenTransfers: readonly TokenTransfer[]
  /** What the user's account does, in order, all or nothing. */
  calls: readonly Call[]
}

/** What a user signs once, for all its chains. `nbf` and `exp` in unix seconds; `nbf` 0 means at once. */
export type UnsignedIntent = {
  signatureType: SignatureType
  nbf: number
  exp: number
  chainBatches: readonly ChainBatch[]
}

/** An EIP-7702 tuple signed by the account that authorizes. `nonce` is the account's, `address` the delegate. */
export type SignedAuthorization = {
  address: Address
  chainId: number
  nonce: number
  r: Hex
  s: Hex
  /** 0 or 1; 0 by default. */
  yParity?: number | undefined
}

/** The EIP-712 domain of everything that is signed here. No chain id: one signature spans chains. */
export const intentDomain = { name: 'CrossChainIntents', version: '1' } as const satisfies TypedDataDomain

const intentDomainSeparator = /* @__PURE__ */ domainSeparator({ domain: intentDomain })

/** The EIP-712 types of a signed registration of a payment. */
export const registrationTypes = {
  Registration: [
    { name: 'actionId', type: 'string' },
    { name: 'intentIndex', type: 'uint256' },
    { name: 'stepIndex', type: 'uint256' },
    { name: 'hash', type: 'bytes32' },
  ],
} as const

const zeroAddress: Address = '0x0000000000000000000000000000000000000000'

/**
 * The `hash` of an `ecdsa` batch: keccak256(abi.encode(uint256 chainId, (address to, uint256 value, bytes data)[]
 * calls)). Token transfers are not part of it.
 */
export function chainBatchHash(batch: Pick<ChainBatch, 'chainId' | 'calls'>): Hash {
  return keccak256(
    encodeAbiParameters(
      [{ type: 'uint256' }, { type: 'tuple[]', components: intentTypes.Call }],
      [BigInt(batch.chainId), batch.calls.map(typedCall)],
    ),
  )
}

/** The `hash` of an `eip712` batch: its EIP-712 struct hash. */
export function chainBatchStructHash(batch: ChainBatch): Hash {
  return hashBatchStruct(batch, tokenTransfersHash(batch.tokenTransfers))
}

/** The `hash` that a batch carries in an action, by the intent's signature type. */
export function batchHash(signatureType: SignatureType, batch: ChainBatch): Hash {
  return signatureType === 'ecdsa' ? chainBatchHash(batch) : chainBatchStructHash(batch)
}

/**
 * The EIP-712 encoding of a batch's `tokenTransfers`: keccak256 of their struct hashes, one after the other. The
 * delegate contract gets it beside the signature, since its `execute` carries no transfers.
 */
export function tokenTransfersHash(transfers: readonly TokenTransfer[]): Hash {
  return hashAll(
    transfers.map(({ from, ...rest }) => hashTransferStruct({ ...rest, from: from === 'solver' ? zeroAddress : from })),
  )
}

/** keccak256(abi.encode(string signatureType, uint256 nbf, uint256 exp, bytes32[] batchHashes)); signed by EIP-191. */
export function ecdsaIntentDigest(intent: UnsignedIntent): Hash {
  return intentDigestOf({ ...intent, batchHashes: intent.chainBatches.map((batch) => chainBatchHash(batch)) })
}

/** The intent as EIP-712 typed data, as `eth_signTypedData_v4` wants it. `solver` is the zero address. */
export function intentTypedData(intent: Omit<UnsignedIntent, 'signatureType'>) {
  return {
    domain: intentDomain,
    types: intentTypes,
    primaryType: 'Intent',
    message: {
      nbf: BigInt(intent.nbf),
      exp: BigInt(intent.exp),
      chainBatches: intent.chainBatches.map(typedBatch),
    },
  } as const
}

/** The EIP-712 digest of the intent. */
export function eip712IntentDigest(intent: Omit<UnsignedIntent, 'signatureType'>): Hash {
  const batchHashes = intent.chainBatches.map(chainBatchStructHash)
  return intentDigestOf({ ...intent, signatureType: 'eip712', batchHashes })
}

/**
 * The digest that names an intent, on chain and off. For `eip712` it is what the signature signs; for `ecdsa` the
 * signature is over its EIP-191 form (`personal_sign` of the 32 raw bytes).
 */
export function intentDigest(intent: UnsignedIntent): Hash {
  const { signatureType, chainBatches } = intent
  return intentDigestOf({ ...intent, batchHashes: chainBatches.map((batch) => batchHash(signatureType, batch)) })
}

/** The same, for who knows the hashes of the batches (`batchHash`) already. */
export function intentDigestOf(intent: {
  signatureType: SignatureType
  nbf: number
  exp: number
  batchHashes: readonly Hash[]
}): Hash {
  const { signatureType, nbf, exp, batchHashes } = intent
  if (signatureType === 'ecdsa') {
    return keccak256(
      encodeAbiParameters(
        [{ type: 'string' }, { type: 'uint256' }, { type: 'uint256' }, { type: 'bytes32[]' }],
        [signatureType, BigInt(nbf), BigInt(exp), batchHashes],
      ),
    )
  }
  return hashAll(['0x1901', intentDomainSeparator, hashIntentStruct(intent)])
}

/** What a delegate remembers an executed batch by: keccak256(abi.encode(bytes32 intentDigest, uint256 batchIndex)). */
export function chainBatchId(digest: Hash, batchIndex: number): Hash {
  return keccak256(encodeAbiParameters([{ type: 'bytes32' }, { type: 'uint256' }], [digest, BigInt(batchIndex)]))
}

/**
 * What an EIP-7702 authorization signs: keccak256(0x05 ‖ rlp([chainId, address, nonce])). Chain id 0 means any chain.
 */
export function authorizationDigest(authorization: { address: Address; chainId: number; nonce: number }): Hash {
  const { address, chainId, nonce } = authorization
  const [chain, count] = [chainId, nonce].map((value) => (value ? numberToHex(value) : '0x'))
  return hashAll(['0x05', toRlp([chain!, address, count!])])
}

/** A registration of a payment as EIP-712 typed data. */
export function registrationTypedData(registration: {
  actionId: string
  intentIndex: number
  stepIndex: number
  hash: Hash
}) {
  const { actionId, intentIndex, stepIndex, hash } = registration
  return {
    domain: intentDomain,
    types: registrationTypes,
    primaryType: 'Registration',
    message: { actionId, intentIndex: BigInt(intentIndex), stepIndex: BigInt(stepIndex), hash },
  } as const
}

function typedBatch(batch: ChainBatch) {
  return {
    chainId: BigInt(batch.chainId),
    tokenTransfers: batch.tokenTransfers.map(typedTransfer),
    calls: batch.calls.map(typedCall),
  }
}

function typedCall({ to, value, data }: Call) {
  return { to: lower(to), value, data }
}

function typedTransfer({ from, to, token, amount }: TokenTransfer) {
  return { from: from === 'solver' ? zeroAddress : lower(from), to: lower(to), token: readToken(token), amount }
}

/** Any letter case is an address here; viem refuses mixed case that is not EIP-55. What is signed is the bytes. */
function lower(address: Address): Address {
  return address.toLowerCase() as Address
}
