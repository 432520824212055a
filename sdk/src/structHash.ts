import { type Address, type Hash, type Hex, InvalidAddressError, isAddress, numberToHex, pad } from 'viem'
import { hashAll, hashText, keccak256 } from './keccak256.js'
import { readToken } from './readToken.js'

/**
 * The structs of an intent as EIP-712 hashes them, by hand: viem would hash the types anew for every struct, which was
 * most of the work of checking an action.
 */

/** The EIP-712 types of a signed intent. */
export const intentTypes = {
  Intent: [
    { name: 'nbf', type: 'uint256' },
    { name: 'exp', type: 'uint256' },
    { name: 'chainBatches', type: 'ChainBatch[]' },
  ],
  ChainBatch: [
    { name: 'chainId', type: 'uint256' },
    { name: 'tokenTransfers', type: 'TokenTransfer[]' },
    { name: 'calls', type: 'Call[]' },
  ],
  TokenTransfer: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'token', type: 'address' },
    { name: 'amount', type: 'uint256' },
  ],
  Call: [
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'data', type: 'bytes' },
  ],
} as const

// Marked as pure, so that bundlers leave the hashing out where only the types are used.
const typeHashes = /* @__PURE__ */ hashTypes()

function hashTypes() {
  // The struct's own type first, then those that it refers to, by their names (EIP-712, encodeType).
  const hashed = (...names: (keyof typeof intentTypes)[]) =>
    hashText(names.map((name) => `${name}(${intentTypes[name].map(member).join()})`).join(''))
  const member = ({ name, type }: { name: string; type: string }) => `${type} ${name}`
  return {
    Intent: hashed('Intent', 'Call', 'ChainBatch', 'TokenTransfer'),
    ChainBatch: hashed('ChainBatch', 'Call', 'TokenTransfer'),
    TokenTransfer: hashed('TokenTransfer'),
    Call: hashed('Call'),
  }
}

export function hashIntentStruct(intent: { nbf: number; exp: number; batchHashes: readonly Hash[] }): Hash {
  const { nbf, exp, batchHashes } = intent
  return hashAll([typeHashes.Intent, word(nbf), word(exp), hashAll(batchHashes)])
}

/** `transfersHash`: keccak256 of the transfers' struct hashes, one after the other. */
export function hashBatchStruct(
  batch: { chainId: number; calls: readonly { to: Address; value: bigint; data: Hex }[] },
  transfersHash: Hash,
): Hash {
  const calls = batch.calls.map(({ to, value, data }) =>
    hashAll([typeHashes.Call, addressWord(to), word(value), keccak256(data)]),
  )
  return hashAll([typeHashes.ChainBatch, word(batch.chainId), transfersHash, hashAll(calls)])
}

export function hashTransferStruct(transfer: { from: Address; to: Address; token: Address; amount: bigint }): Hash {
  const { from, to, token, amount } = transfer
  return hashAll([
    typeHashes.TokenTransfer,
    addressWord(from),
    addressWord(to),
    addressWord(readToken(token)),
    word(amount),
  ])
}

/** One word of ABI encoding. Throws for what does not fit a uint256. */
export function word(value: number | bigint): Hex {
  return numberToHex(value, { size: 32 })
}

export function addressWord(address: Address): Hex {
  if (!isAddress(address, { strict: false })) throw new InvalidAddressError({ address })
  return pad(address.toLowerCase() as Address, { size: 32 })
}
