import { expect } from 'chai'
import { forbiddenRecipient } from '../../server/domain/recipients.js'
import { refusalOf } from '../../server/engine/steps/refusals.js'
import type { StepWork } from '../../server/store/actions/steps.js'
import { aBatch, aSignedIntent, aTransfer, randomAddress } from '../support/builders.js'

describe('a step that may not be carried out', () => {
  const user = randomAddress()
  const intent = { ...aSignedIntent(), nbf: 100, exp: 200 }
  const work = (batch = aBatch()) => ({ user, intent, batch }) as unknown as StepWork

  it('is one before its intent’s time and after it, to the second', () => {
    const codeAt = (seconds: number) => refusalOf(work(), seconds * 1000)?.code
    expect([99, 100, 200, 201].map(codeAt)).to.deep.equal([
      'intent_not_yet_valid',
      undefined,
      undefined,
      'intent_expired',
    ])
  })

  it('is one in which the solver would pay somebody whom the user has not signed', () => {
    const batch = aBatch({ tokenTransfers: [aTransfer()] })
    expect(refusalOf(work(batch), 150_000)).to.deep.equal({
      code: 'recipient_not_allowed',
      message: forbiddenRecipient(user, work().intent, batch),
      retryable: false,
    })
    expect(refusalOf(work(aBatch({ tokenTransfers: [aTransfer({ to: user })] })), 150_000)).to.equal(null)
  })
})
