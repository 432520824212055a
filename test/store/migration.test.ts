import { expect } from 'chai'
import { createDatabase, type Database, type DatabaseConfig } from '../../server/store/database.js'
import { freshDatabase } from '../support/database.js'

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
    expect(await next.knex('knex_migrations')).to.have.length(1)
    expect((await next.knex('knex_migrations_lock').first()).is_locked).to.equal(0)
    if (config.kind === 'mysql') {
      const [indexes] = await next.knex.raw('SHOW INDEX FROM steps')
      expect((indexes as { Column_name: string }[]).map((row) => row.Column_name)).to.include('due_at')
      await next.close()
    }
  })
})
