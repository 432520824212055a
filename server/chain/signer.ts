import type { Address, Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { ChainAuthorization } from '../domain/action.js'

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

/** Signs for one address. A key in a file today; whatever else can sign an EIP-1559 or EIP-7702 transaction later. */
export type Signer = {
  /** Lower case. */
  address: Address
  /** The raw bytes to send: of type 4 with authorizations (EIP-7702), of type 2 without (EIP-1559). */
  signTransaction(transaction: UnsignedTransaction): Promise<Hex>
}

export function createSigner(privateKey: Hex): Signer {
  const account = privateKeyToAccount(privateKey)
  return {
    address: account.address.toLowerCase() as Address,
    signTransaction({ authorizations, ...transaction }) {
      return authorizations.length === 0
        ? account.signTransaction({ ...transaction, type: 'eip1559' })
        : account.signTransaction({ ...transaction, type: 'eip7702', authorizationList: [...authorizations] })
    },
  }
}
