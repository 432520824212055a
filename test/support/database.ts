import { createDatabase, type Database } from '../../server/store/connection/database.js'
import type { DatabaseConfig } from '../../server/store/connection/openDatabase.js'
import { migratedSchema } from './mysqlSchemas.js'

/**
 * An empty, migrated database: SQLite in memory, or with TEST_DATABASE=mysql a schema of its own on the server that the
 * run has started (see globalSetup).
 */
export async function freshDatabase(): Promise<{
  database: Database
  config: DatabaseConfig
  drop: () => Promise<void>
}> {
  if (process.env.TEST_DATABASE !== 'mysql') {
    const config: DatabaseConfig = { kind: 'sqlite', file: ':memory:' }
    const database = createDatabase(config)
    await database.migrate()
    return { database, config, drop: () => database.close() }
  }
  const schema = await migratedSchema()
  const config: DatabaseConfig = { kind: 'mysql', url: schema.url }
  const database = createDatabase(config)
  return {
    database,
    config,
    async drop() {
      await database.close()
      await schema.drop()
    },
  }
}
