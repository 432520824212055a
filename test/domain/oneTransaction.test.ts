import { expect } from 'chai'
import { type Address, getAddress, zeroAddress } from 'viem'
import { oneTransactionFault } from '../../server/domain/oneTransaction.js'
import { randomAddress, usdOn1 } from '../support/builders.js'

describe('what a user’s one transaction has to do for a batch', () => {
  const [user, one, another] = [randomAddress(), randomAddress(), randomAddress()]
  const moves = (amount: bigint, to: Address, token: Address = zeroAddress) => ({ from: user, to, token, amount })
  const call = (to: Address, value: bigint, data: `0x${string}` = '0x') => ({ to, value, data })
  const fault = (tokenTransfers: ReturnType<typeof moves>[], own = call(user, 0n)) =>
    oneTransactionFault({ chainId: 1, tokenTransfers, calls: [own], hash: null })

  it('can be done where there is no call, or the call does it', () => {
    expect(fault([])).to.equal(null)
    expect(fault([moves(5n, one)])).to.equal(null)
    expect(fault([moves(5n, one), moves(2n, one)])).to.equal(null)
    expect(fault([moves(5n, one), moves(2n, one)], call(one, 7n, '0x12'))).to.equal(null)
    expect(fault([moves(0n, another), moves(5n, one)], call(one, 9n)), 'nothing is to be moved').to.equal(null)
    expect(fault([moves(5n, another, usdOn1)], call(one, 0n, '0x12')), 'logs tell of tokens').to.equal(null)
  })

  it('can’t be done where it would have two recipients, or too low a value', () => {
    const paid = 'one transaction pays the native currency to one recipient'
    const other = `must be that of the other transfer of the native currency, ${getAddress(one)}: ${paid}`
    expect(fault([moves(5n, one), moves(2n, another)])).to.deep.equal({ at: 'tokenTransfers/1/to', rule: other })
    const called = `must be the call’s, ${getAddress(another)}: ${paid}`
    expect(fault([moves(1n, one, usdOn1), moves(5n, one)], call(another, 5n))).to.deep.equal({
      at: 'tokenTransfers/1/to',
      rule: called,
    })
    const value = 'must be at least 7, which the transfers of the native currency come to'
    expect(fault([moves(5n, one), moves(2n, one)], call(one, 6n))).to.deep.equal({ at: 'call/value', rule: value })
  })
})
