import { expect } from 'chai'
import type { Address } from 'viem'
import type { Chain } from '../../server/chain/chain.js'
import { createGasBalances } from '../../server/engine/lanes/gasBalances.js'

describe('the gas balance of a signer whom a node has refused', () => {
  const [poor, rich]: [Address, Address] = [`0x${'a1'.repeat(20)}`, `0x${'b2'.repeat(20)}`]
  const lanes = [{ signer: poor }, { signer: rich }]

  function scene() {
    let time = 0
    let balance = 5n
    const accounts = async (asked: Address[]) => asked.map((signer) => ({ balance: signer === poor ? balance : 100n }))
    const chain = { config: { chainId: 1 }, accounts } as unknown as Chain
    const gasBalances = createGasBalances({
      signers: new Map(lanes.map(({ signer }) => [signer, null])),
      now: () => time,
    })
    const chosen = async () => (await gasBalances.thatCanPay(chain, lanes, 3n)).map(({ signer }) => signer)
    return {
      chosen,
      refuse: () => gasBalances.refused(chain, poor),
      /** Until the next reading is there. */
      async later(ms: number, next = balance) {
        time += ms
        balance = next
        await chosen()
        await new Promise(setImmediate)
      },
    }
  }

  it('is passed over though nothing was known of it', async () => {
    const { chosen, refuse, later } = scene()
    refuse()
    expect(await chosen()).to.deep.equal([rich])
    await later(0)
    expect(await chosen()).to.deep.equal([rich])
    await later(15_000)
    expect(await chosen()).to.deep.equal([rich])
  })

  it('is chosen again once more is read than there was then', async () => {
    const { chosen, refuse, later } = scene()
    refuse()
    await later(0)
    await later(15_000, 6n)
    expect(await chosen()).to.deep.equal([poor, rich])
  })

  it('is measured by what it had left then, not by what it was last read to have', async () => {
    const { chosen, refuse, later } = scene()
    await later(0)
    await later(1_000, 3n)
    expect(await chosen()).to.deep.equal([poor, rich])
    refuse()
    await later(0)
    expect(await chosen()).to.deep.equal([rich])
    await later(15_000, 4n)
    expect(await chosen()).to.deep.equal([poor, rich])
  })
})
