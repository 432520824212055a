import { expect } from 'chai'
import { createStore } from '../../server/store/store.js'
import { aNewAction, randomHash } from '../support/builders.js'
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
})
