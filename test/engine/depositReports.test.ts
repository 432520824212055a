import { expect } from 'chai'
import { pad, toEventSelector, toHex } from 'viem'
import { transfersOf } from '../../server/chain/transfers.js'
import { depositQueue } from '../../server/engine/depositQueue.js'
import { createStore } from '../../server/store/store.js'
import { randomAddress, randomHash, usdOn1 } from '../support/builders.js'
import { freshDatabase } from '../support/database.js'

const transferTopic = toEventSelector('Transfer(address,address,uint256)')

describe('a deposit report of a transaction with thousands of transfers', () => {
  let fresh: Awaited<ReturnType<typeof freshDatabase>>

  beforeEach(async () => {
    fresh = await freshDatabase()
  })
  afterEach(() => fresh.drop())

  it('is refused with the first of the amounts, and with how many more there are', async () => {
    const store = createStore(fresh.database)
    const [user, vault] = [randomAddress(), randomAddress()]
    const logs = Array.from({ length: 3200 }, (_, logIndex) => ({
      address: usdOn1,
      topics: [transferTopic, pad(user), pad(vault)],
      data: toHex(10n ** 18n + BigInt(logIndex), { size: 32 }),
      logIndex,
    }))
    const transactionHash = randomHash()
    const receipt = {
      hash: transactionHash,
      status: 'success',
      blockNumber: 5n,
      blockHash: randomHash(),
      from: user,
      to: usdOn1,
      logs,
    }
    const chain = {
      config: { chainId: 1, vault, pollIntervalMs: 100 },
      transaction: async () => ({ transaction: { value: 0n }, receipt, head: { number: 9n } }),
      isCertain: async () => true,
      measureArrivals: async (arrivals: { amount: bigint }[]) => arrivals.map(({ amount }) => amount),
    }
    const queue = depositQueue({
      store,
      chains: new Map([[1, chain]]),
      codec: { transfersOf },
      changed: () => {},
      now: Date.now,
      log: { info: () => {} },
    } as never)
    const report = { user, chainId: 1, transactionHash, sender: user, token: usdOn1, amount: 5n, isDeposit: true }
    const { id } = await store.reportDeposit(report, 1, Date.now())
    const [work] = await queue.claim(1, 1000)
    await queue.visit(work!)
    const { status, error } = (await store.readDeposit(id))!
    const shown = Array.from({ length: 10 }, (_, index) => `100000000000000000${index}`).join(', ')
    expect(status).to.equal('refused')
    expect(error?.message).to.equal(
      `The transaction moves ${shown} and 3190 more amounts from ${user} to the vault, not 5.`,
    )
  })
})
