import { expect } from 'chai'
import type { Block } from '../../server/chain/chain.js'
import { type BlockReceipts, readBlocks } from '../../server/engine/readBlocks.js'

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
