import { expect } from 'chai'
import type { Hash } from 'viem'
import type { Block } from '../../server/chain/chain.js'
import { type BlockReceipts, linkBlocks, readBlocks } from '../../server/engine/receipts/readBlocks.js'

describe('blocks that are read', () => {
  const blockOf = (number: bigint): BlockReceipts => ({ block: { number } as Block, receipts: [] })

  const upTo20 = { after: 10n, head: 20n, mostAtOnce: 4 }

  /** What is told of the blocks 11 to 20, in groups, and how it ends. */
  async function read(ask: (number: bigint) => Promise<BlockReceipts | null>) {
    const told: number[][] = []
    try {
      for await (const found of readBlocks(upTo20, ask)) told.push(found.map(({ block }) => Number(block.number)))
    } catch (error) {
      return { told, error: (error as Error).message }
    }
    return { told }
  }

  it('come in order, several at a time, up to the head', async () => {
    const { told } = await read((number) => Promise.resolve(blockOf(number)))
    expect(told).to.deep.equal([
      [11, 12, 13, 14],
      [15, 16, 17, 18],
      [19, 20],
    ])
  })

  it('come one by one from a node that can’t answer for several at once', async () => {
    let together: bigint[] = []
    const { told, error } = await read(async (number) => {
      together.push(number)
      const asked = together
      await new Promise((resolve) => setImmediate(resolve))
      together = []
      if (asked.length > 1) throw new Error('too much')
      return blockOf(number)
    })
    expect(error).to.equal(undefined)
    expect(told.flat()).to.deep.equal([11, 12, 13, 14, 15, 16, 17, 18, 19, 20])
  })

  it('are told up to one that is missing, which is asked for again alone', async () => {
    const asked: bigint[] = []
    const { told } = await read((number) => {
      asked.push(number)
      return Promise.resolve(number === 13n ? null : blockOf(number))
    })
    expect(told).to.deep.equal([[11, 12]])
    expect(asked).to.deep.equal([11n, 12n, 13n, 14n, 13n])
  })

  it('are told up to one that fails, before that is thrown', async () => {
    const outcome = await read((number) =>
      number === 16n ? Promise.reject(new Error('away')) : Promise.resolve(blockOf(number)),
    )
    expect(outcome).to.deep.equal({ told: [[11, 12, 13, 14], [15]], error: 'away' })
  })
})

describe('blocks that were read one after the other', () => {
  const hashOf = (number: number, fork: string): Hash => `0x${fork}${number}`
  /** Of a fork, on top of its own parent, or of another fork's. */
  const block = (number: number, fork = 'a', below = fork): BlockReceipts => {
    const place = { number: BigInt(number), hash: hashOf(number, fork), parentHash: hashOf(number - 1, below) }
    return { block: place as Block, receipts: [] }
  }
  const head = block(103).block

  function linked(...found: BlockReceipts[]) {
    const { linked, isUnderHead, unbroken } = linkBlocks(found, head)
    const numbers = (blocks: BlockReceipts[]) => blocks.map((one) => Number(one.block.number))
    return { linked: numbers(linked), isUnderHead, unbroken: numbers(unbroken) }
  }

  it('are under the head where each is the parent of the next, up to the head or to its parent', () => {
    const both = { linked: [101, 102], isUnderHead: true, unbroken: [101, 102] }
    expect(linked(block(101), block(102))).to.deep.equal(both)
    const all = { linked: [101, 102, 103], isUnderHead: true, unbroken: [101, 102, 103] }
    expect(linked(block(101), block(102), block(103))).to.deep.equal(all)
    expect(linked()).to.deep.equal({ linked: [], isUnderHead: true, unbroken: [] })
  })

  it('are to be read again from one on that the next one does not name', () => {
    const sibling = block(101, 'b', 'a')
    const upper = { linked: [102, 103], isUnderHead: true, unbroken: [] }
    expect(linked(sibling, block(102), block(103))).to.deep.equal(upper)
    expect(linked(block(100), sibling, block(102))).to.deep.equal({ linked: [102], isUnderHead: true, unbroken: [100] })
    const another = block(103, 'b', 'a')
    const lower = { linked: [101, 102], isUnderHead: true, unbroken: [101, 102] }
    expect(linked(block(101), block(102), another)).to.deep.equal(lower)
    expect(linked(block(101, 'b'), block(102, 'b'))).to.deep.equal({ linked: [], isUnderHead: true, unbroken: [] })
  })

  it('are not known to be under a head that is further up, and have to fit with each other all the same', () => {
    const alone = { linked: [100, 101], isUnderHead: false, unbroken: [100, 101] }
    expect(linked(block(100), block(101))).to.deep.equal(alone)
    expect(linked(block(100, 'b'), block(101))).to.deep.equal({ linked: [101], isUnderHead: false, unbroken: [] })
  })
})
