import type { UnsignedTransaction } from '../../server/chain/encodeTransaction.js'

/** The transaction in the form that viem serializes and signs. */
export function toSerializable({ authorizations, ...transaction }: UnsignedTransaction) {
  return authorizations.length === 0
    ? ({ ...transaction, type: 'eip1559' } as const)
    : ({ ...transaction, type: 'eip7702', authorizationList: [...authorizations] } as const)
}
