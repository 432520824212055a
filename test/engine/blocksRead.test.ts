import { expect } from 'chai'
import type { Hash } from 'viem'
import { createBlocksRead } from '../../server/engine/receipts/blocksRead.js'

describe('how far blocks have been read', () => {
  const at = (number: number, fork = 'a') => {
    const hash = (of: number): Hash => `0x${fork}${of}`
    return { number: BigInt(number), hash: hash(number), parentHash: hash(number - 1) }
  }
  /** On top of a block of the first fork. */
  const onTop = (number: number) => ({ ...at(number, 'b'), parentHash: at(number - 1).hash })
  /** Of a chain with two confirmations. */
  function readUpTo(number: number) {
    const blocks = createBlocksRead(2)
    blocks.note(Array.from({ length: number }, (_none, index) => at(index + 1)))
    return blocks
  }

  it('begins with the head, and goes on from the last one', () => {
    const blocks = createBlocksRead(2)
    expect(blocks.last()).to.equal(null)
    expect(blocks.after(at(100))).to.equal(99n)
    blocks.note([at(100)])
    expect([blocks.isLast(at(100)), blocks.isLast(at(100, 'b'))]).to.deep.equal([true, false])
    expect(blocks.after(at(104))).to.equal(100n)
    expect(blocks.after(at(165)), 'too far behind').to.equal(164n)
  })

  it('goes back to the last common one, where that is known', () => {
    const blocks = readUpTo(100)
    blocks.exchanged(onTop(100))
    expect(blocks.after(onTop(100))).to.equal(99n)
  })

  it('goes back as deep as blocks are exchanged where it is not, from the last one however far the head is', () => {
    for (const head of [at(100, 'b'), at(101, 'b'), at(108, 'b')]) {
      const blocks = readUpTo(100)
      blocks.exchanged(head)
      expect(blocks.after(head)).to.equal(97n)
    }
    const first = readUpTo(1)
    first.exchanged(at(1, 'b'))
    expect(first.after(at(1, 'b'))).to.equal(-1n)
  })

  it('goes back where what is read does not continue it, as another node has told what was before', () => {
    const blocks = readUpTo(100)
    blocks.note([at(101, 'b'), at(102, 'b')])
    expect([blocks.last(), blocks.after(at(108, 'b'))]).to.deep.equal([97n, 97n])
    blocks.note([at(98, 'b'), at(99, 'b')])
    expect(blocks.last()).to.equal(99n)
  })

  it('stays with what a node that is behind tells, and reads what follows on it anew', () => {
    const blocks = readUpTo(100)
    blocks.exchanged(at(98))
    expect([blocks.isLast(at(98)), blocks.after(at(98))]).to.deep.equal([true, 98n])
    expect(blocks.after(onTop(99))).to.equal(98n)
  })

  it('never goes on beyond what was read', () => {
    const blocks = readUpTo(100)
    blocks.exchanged(at(90, 'b'))
    const before = blocks.last()!
    blocks.exchanged(onTop(96))
    expect(blocks.last()! <= before).to.equal(true)
  })
})
