import { expect } from 'chai'
import type { Hash } from 'viem'
import { startDevChain } from './devChain.js'
import { type FaultyNode, startFaultyNode } from './faultyNode.js'
import { randomHash } from '../support/builders.js'

describe('whether a block is gone', () => {
  const number = 5
  const [ours, other] = [randomHash(), randomHash()]
  let dev: Awaited<ReturnType<typeof startDevChain>>
  const nodes: FaultyNode[] = []

  before(async () => {
    dev = await startDevChain()
    for (let count = 3; count > 0; count--) nodes.push(await startFaultyNode(dev.url))
  })
  after(async () => {
    await Promise.all(nodes.map((node) => node.stop()))
    await dev.stop()
  })

  /** Each node has this block at the height, or none, or answers nothing. */
  async function isGone(agreement: number, ...has: (Hash | null | 'away')[]): Promise<boolean | null> {
    const parts = { number: '0x5', parentHash: randomHash(), timestamp: '0x1', baseFeePerGas: '0x1', gasLimit: '0x1' }
    for (const [index, node] of nodes.entries()) {
      const hash = has[index]
      if (hash === 'away') node.behave({ kind: 'status', status: 503 })
      else
        node.behave({
          kind: 'answer',
          answer: ({ method }) => (method === 'eth_getBlockByNumber' ? { result: hash && { ...parts, hash } } : null),
        })
    }
    const chain = dev.connect({ urls: nodes.slice(0, has.length).map(({ url }) => url), agreement })
    return (await chain.goneBlocks([{ number, hash: ours }]))[0]!
  }

  it('is for the one node to say, which may have no block of that number yet', async () => {
    expect(await isGone(1, ours)).to.equal(false)
    expect(await isGone(1, other)).to.equal(true)
    expect(await isGone(1, null)).to.equal(null)
  })

  it('takes as many nodes that name another one as have to agree', async () => {
    expect(await isGone(2, other, other, ours)).to.equal(true)
    expect(await isGone(2, other, ours, ours)).to.equal(null)
    expect(await isGone(2, other, 'away', 'away')).to.equal(null)
  })

  it('is denied by all that answer, be it few, and left open where one has no such block yet', async () => {
    expect(await isGone(2, ours, ours, ours)).to.equal(false)
    expect(await isGone(2, ours, 'away', 'away')).to.equal(false)
    expect(await isGone(2, ours, null, ours)).to.equal(null)
    expect(await isGone(2, 'away', 'away', 'away')).to.equal(null)
  })
})
