import { expect } from 'chai'
import { type Hash, keccak256 } from 'viem'
import { createKnownChains } from '../../server/start/knownChains.js'
import { createStore } from '../../server/store/store.js'
import { freshDatabase } from '../support/database.js'

describe('the first block of a chain', () => {
  const [honest, lie] = [keccak256('0x01'), keccak256('0x02')]
  let fresh: Awaited<ReturnType<typeof freshDatabase>>

  beforeEach(async () => {
    fresh = await freshDatabase()
  })
  afterEach(() => fresh.drop())

  const open = (agreement: number) => createKnownChains(createStore(fresh.database), [{ chainId: 1, agreement }])
  async function tell(known: ReturnType<typeof open>, ...told: [node: number, hash: Hash][]): Promise<boolean[]> {
    const believed: boolean[] = []
    for (const [node, hash] of told) believed.push(await known.isGenesis(1, hash, node))
    return believed
  }

  it('is what the first node tells where one is enough, for every process after', async () => {
    expect(await tell(open(1), [0, honest], [1, lie], [0, honest])).to.deep.equal([true, false, true])
    expect(await tell(open(1), [1, lie], [0, honest])).to.deep.equal([false, true])
  })

  it('is what enough nodes tell alike where several have to agree, whoever tells it first', async () => {
    const known = open(2)
    expect(await tell(known, [0, lie], [0, lie], [1, honest])).to.deep.equal([true, true, true])
    expect(await tell(known, [2, honest], [0, lie], [1, honest])).to.deep.equal([true, false, true])
    expect(await tell(open(2), [0, lie])).to.deep.equal([false])
  })

  it('is remembered for its chain alone', async () => {
    const store = createStore(fresh.database)
    const known = createKnownChains(
      store,
      [1, 2].map((chainId) => ({ chainId, agreement: 1 })),
    )
    expect(await known.isGenesis(1, honest, 0)).to.equal(true)
    expect(await known.isGenesis(2, lie, 0)).to.equal(true)
    expect([await store.readGenesis(1), await store.readGenesis(2), await store.readGenesis(3)]).to.deep.equal([
      honest,
      lie,
      null,
    ])
  })
})
