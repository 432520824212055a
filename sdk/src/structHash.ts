import {
  type Address,
  concat,
  type Hash,
  type Hex,
  InvalidAddressError,
  isAddress,
  numberToHex,
  pad,
  stringToHex,
} from 'viem'
import { keccak256 } from './keccak256.js'
import { readToken } from './readToken.js'

/**
 * The structs of an intent as EIP-712 hashes them, by hand: viem would hash the types anew for every struct, which was
 * most of the work of checking an action. The types are `intentTypes` of `signing.ts`.
 */

const callType = 'Call(address to,uint256 value,bytes data)'
const transferType = 'TokenTransfer(address from,address to,address token,uint256 amount)'
const batchType = 'ChainBatch(uint256 chainId,TokenTransfer[] tokenTransfers,Call[] calls)'
const intentType = 'Intent(uint256 nbf,uint256 exp,ChainBatch[] chainBatches)'

// Marked as pure, so that bundlers leave the hashing out where only the types are used.
const typeHashes = /* @__PURE__ */ hashTypes()

function hashTypes() {
  const hashed = (type: string) => keccak256(stringToHex(type))
  return {
    Intent: hashed(intentType + callType + batchType + transferType),
    ChainBatch: hashed(batchType + callType + transferType),
    TokenTransfer: hashed(transferType),
    Call: hashed(callType),
  }
}

export function hashIntentStruct(intent: { nbf: number; exp: number; batchHashes: readonly Hash[] }): Hash {
  const { nbf, exp, batchHashes } = intent
  return keccak256(concat([typeHashes.Intent, word(nbf), word(exp), keccak256(concat(batchHashes))]))
}

/** `transfersHash`: keccak256 of the transfers' struct hashes, one after the other. */
export function hashBatchStruct(
  batch: { chainId: number; calls: readonly { to: Address; value: bigint; data: Hex }[] },
  transfersHash: Hash,
): Hash {
  const calls = batch.calls.map(({ to, value, data }) =>
    keccak256(concat([typeHashes.Call, addressWord(to), word(value), keccak256(data)])),
  )
  return keccak256(concat([typeHashes.ChainBatch, word(batch.chainId), transfersHash, keccak256(concat(calls))]))
}

export function hashTransferStruct(transfer: { from: Address; to: Address; token: Address; amount: bigint }): Hash {
  const { from, to, token, amount } = transfer
  return keccak256(
    concat([typeHashes.TokenTransfer, addressWord(from), addressWord(to), addressWord(readToken(token)), word(amount)]),
  )
}

/** One word of ABI encoding. Throws for what does not fit a uint256. */
export function word(value: number | bigint): Hex {
  return numberToHex(value, { size: 32 })
}

export function addressWord(address: Address): Hex {
  if (!isAddress(address, { strict: false })) throw new InvalidAddressError({ address })
  return pad(address.toLowerCase() as Address, { size: 32 })
}
