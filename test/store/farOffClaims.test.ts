import { expect } from 'chai'
import type { Address } from 'viem'
import { unmined } from '../../server/engine/outcomes/namedTransaction.js'
import type { Database } from '../../server/store/connection/database.js'
import type { Store } from '../../server/store/store.js'
import { aNewTransaction, randomAddress, randomHash } from '../support/builders.js'
import { acceptStep } from './actions/acceptStep.js'
import { useStore } from './useStore.js'

const hourMs = 3_600_000
const tables = ['steps', 'deposits', 'airdrops'] as const

/** What was put off by a clock that was ahead, and has been set right. */
describe('what is due later than anything is put off for', () => {
  let database: Database
  let store: Store
  useStore((fresh) => ({ database, store } = fresh))

  const claimed = async () => {
    const rows = await database.knex<{ due_at: number | null }>('steps').whereNotNull('due_at').select('due_at')
    return rows.filter(({ due_at }) => due_at! <= Date.now() + 1_000).length
  }
  const report = (user: Address) => {
    const told = { user, chainId: 1, transactionHash: randomHash(), sender: user, token: randomAddress(), amount: 1n }
    return store.reportDeposit({ ...told, isDeposit: true }, 1, Date.now())
  }
  const putOff = (table: string, due_at: number) => database.write((knex) => knex(table).update({ due_at }))

  it('is due at once: a transaction', async () => {
    const now = Date.now()
    const signer = randomAddress()
    await store.openLane({ chainId: 1, signer, chainNonce: 0, ifLedgerIsNew: null }, now + hourMs)
    await store.recordTransaction(aNewTransaction({ chainId: 1, signer, steps: [] }), now + hourMs)
    const due = async (at: number) => (await store.readDueTransactions(1, 10, at)).length
    await store.pullInFarOff([2], now)
    expect(await due(now)).to.equal(0)
    await store.pullInFarOff([1, 2], now)
    expect(await due(now)).to.equal(1)
  })

  it('is due at once: a step, a deposit', async () => {
    const user = randomAddress()
    await acceptStep(store)
    await report(user)
    for (const table of ['steps', 'deposits']) await putOff(table, Date.now() + 3 * hourMs)
    expect(await claimed()).to.equal(0)
    await store.pullInFarOff([1], Date.now())
    expect(await claimed()).to.equal(1)
    const [deposit] = await database.knex<{ due_at: number }>('deposits').select('due_at')
    expect(deposit!.due_at).to.be.within(Date.now() - 10_000, Date.now() + 1_000)
  })

  it('is nothing that is put off as long as anything is', async () => {
    const ref = await acceptStep(store)
    const { id } = await report(randomAddress())
    const airdrop = { chainId: 1, token: randomAddress(), wallet: randomAddress() }
    const asked = await store.requestAirdrop({ ...airdrop, amount: 1n, periodMs: 1_000 }, Date.now())
    if (asked.outcome !== 'accepted') throw new Error('The airdrop was not accepted')
    const longMs = { steps: 150_000, deposits: unmined.longestMs, airdrops: 150_000 }
    // The visits under way that postpone them.
    for (const table of tables) await putOff(table, Date.now() + 15_000)
    await store.postponeStep(ref, 10 * hourMs)
    await store.postponeDeposit({ id, delayMs: unmined.longestMs })
    await store.postponeAirdrop(asked.airdrop, 10 * hourMs)
    await store.pullInFarOff([1], Date.now())
    for (const table of tables) {
      const [row] = await database.knex<{ due_at: number }>(table).select('due_at').whereNotNull('due_at')
      expect(row!.due_at - Date.now(), table).to.be.within(longMs[table] - 60_000, longMs[table] + 1_000)
    }
  })
})
