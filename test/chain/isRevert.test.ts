import { expect } from 'chai'
import { isRevert } from '../../server/chain/nodes/isRevert.js'

describe('an error of a node', () => {
  const says = (message: string) => isRevert({ code: -32603, message })

  for (const words of [
    'execution reverted: no',
    'out of gas: gas required exceeds: 1000000',
    'invalid opcode: INVALID',
    'EVM error OutOfGas',
    'EVM error InvalidFEOpcode',
    'EVM error: MemoryOOG',
    'EVM error: StackUnderflow',
    'EVM error CallTooDeep',
  ]) {
    it(`is the EVM's verdict: ${words}`, () => expect(says(words)).to.equal(true))
  }

  it('is the EVM’s verdict by its code, unless a gateway says by it that no node has answered in time', () => {
    expect(isRevert({ code: -32015, message: 'VM execution error.' })).to.equal(true)
    for (const message of ['gateway timeout', 'request timed out']) {
      expect(isRevert({ code: -32015, message })).to.equal(false)
    }
    expect(isRevert({ code: 3, message: 'execution reverted: timed out' })).to.equal(true)
  })

  for (const words of [
    'EVM error FatalExternalError',
    'EVM error: Database(failed to get account)',
    'EVM error: database error: connection closed',
    'missing trie node 0b (path )',
    'header not found',
    'the node lags behind',
    'Internal error',
  ]) {
    it(`is the node's own: ${words}`, () => expect(says(words)).to.equal(false))
  }
})
