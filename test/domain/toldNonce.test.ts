import { expect } from 'chai'
import { agreedNonce, commonNonce, highestNonce, nonceByNode } from '../../server/domain/toldNonce.js'

describe('the nonce of an account as the nodes tell it', () => {
  it('is ahead by the node that tells the highest', () => {
    expect(highestNonce([4, null, 9, 7])).to.deep.equal({ nonce: 9, node: 2 })
  })

  it('is what as many tell or exceed as have to agree, so that one alone does not have it be too high', () => {
    expect(agreedNonce([4, 1_000_000, 5], 1)).to.equal(1_000_000)
    expect(agreedNonce([4, 1_000_000, 5], 2)).to.equal(5)
    expect(agreedNonce([4, 1_000_000, 5], 3)).to.equal(4)
    expect(agreedNonce([4, 0, null], 2)).to.equal(0)
    expect(agreedNonce([null, 1_000_000, null], 2)).to.equal(null)
  })

  it('is common to all that answer, or to none', () => {
    expect(commonNonce([0, null, 0])).to.equal(0)
    expect(commonNonce([5, 6])).to.equal(null)
    expect(commonNonce([null])).to.equal(null)
  })

  it('is told with the place of each node', () => {
    expect(nonceByNode([5, null])).to.equal('rpcUrls/0: 5, rpcUrls/1: no answer')
  })
})
