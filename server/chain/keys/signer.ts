import type { Address, Hex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { keccak256 } from '../../../sdk/src/keccak256.js'
import { encodeTransaction, type UnsignedTransaction } from '../encodeTransaction.js'
import { chooseSigning } from './signHash.js'

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

/** A signer whose key is in this process. */
export function createSigner(privateKey: Hex, { signHash } = chooseSigning()): Signer {
  return {
    address: privateKeyToAddress(privateKey).toLowerCase() as Address,
    async signTransaction(transaction) {
      const hash = keccak256(encodeTransaction(transaction))
      return encodeTransaction(transaction, await signHash(hash, privateKey))
    },
  }
}
