import { expect } from 'chai'
import type { Block, Chain } from '../../server/chain/chain.js'
import { createMinedCheck } from '../../server/engine/receipts/mined.js'
import type { EngineTools } from '../../server/engine/tools.js'
import type { Depth } from '../../server/store/journal/depths.js'
import { randomHash } from '../support/builders.js'

describe('the depths of mined transactions', () => {
  /** A chain on which three of them are mined in block 7, of ten confirmations. `locked`: what somebody else is at. */
  function scene() {
    const mined = { hash: randomHash(), blockNumber: 7 }
    const transactions = [1, 2, 3].map((id) => ({ id, mined, steps: 1 }))
    const locked = new Set<number>()
    const shown: Pick<Depth, 'transactionId' | 'confirmations'>[][] = []
    const told: string[] = []
    const store = {
      readMinedPlaces: async function* () {
        yield transactions
      },
      noteDepths: async (depths: Depth[]) => {
        if (depths.some(({ transactionId }) => locked.has(transactionId))) throw new Error('Lock wait timeout exceeded')
        shown.push(depths.map(({ transactionId, confirmations }) => ({ transactionId, confirmations })))
        return { steps: depths.map(({ transactionId }) => ({ actionId: `action ${transactionId}` })), isWhole: true }
      },
    }
    const chain = { config: { chainId: 1, confirmations: 10 } } as Chain
    const tools = { store, log: { warn: () => {} }, changed: (topic: string) => void told.push(topic), now: () => 0 }
    const check = createMinedCheck(chain, tools as unknown as EngineTools, async () => {})
    const count = async (head: bigint) => {
      shown.length = 0
      await check.count({ number: head } as Block)
      return shown.map((group) => group.map(({ transactionId, confirmations }) => [transactionId, confirmations]))
    }
    return { check, count, locked, told }
  }

  it('are shown together once for each new head, and told to those who wait', async () => {
    const { check, count, told } = scene()
    expect(await count(8n), 'no head has come').to.deep.equal([])
    check.headMoved()
    expect(await count(8n)).to.deep.equal([
      [
        [1, 2],
        [2, 2],
        [3, 2],
      ],
    ])
    expect(told).to.deep.equal(['action 1', 'action 2', 'action 3'])
    expect(await count(8n)).to.deep.equal([])
  })

  it('are shown of the others where somebody is at one of them, and of that one in another round', async () => {
    const { check, count, locked } = scene()
    locked.add(2)
    check.headMoved()
    expect(await count(9n)).to.deep.equal([[[1, 3]], [[3, 3]]])
    locked.clear()
    expect(await count(9n)).to.deep.equal([
      [
        [1, 3],
        [2, 3],
        [3, 3],
      ],
    ])
    expect(await count(9n)).to.deep.equal([])
  })

  it('are not shown while the chain’s reorganisation is not all noted', async () => {
    const { check, count } = scene()
    check.headMoved()
    check.reorganised()
    expect(await count(8n)).to.deep.equal([])
  })
})
