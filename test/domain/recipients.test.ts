import { expect } from 'chai'
import { getAddress } from 'viem'
import type { Intent } from '../../server/domain/action.js'
import { forbiddenRecipient } from '../../server/domain/recipients.js'
import { aBatch, anOnDemandIntent, aSignedIntent, aTransfer, randomAddress } from '../support/builders.js'

describe('whom the solver pays', () => {
  const [user, thief] = [randomAddress(), randomAddress()]
  const told = (intent: Intent, ...to: (typeof user)[]) =>
    forbiddenRecipient(user, intent, aBatch({ tokenTransfers: to.map((address) => aTransfer({ to: address })) }))

  it('is the user alone where he has not signed the transfers, and who else was to be is named', () => {
    for (const intent of [aSignedIntent(), anOnDemandIntent(user)]) {
      expect(told(intent, user)).to.equal(null)
      expect(told(intent, user, thief)).to.contain(getAddress(thief))
    }
  })

  it('is anyone whom the user has signed', () => {
    expect(told({ ...aSignedIntent(), signatureType: 'eip712' } as Intent, user, thief)).to.equal(null)
  })

  it('does not bind what the user pays himself', () => {
    const batch = aBatch({ tokenTransfers: [aTransfer({ from: user, to: thief })] })
    expect(forbiddenRecipient(user, anOnDemandIntent(user), batch)).to.equal(null)
  })
})
