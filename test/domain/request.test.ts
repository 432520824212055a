import { expect } from 'chai'
import type { Hash } from 'viem'
import type { Status } from '../../server/domain/action.js'
import { decideRequest, type RequestedStep } from '../../server/domain/request.js'
import { statusOf } from '../../server/domain/status.js'

const hash: Hash = `0x${'ab'.repeat(32)}`
const otherHash: Hash = `0x${'cd'.repeat(32)}`

function step(fields: Partial<RequestedStep>): RequestedStep {
  return {
    kind: 'delegated',
    status: 'created',
    error: null,
    attempts: 0,
    transactionHash: null,
    isRegistrationSigned: false,
    isMined: false,
    follow: false,
    ...fields,
  }
}

/** Why it is refused; none where it is not. */
function refusal(decision: ReturnType<typeof decideRequest>): string {
  return decision.outcome === 'refused' ? decision.code : 'none'
}

const execute = { action: 'execute', hash: null, signed: false, proofRequired: false, behindFailed: false } as const
const failure = (retryable: boolean) => ({ code: 'execution_reverted', message: '', retryable }) as const

describe('decision on a request for a step', () => {
  it('accepts the first step and starts it at once', () => {
    expect(decideRequest(step({}), null, execute)).to.deep.equal({ outcome: 'accept', ready: true, follow: false })
  })

  it('goes on to what follows from a payment, and from what was asked for so, and from nothing else', () => {
    const payment = { ...execute, hash }
    expect(decideRequest(step({ kind: 'payment' }), null, payment)).to.include({ follow: true })
    expect(decideRequest(step({ kind: 'fulfilment' }), 'success', execute)).to.include({ follow: false })
    const again = { kind: 'fulfilment', status: 'error', error: failure(true), follow: true } as const
    expect(decideRequest(step(again), 'success', execute)).to.include({ outcome: 'accept', follow: true })
  })

  it('takes no payment without a signature where one is required, and answers without one all the same', () => {
    const required = { ...execute, hash, proofRequired: true }
    const payment = step({ kind: 'payment' })
    expect(refusal(decideRequest(payment, null, required))).to.equal('registration_signature_required')
    expect(decideRequest(payment, null, { ...required, signed: true })).to.include({ outcome: 'accept' })
    const failed = { ...payment, status: 'error', error: failure(true), transactionHash: hash } as const
    expect(refusal(decideRequest(failed, null, required))).to.equal('registration_signature_required')
    expect(decideRequest({ ...failed, error: failure(false) }, null, required).outcome).to.equal('answer')
    for (const status of ['executing', 'success'] as const) {
      const known = { ...payment, status, transactionHash: hash, follow: true }
      expect(decideRequest(known, null, { ...required, hash: null }).outcome).to.equal('answer')
    }
    expect(decideRequest(step({}), null, { ...execute, proofRequired: true })).to.include({ outcome: 'accept' })
  })

  it('accepts a step whose predecessor is under way, to follow by itself', () => {
    expect(decideRequest(step({}), 'executing', execute)).to.include({ outcome: 'accept', ready: false })
  })

  for (const previous of ['created', 'error', 'reverted'] as const) {
    it(`refuses a step whose predecessor is "${previous}"`, () => {
      expect(refusal(decideRequest(step({}), previous, execute))).to.equal('previous_step_incomplete')
    })
  }

  it('sends nobody back to a predecessor that may have failed for good', () => {
    const message = (previous: Status) => {
      const decision = decideRequest(step({}), previous, execute)
      return decision.outcome === 'refused' ? decision.message : ''
    }
    const first = 'it has to be executed first.'
    expect(message('created')).to.equal(`The previous step of this intent is "created"; ${first}`)
    for (const failed of ['error', 'reverted'] as const) {
      const otherwise = 'Where its error is not retryable, it takes another intent.'
      expect(message(failed)).to.equal(`The previous step of this intent is "${failed}"; ${first} ${otherwise}`)
    }
  })

  it('takes a step behind one that has failed if it is to end with that one, but none behind one that nobody has asked for', () => {
    const behind = { ...execute, behindFailed: true }
    for (const previous of ['error', 'reverted'] as const)
      expect(decideRequest(step({}), previous, behind)).to.include({ outcome: 'accept', ready: false })
    expect(refusal(decideRequest(step({}), 'created', behind))).to.equal('previous_step_incomplete')
  })

  it('answers with the step when it is under way or done', () => {
    for (const status of ['executing', 'success'] as const) {
      expect(decideRequest(step({ status }), null, execute)).to.deep.equal({ outcome: 'answer' })
    }
  })

  it('tries a retryable failure again, at most five times, and no other', () => {
    const failed = (retryable: boolean, attempts: number) =>
      decideRequest(step({ status: 'reverted', error: failure(retryable), attempts }), null, execute).outcome
    expect(failed(true, 4)).to.equal('accept')
    expect(failed(true, 5)).to.equal('answer')
    expect(failed(false, 1)).to.equal('answer')
  })

  it('wants a hash for a payment, and only there', () => {
    expect(refusal(decideRequest(step({ kind: 'payment' }), null, execute))).to.equal('hash_required')
    expect(refusal(decideRequest(step({}), null, { ...execute, hash }))).to.equal('hash_not_allowed')
    expect(refusal(decideRequest(step({}), null, { ...execute, action: 'register' }))).to.equal('hash_not_allowed')
    const order = { ...execute, action: 'register', hash } as const
    expect(decideRequest(step({ kind: 'payment' }), null, order)).to.include({ outcome: 'accept', follow: false })
  })

  it('does not let a payment under way change its transaction', () => {
    const payment = step({ kind: 'payment', status: 'executing', transactionHash: hash, follow: true })
    expect(decideRequest(payment, null, { ...execute, hash }).outcome).to.equal('answer')
    const changeOf = (of: RequestedStep) => decideRequest(of, null, { ...execute, hash: otherHash })
    expect(refusal(changeOf(payment))).to.equal('transaction_already_registered')
    expect(changeOf(payment))
      .to.have.property('message')
      .that.matches(/ A registration that the user has signed takes its place\.$/)
    expect(changeOf({ ...payment, isRegistrationSigned: true, isMined: true }))
      .to.have.property('message')
      .that.matches(new RegExp(`${hash}\\.$`))
  })

  it('asks for what follows a payment as well when it was only registered before', () => {
    const payment = step({ kind: 'payment', status: 'executing', transactionHash: hash })
    expect(decideRequest(payment, null, { ...execute, hash })).to.deep.equal({ outcome: 'follow' })
    expect(decideRequest(payment, null, execute)).to.deep.equal({ outcome: 'follow' })
    expect(decideRequest(payment, null, { ...execute, action: 'register' })).to.deep.equal({ outcome: 'answer' })
    expect(decideRequest({ ...payment, status: 'success' }, null, execute)).to.deep.equal({ outcome: 'answer' })
  })

  it('does not execute presigned batches', () => {
    expect(refusal(decideRequest(step({ kind: 'presigned' }), null, execute))).to.equal('mode_not_implemented')
  })

  it('lets what the user signs take the place of what nobody signed, while it is not verified', () => {
    const payment = step({ kind: 'payment', status: 'executing', transactionHash: hash })
    const signed = { ...execute, hash: otherHash, signed: true } as const
    expect(decideRequest(payment, null, signed).outcome).to.equal('accept')
    const verified = { ...payment, status: 'success' } as const
    expect(refusal(decideRequest(verified, null, signed))).to.equal('transaction_already_registered')
  })

  it('lets the user exchange what he has signed for until a block has it, as a wallet does that raises the fees', () => {
    const own = step({ kind: 'payment', status: 'executing', transactionHash: hash, isRegistrationSigned: true })
    const other = { ...execute, hash: otherHash, signed: true } as const
    expect(decideRequest(own, null, other).outcome).to.equal('accept')
    const unsigned = { ...other, signed: false }
    expect(refusal(decideRequest(own, null, unsigned))).to.equal('transaction_already_registered')
    const mined = { ...own, isMined: true }
    expect(refusal(decideRequest(mined, null, other))).to.equal('transaction_already_registered')
  })

  it('lets no number of failures stand in the way of what the user signs', () => {
    const worn = step({ kind: 'payment', status: 'error', error: failure(false), attempts: 5, transactionHash: hash })
    const signed = { ...execute, hash: otherHash, signed: true } as const
    expect(decideRequest(worn, null, signed).outcome).to.equal('accept')
    expect(decideRequest(worn, null, { ...signed, signed: false }).outcome).to.equal('answer')
  })
})

describe('status of an intent', () => {
  it('is success only when every step is', () => {
    expect(statusOf(['success', 'success'])).to.equal('success')
    expect(statusOf(['success', 'created'])).to.equal('executing')
    expect(statusOf(['created', 'created'])).to.equal('created')
  })

  it('is the first failed step’s word', () => {
    expect(statusOf(['success', 'reverted', 'error'])).to.equal('reverted')
    expect(statusOf(['executing', 'error'])).to.equal('error')
  })
})
