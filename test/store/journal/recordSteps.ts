import type { Address } from 'viem'
import type { StepRef } from '../../../server/domain/action.js'
import type { Store } from '../../../server/store/store.js'
import { aNewTransaction, aSignedForm } from '../../support/builders.js'

/**
 * Records a transaction that carries these steps, on a lane of chain 1. Its nonce is added to `signed` as it is signed.
 */
export function recordSteps(store: Store, signer: Address, steps: readonly StepRef[], signed: number[] = []) {
  const entry = aNewTransaction({
    chainId: 1,
    signer,
    steps: steps.map((step) => ({ ref: step, attempt: '1' })),
    sign: async (nonce) => {
      signed.push(nonce)
      return aSignedForm(`0x${nonce.toString(16).padStart(8, '0')}`)
    },
  })
  return store.recordTransaction(entry, Date.now())
}
