import { expect } from 'chai'
import type { Hash } from 'viem'
import { createStore } from '../../server/store/store.js'
import { rethrow } from '../support/rethrow.js'
import { aNewAction, randomAddress, randomHash } from '../support/builders.js'
import { freshDatabase } from '../support/database.js'

describe('sweeping', () => {
  it('forgets an idempotency key after a day, and not before', async () => {
    const { database, drop } = await freshDatabase()
    const store = createStore(database)
    const day = 24 * 60 * 60 * 1000
    const entry = aNewAction({ idempotencyKeyHash: randomHash(), now: Date.now() })
    await store.insertAction(entry)
    const keys = async () => (await database.knex('idempotency_keys').select('key_hash')).length
    await store.sweep(entry.now + day - 1)
    expect(await keys()).to.equal(1)
    await store.sweep(entry.now + day + 1)
    expect(await keys()).to.equal(0)
    await drop()
  })

  it('forgets all that have run out, however many they are', async () => {
    const { database, drop } = await freshDatabase()
    const now = Date.now()
    const windows = Array.from({ length: 2_500 }, (_, index) => ({ key: `ip:${index}`, points: 1, expire: now - 1 }))
    await database.knex.batchInsert('rate_limits', [...windows, { key: 'ip:open', points: 1, expire: now + 1 }], 200)
    await createStore(database).sweep(now)
    expect(await database.knex('rate_limits').select('key')).to.deep.equal([{ key: 'ip:open' }])
    await drop()
  })

  it('leaves the rest to another one when it is to end', async () => {
    const { database, drop } = await freshDatabase()
    const now = Date.now()
    const windows = Array.from({ length: 2_500 }, (_, index) => ({ key: `ip:${index}`, points: 1, expire: now - 1 }))
    await database.knex.batchInsert('rate_limits', windows, 200)
    await createStore(database).sweep(now, AbortSignal.abort())
    expect(await database.knex('rate_limits').select('key')).to.have.length(1_500)
    await drop()
  })

  it('forgets a refused report after a week, and a pending one never', async () => {
    const { database, drop } = await freshDatabase()
    const store = createStore(database)
    const week = 7 * 24 * 60 * 60 * 1000
    const now = Date.now()
    const report = { user: randomAddress(), chainId: 1, sender: randomAddress(), token: randomAddress(), amount: 1n }
    const [refused, pending] = await Promise.all(
      [1, 2].map(() => store.reportDeposit({ ...report, transactionHash: randomHash(), isDeposit: true }, 1, now)),
    )
    const reason = { outcome: 'refused', code: 'deposit_mismatch', message: 'no' } as const
    await store.settleDeposit(refused!, reason, now)
    await store.sweep(now + week - 1)
    expect(await store.readDeposit(refused!.id)).to.not.equal(null)
    await store.sweep(now + week + 1)
    expect(await store.readDeposit(refused!.id)).to.equal(null)
    expect(await store.readDeposit(pending!.id)).to.not.equal(null)
    await drop()
  })

  it('keeps a refused report that had been recorded, so that it is recorded when its transaction comes again', async () => {
    const { database, drop } = await freshDatabase()
    const store = createStore(database)
    const now = Date.now()
    const user = randomAddress()
    const parties = { user, sender: randomAddress(), token: randomAddress() }
    const report = { ...parties, chainId: 1, transactionHash: randomHash(), amount: 7n, isDeposit: true }
    const find = async (blockHash: Hash) => {
      const deposit = await store.reportDeposit(report, 1, now)
      const movements = [{ logIndex: 3, amount: 7n }]
      const found = { outcome: 'found', custody: 'wallet', movements, mismatch: '' } as const
      await store.settleDeposit(deposit, { ...found, blockNumber: 1, blockHash, confirmations: 1 }, now)
      return (await store.readDeposit(deposit.id))!
    }
    const blockHash = randomHash()
    const deposit = await find(blockHash)
    await store.undoBlock(1, { number: 1, hash: blockHash }, now, rethrow)
    await store.settleDeposit(deposit, { outcome: 'refused', code: 'deposit_mismatch', message: 'unseen' }, now)
    await store.sweep(now + 8 * 24 * 60 * 60 * 1000)
    expect((await find(randomHash())).status).to.equal('recorded')
    expect((await store.readBalances(user))[0]!.wallet).to.equal(7n)
    await drop()
  })
})
