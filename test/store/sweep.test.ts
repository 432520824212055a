import { expect } from 'chai'
import { createStore } from '../../server/store/store.js'
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
    await store.settleDeposit(refused!.id, reason, now)
    await store.sweep(now + week - 1)
    expect(await store.readDeposit(refused!.id)).to.not.equal(null)
    await store.sweep(now + week + 1)
    expect(await store.readDeposit(refused!.id)).to.equal(null)
    expect(await store.readDeposit(pending!.id)).to.not.equal(null)
    await drop()
  })
})
