import type { Database } from '../../server/store/connection/database.js'

/** Written by every request that counts, refused or not. */
const notCounted = new Set(['rate_limits', 'knex_migrations', 'knex_migrations_lock'])

/** Reads how many rows each table holds, in one query. */
export async function createRowCounter(database: Database): Promise<() => Promise<Record<string, number>>> {
  const tables = (await database.select<{ name: string }>(
    database.kind === 'mysql'
      ? 'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()'
      : "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'",
    [],
  )) as { name: string }[]
  const counted = tables.map(({ name }) => name).filter((name) => !notCounted.has(name))
  const sql = `SELECT ${counted.map((name) => `(SELECT COUNT(*) FROM ${name}) AS ${name}`).join(', ')}`
  return async () => {
    const [row] = await database.select<Record<string, number>>(sql, [])
    return { ...row! }
  }
}
