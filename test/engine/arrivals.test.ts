import { expect } from 'chai'
import { type Hex, maxUint256, pad, toEventSelector, toHex } from 'viem'
import * as codec from '../../server/chain/transfers.js'
import { arrivalsOf, arrivalsOfRun } from '../../server/engine/outcomes/arrivals.js'
import { createStore } from '../../server/store/store.js'
import { randomAddress, randomHash, usdOn1 } from '../support/builders.js'
import { freshDatabase } from '../support/database.js'

const transferTopic = toEventSelector('Transfer(address,address,uint256)')

describe('what a user has paid the vault in a transaction', () => {
  let fresh: Awaited<ReturnType<typeof freshDatabase>>

  beforeEach(async () => {
    fresh = await freshDatabase()
  })
  afterEach(() => fresh.drop())

  /** Of two tokens, the first of which can't be measured. */
  function scene() {
    const [user, vault, paused] = [randomAddress(), randomAddress(), randomAddress()]
    const log = (address: Hex, amount: bigint, logIndex: number, to: Hex = pad(vault)) => ({
      ...{ address, logIndex, data: toHex(amount, { size: 32 }) },
      topics: [transferTopic, pad(user), to],
    })
    const logs = [log(paused, 3n, 0), log(usdOn1, 5n, 1), log(paused, 4n, 2)]
    const block = { blockNumber: 5n, blockHash: randomHash() }
    const receipt = { hash: randomHash(), status: 'success', from: user, to: usdOn1, ...block, logs }
    const tokens = [paused, usdOn1].map((address) => ({ address, confirmations: [] }))
    const chain = {
      config: { chainId: 1, vault, confirmations: 2, tokens },
      measureArrivals: async (arrivals: { token: Hex; amount: bigint }[]) =>
        arrivals.map(({ token, amount }) => (token === paused ? null : amount)),
    }
    const store = createStore(fresh.database)
    const tools = { store, codec, settings: { funders: new Set() }, now: Date.now, log: { error: () => undefined } }
    return { user, vault, paused, log, receipt, chain, store, tools }
  }

  it('is waited for while a part can’t be measured, where nobody else waits for it', async () => {
    const { receipt, user, chain, tools } = scene()
    const found = arrivalsOf(receipt as never, user, chain as never, tools as never)
    expect(await found.catch((error: Error) => error.message)).to.match(/can’t be measured now/)
  })

  it('is reported in his name as far as it can’t, where a step of others shares the transaction', async () => {
    const { receipt, user, paused, chain, store, tools } = scene()
    for (let times = 0; times < 2; times++) {
      const found = await arrivalsOfRun(receipt as never, user, chain as never, tools as never)
      expect(found.map(({ token, amount, logIndex }) => ({ token, amount, logIndex }))).to.deep.equal([
        { token: usdOn1, amount: 5n, logIndex: 1 },
      ])
    }
    const reports = await store.claimDueDeposits({ limit: 10, leaseMs: 1_000 })
    expect(reports).to.have.length(1)
    const { transactionHash, requiredConfirmations, ...report } = reports[0]!
    expect(report).to.include({ user, sender: user, token: paused, amount: 7n, isDeposit: true, status: 'pending' })
    expect([transactionHash, requiredConfirmations]).to.deep.equal([receipt.hash, 2])
  })

  it('is not reported where it is more than there can be, which costs nobody else his credit', async () => {
    const { receipt, user, paused, log, chain, store, tools } = scene()
    const logs = [log(paused, maxUint256, 0), log(paused, 1n, 1), log(usdOn1, 5n, 2)]
    const found = await arrivalsOfRun({ ...receipt, logs } as never, user, chain as never, tools as never)
    expect(found.map(({ amount }) => amount)).to.deep.equal([5n])
    expect(await store.claimDueDeposits({ limit: 10, leaseMs: 1_000 })).to.deep.equal([])
  })

  it('is nothing by a log whose topics are no addresses, which nobody could find again', async () => {
    const { user, vault, receipt, log, chain, tools } = scene()
    const dirty = `0x01${pad(vault).slice(4)}` as const
    const logs = [log(usdOn1, 5n, 0, dirty)]
    expect(await arrivalsOf({ ...receipt, logs } as never, user, chain as never, tools as never)).to.deep.equal([])
  })
})
