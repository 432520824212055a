import { type Address, type Hex, serializeTransaction } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { keccak256 } from '../../sdk/src/keccak256.js'
import type { ChainAuthorization } from '../domain/action.js'
import { chooseSigning } from './signHash.js'

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

/**
 * Signs for one address: a key in memory, or whatever else can sign an EIP-1559 and an EIP-7702 transaction. It may be
 * slow and it may fail; what asks it holds no lock and no database connection meanwhile. Its errors hold no secrets.
 */
export type Signer = {
  /** Lower case. */
  address: Address
  /** The raw bytes to send: of type 4 with authorizations (EIP-7702), of type 2 without (EIP-1559). */
  signTransaction(transaction: UnsignedTransaction): Promise<Hex>
}

/** The transaction in the form that viem serializes and signs. */
export function toSerializable({ authorizations, ...transaction }: UnsignedTransaction) {
  return authorizations.length === 0
    ? ({ ...transaction, type: 'eip1559' } as const)
    : ({ ...transaction, type: 'eip7702', authorizationList: [...authorizations] } as const)
}

/** A signer whose key is in this process. */
export function createSigner(privateKey: Hex, { signHash } = chooseSigning()): Signer {
  return {
    address: privateKeyToAddress(privateKey).toLowerCase() as Address,
    async signTransaction(transaction) {
      const serializable = toSerializable(transaction)
      const hash = keccak256(serializeTransaction(serializable))
      return serializeTransaction(serializable, await signHash(hash, privateKey))
    },
  }
}
