import { expect } from 'chai'
import { getAddress, pad, toEventSelector, toHex } from 'viem'
import * as transfers from '../../server/chain/transfers.js'
import { depositQueue } from '../../server/engine/depositQueue.js'
import { createUnknownTransactions } from '../../server/engine/outcomes/unknownTransactions.js'
import { createStore } from '../../server/store/store.js'
import { randomAddress, randomHash, usdOn1 } from '../support/builders.js'
import { freshDatabase } from '../support/database.js'
import { until } from '../support/until.js'

const transferTopic = toEventSelector('Transfer(address,address,uint256)')

describe('a deposit report', () => {
  let fresh: Awaited<ReturnType<typeof freshDatabase>>
  /** The engine's time; null: that of the machine. */
  let clock: number | null

  beforeEach(async () => {
    clock = null
    fresh = await freshDatabase()
  })
  afterEach(() => fresh.drop())

  /**
   * Of 5, by a transaction in block 5 that pays the vault these amounts, or somebody else where it is a withdrawal; a
   * thousand and more together wait for block 14.
   */
  async function reported(amounts: readonly bigint[], requiredConfirmations = 1, { isDeposit } = { isDeposit: true }) {
    const store = createStore(fresh.database)
    const [user, vault] = [randomAddress(), randomAddress()]
    const logs = amounts.map((amount, logIndex) => ({
      address: usdOn1,
      topics: [transferTopic, pad(user), pad(isDeposit ? vault : randomAddress())],
      data: toHex(amount, { size: 32 }),
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
    const tokens = [{ address: usdOn1, confirmations: [{ amount: 1_000n, confirmations: 10 }] }]
    let head = 9n
    let seen: 'nowhere' | 'pool' | 'block' = 'block'
    const asked: string[] = []
    const told: { outcome: string; code?: string }[] = []
    const chain = {
      config: { chainId: 1, vault, pollIntervalMs: 0, confirmations: 1, tokens },
      knows: async () => asked.push('knows') && seen !== 'nowhere',
      transaction: async () => {
        asked.push('transaction')
        const isIn = (...places: (typeof seen)[]) => places.includes(seen)
        const transaction = isIn('pool', 'block') ? { value: 0n } : null
        return { transaction, receipt: isIn('block') ? receipt : null, head: { number: head } }
      },
      isCertain: async () => true,
      measureArrivals: async (arrivals: { amount: bigint }[]): Promise<(bigint | null)[]> =>
        arrivals.map(({ amount }) => amount),
    }
    const queue = depositQueue({
      store,
      chains: new Map([[1, chain]]),
      codec: transfers,
      settings: { funders: new Set() },
      changed: () => {},
      unknownTransactions: createUnknownTransactions(() => performance.now()),
      now: () => clock ?? Date.now(),
      log: {
        info: ({ outcome, code }: { outcome: string; code?: string }) => told.push({ outcome, ...(code && { code }) }),
      },
    } as never)
    const report = { user, chainId: 1, transactionHash, sender: user, token: usdOn1, amount: 5n, isDeposit }
    const { id } = await store.reportDeposit(report, requiredConfirmations, Date.now())
    return {
      user,
      receipt,
      chain,
      asked,
      told,
      async visitedAt(number: bigint) {
        head = number
        const [work] = await until(async () => {
          const due = await queue.claim({ limit: 1, leaseMs: 1000 })
          return due.length > 0 && due
        }, 'it to be due')
        await queue.visit(work!)
        return (await store.readDeposit(id))!
      },
      again: () => store.reportDeposit(report, requiredConfirmations, clock ?? Date.now()),
      /** After a visit that finds its transaction there. */
      async visitedIn(place: typeof seen) {
        seen = place
        chain.config.pollIntervalMs = 100
        await queue.visit((await store.readDeposit(id))!)
        return (await store.readDeposit(id))!
      },
    }
  }

  it('of a transaction with thousands of transfers is refused with the first of the amounts, and how many more there are', async () => {
    const report = await reported(Array.from({ length: 3200 }, (_, index) => 10n ** 18n + BigInt(index)))
    const { status, error } = await report.visitedAt(14n)
    const shown = Array.from({ length: 10 }, (_, index) => `100000000000000000${index}`).join(', ')
    expect(status).to.equal('refused')
    expect(error?.message).to.equal(
      `The transaction moves ${shown} and 3190 more amounts from ${getAddress(report.user)} to the vault, not 5.`,
    )
  })

  it('counts for what has arrived, and waits while that can’t be measured', async () => {
    const report = await reported([7n])
    report.chain.measureArrivals = async () => [null]
    expect(await report.visitedAt(9n)).to.include({ status: 'pending', error: null, confirmations: 1 })
    report.chain.measureArrivals = async () => [5n]
    expect((await report.visitedIn('block')).status).to.equal('recorded')
    const store = createStore(fresh.database)
    expect((await store.readBalances(report.user)).map(({ available }) => available)).to.deep.equal([5n])

    const short = await reported([5n])
    short.chain.measureArrivals = async () => [4n]
    expect((await short.visitedAt(9n)).error?.message).to.equal(
      'amount: of 5 only 4 have reached the vault; that much can be reported.',
    )
  })

  it('waits a day for its block, and can be sent again after that', async () => {
    const report = await reported([5n])
    const age = (ms: number) => void (clock = Date.now() + ms)
    age(23 * 3_600_000)
    expect((await report.visitedIn('pool')).status).to.equal('pending')
    age(25 * 3_600_000)
    const { status, error } = await report.visitedIn('pool')
    expect(status).to.equal('refused')
    expect(error).to.deep.equal({
      code: 'deposit_mismatch',
      message: 'txHash: no block has had the transaction within a day. Send the report again once it is mined.',
    })
    expect((await report.again()).status).to.equal('pending')
    expect((await report.visitedIn('block')).status).to.equal('recorded')
  })

  it('has only so long to become known, and then waits for its block however often it is looked for', async () => {
    const report = await reported([5n])
    expect((await report.visitedIn('pool')).unseenMs).to.equal(0)
    expect((await report.visitedIn('nowhere')).unseenMs).to.be.greaterThan(0)
    report.asked.length = 0
    expect((await report.visitedIn('nowhere')).unseenMs).to.be.greaterThan(100)
    expect(report.asked, 'by one call').to.deep.equal(['knows'])
    for (let visits = 0; visits < 100; visits++)
      expect(await report.visitedIn('pool')).to.include({ status: 'pending', unseenMs: 0 })
    expect((await report.visitedIn('block')).status).to.equal('recorded')
  })

  it('of a transaction that has reverted is refused once no other block is to be expected, in which it may not', async () => {
    const report = await reported([5n], 4)
    report.receipt.status = 'reverted'
    expect(await report.visitedAt(5n)).to.include({ status: 'pending', confirmations: 1 })
    report.receipt.status = 'success'
    expect((await report.visitedAt(8n)).status).to.equal('recorded')
    const failed = await reported([5n], 4)
    Object.assign(failed.receipt, { status: 'reverted', logs: [] })
    expect((await failed.visitedAt(8n)).error?.message).to.match(/reverted/)
  })

  it('waits as long as all that its transaction has paid asks for', async () => {
    const small = await reported([5n, 5n])
    expect((await small.visitedAt(9n)).status).to.equal('recorded')
    const large = await reported([5n, 995n])
    expect(await large.visitedAt(13n)).to.include({ status: 'pending', confirmations: 9 })
    expect(await large.visitedAt(14n)).to.include({ status: 'recorded', confirmations: 10 })
  })

  it('is logged with how it has ended, which the books decide', async () => {
    const first = await reported([5n])
    await first.visitedAt(9n)
    expect(first.told).to.deep.equal([{ outcome: 'recorded' }])
    const overdrawn = await reported([5n], 1, { isDeposit: false })
    await overdrawn.visitedAt(9n)
    expect(overdrawn.told).to.deep.equal([{ outcome: 'refused', code: 'withdrawal_exceeds_balance' }])
  })
})
