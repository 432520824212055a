import { randomBytes } from 'node:crypto'
import { createConnection } from 'mysql2/promise'
import { createDatabase, type Database, type DatabaseConfig } from '../../server/store/database.js'

/**
 * A fresh, empty, migrated database: SQLite in memory, or with TEST_DATABASE=mysql a schema of its own on the server
 * that the run has started (see globalSetup).
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
  const fresh = await freshMysqlUrl()
  const config: DatabaseConfig = { kind: 'mysql', url: fresh.url }
  const database = createDatabase(config)
  await database.migrate()
  return {
    database,
    config,
    async drop() {
      await database.close()
      await fresh.drop()
    },
  }
}

/** A new, empty schema, on the test server if on no other. */
export async function freshMysqlUrl(
  server = process.env.TEST_MYSQL_URL,
): Promise<{ url: string; drop: () => Promise<void> }> {
  if (!server) throw new Error('TEST_MYSQL_URL is not set; the global setup starts the server')
  const name = `t_${randomBytes(6).toString('hex')}`
  const url = new URL(server)
  const run = async (sql: string) => {
    const connection = await createConnection(server)
    await connection.query(sql)
    await connection.end()
  }
  await run(`CREATE DATABASE ${name}`)
  url.pathname = `/${name}`
  return { url: url.toString(), drop: () => run(`DROP DATABASE ${name}`) }
}
