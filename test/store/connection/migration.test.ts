import { expect } from 'chai'
import { createDatabase, type Database } from '../../../server/store/connection/database.js'
import type { DatabaseConfig } from '../../../server/store/connection/openDatabase.js'
import { migrations } from '../../../server/store/migrations/index.js'
import { createStore } from '../../../server/store/store.js'
import { createVenueTxHashStore } from '../../../server/store/venueTxHashes.js'
import { randomAddress, randomHash } from '../../support/builders.js'
import { freshDatabase } from '../../support/database.js'

describe('the tables', () => {
  let database: Database
  let config: DatabaseConfig
  let drop: () => Promise<void>

  beforeEach(async () => {
    ;({ database, config, drop } = await freshDatabase())
  })
  afterEach(() => drop())

  it('are completed by the next start when the one that made them was killed', async () => {
    if (config.kind === 'mysql') {
      // Only MySQL keeps half of a migration, and the lock that was held meanwhile.
      await database.knex('knex_migrations_lock').update({ is_locked: 1 })
      await database.knex('knex_migrations').delete()
      await database.knex.schema.dropTable('ledger')
      await database.knex.schema.alterTable('steps', (t) => t.dropIndex(['due_at', 'chain_id']))
    }
    const next = config.kind === 'mysql' ? createDatabase(config) : database
    await next.migrate()
    expect(await next.knex('ledger')).to.deep.equal([])
    expect(await next.knex('knex_migrations')).to.have.length(Object.keys(migrations).length)
    expect((await next.knex('knex_migrations_lock').first()).is_locked).to.equal(0)
    if (config.kind === 'mysql') {
      const [indexes] = await next.knex.raw('SHOW INDEX FROM steps')
      expect((indexes as { Column_name: string }[]).map((row) => row.Column_name)).to.include('due_at')
      await next.close()
    }
  })

  it('of a later version are left alone, and the start says which build they are of', async () => {
    await database.knex('knex_migrations').insert({ name: '9999_later', batch: 9 })
    const start = await database.migrate().catch((error: unknown) => error)
    expect((start as Error).message).to.match(/^The database was migrated by a newer build \(9999_later\)/)
  })

  it('of an earlier version are brought up to date, with what they hold', async () => {
    const { knex } = database
    const exposure = { kind: 'payout', chain_id: 1, transaction_hash: '0x01', user: '0x02', token: '0x03' }
    await knex('exposures').insert({ ...exposure, amount: '5', open_amount: '5', found_at: 7 })
    await knex.raw('ALTER TABLE exposures DROP COLUMN undone_amount')
    await knex('knex_migrations').where({ name: '0002_undone_payouts' }).delete()
    await database.migrate()
    const [row] = await knex('exposures')
    expect(row).to.include({ ...exposure, amount: '5', open_amount: '5', undone_amount: '0' })
  })

  it('of an earlier version get the indexes that lookups of venue records name, or those that are missing', async () => {
    const { knex } = database
    // Only MySQL keeps what a start has made that was killed.
    const subjects = config.kind === 'mysql' ? ['tx_hash'] : ['address', 'tx_hash']
    await knex.schema.alterTable('venue_tx_hashes', (t) => {
      for (const labels of [['venue'], ['action_type'], ['venue', 'action_type']]) {
        for (const subject of subjects) t.dropIndex([subject, ...labels, 'created_at', 'id'])
      }
    })
    await knex('knex_migrations').where({ name: '0003_venue_lookups' }).delete()
    await database.migrate()
    const lookups = createVenueTxHashStore(database)
    for (const venue of [null, 'here']) {
      for (const actionType of [null, 'deposit']) {
        expect(await lookups.findByHash(randomHash(), { venue, actionType })).to.equal(null)
        const filter = { address: randomAddress(), venue, actionTypes: actionType === null ? null : [actionType] }
        expect(await lookups.find({ ...filter, count: 1 })).to.deep.equal([])
      }
    }
  })

  it('of an earlier version get the index that has the steps of a transaction in order, instead of the one before', async () => {
    const { knex } = database
    await knex.schema.alterTable('steps', (t) => {
      t.index(['transaction_hash'])
      t.dropIndex(['transaction_hash', 'action_id', 'user'])
    })
    await knex('knex_migrations').where({ name: '0004_steps_of_transaction' }).delete()
    await database.migrate()
    const filter = { user: null, status: null, before: null, limit: 1, transactionHash: randomHash() }
    expect((await createStore(database).listActions(filter)).actions).to.deep.equal([])
    // The next start after one that was killed before the migration was noted.
    if (config.kind === 'mysql') {
      await knex('knex_migrations').where({ name: '0004_steps_of_transaction' }).delete()
      await database.migrate()
    }
    const again = knex.schema.alterTable('steps', (t) => t.dropIndex(['transaction_hash']))
    const refusal = await again.then(
      () => null,
      (error: Error) => error.message,
    )
    expect(refusal).to.match(/no such index|Can't DROP/)
  })
})
