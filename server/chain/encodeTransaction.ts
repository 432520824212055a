import { type Address, type Hex, toRlp } from 'viem'
import type { ChainAuthorization } from '../domain/action.js'

/** Amounts in wei, gas in units of gas. */
export type UnsignedTransaction = {
  chainId: number
  nonce: number
  to: Address
  data: Hex
  value: bigint
  gas: bigint
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
  authorizations: readonly ChainAuthorization[]
}

/** The signature of a transaction or an authorization, by secp256k1. */
export type SignatureParts = Pick<ChainAuthorization, 'r' | 's' | 'yParity'>

/**
 * A transaction's bytes: of type 4 with authorizations (EIP-7702), of type 2 without (EIP-1559). With a signature as
 * they are sent, without one as they are hashed for it. They are byte for byte those of viem's `serializeTransaction`,
 * which goes through hex digit by digit: for a bundle, of 100,000 bytes and more, that takes several times as long.
 */
export function encodeTransaction(transaction: UnsignedTransaction, signature?: SignatureParts): Hex {
  const { chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gas, to, value, data, authorizations } = transaction
  const numbers = [chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gas].map(integer)
  const accessList: Uint8Array[] = []
  const tuples = authorizations.map((tuple) => [
    integer(tuple.chainId),
    bytes(tuple.address),
    integer(tuple.nonce),
    ...signatureItems(tuple),
  ])
  const items = [
    ...numbers,
    bytes(to),
    integer(value),
    bytes(data),
    accessList,
    ...(tuples.length > 0 ? [tuples] : []),
    ...(signature ? signatureItems(signature) : []),
  ]
  const type = tuples.length > 0 ? '04' : '02'
  return `0x${type}${Buffer.from(toRlp(items, 'bytes')).toString('hex')}`
}

function signatureItems({ yParity, r, s }: SignatureParts): Uint8Array[] {
  return [integer(yParity), integer(r), integer(s)]
}

/** RLP's numbers have no leading zeros, and nothing stands for zero. */
function integer(value: number | bigint | Hex): Uint8Array {
  const number = BigInt(value)
  if (number === 0n) return new Uint8Array()
  const digits = number.toString(16)
  return Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex')
}

function bytes(hex: Hex): Uint8Array {
  return Buffer.from(hex.slice(2), 'hex')
}
