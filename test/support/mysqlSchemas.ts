import { randomBytes } from 'node:crypto'
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise'
import { createDatabase } from '../../server/store/connection/database.js'

export type Schema = { url: string; drop: () => Promise<void> }

/** A new schema without tables, on the test server if on no other. */
export async function newSchema(server = testServer()): Promise<Schema> {
  const name = `${process.env.TEST_MYSQL_SCHEMAS ?? 't_'}${randomBytes(6).toString('hex')}`
  const url = new URL(server)
  await at(server, (connection) => connection.query(`CREATE DATABASE ${name}`))
  url.pathname = `/${name}`
  const drop = () => at(server, (connection) => connection.query(`DROP DATABASE ${name}`))
  return { url: url.toString(), drop: async () => void (await drop()) }
}

/** Those that are free again, of this process. */
const free: Schema[] = []
/** What a schema is made of once it is migrated. */
let form: string | undefined

/**
 * A schema with all tables, of which none has a row but the migrations' own. It takes half a second of a processor to
 * make one and a tenth of that to empty it: what is dropped here is emptied, and is the next one.
 */
export async function migratedSchema(): Promise<Schema> {
  const schema = free.pop() ?? (await makeMigrated())
  return {
    url: schema.url,
    async drop() {
      const isAsNew = await at(schema.url, emptied)
      if (isAsNew) free.push(schema)
      else await schema.drop()
    },
  }
}

async function makeMigrated(): Promise<Schema> {
  const schema = await newSchema()
  const database = createDatabase({ kind: 'mysql', url: schema.url })
  await database.migrate()
  await database.close()
  form ??= await at(schema.url, formOf)
  return schema
}

/** Not of one that a test has changed the tables of, nor where somebody may still be about to write. */
async function emptied(connection: Connection): Promise<boolean> {
  const others = await rows(
    connection,
    'SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()',
  )
  if (others.length > 0 || (await formOf(connection)) !== form) return false
  const names = (await rows(connection, 'SHOW TABLES')).flatMap((row) => Object.values(row) as string[])
  const ours = names.filter((name) => !name.startsWith('knex_migrations'))
  const looks = ours.map((name) => `(SELECT '${name}' AS name FROM \`${name}\` LIMIT 1)`)
  await connection.query('SET FOREIGN_KEY_CHECKS = 0')
  for (const { name } of await rows(connection, looks.join(' UNION ALL '))) {
    await connection.query(`TRUNCATE TABLE \`${name as string}\``)
  }
  return true
}

/** The columns and indexes of all tables, and what the migrations have noted. */
async function formOf(connection: Connection): Promise<string> {
  const columns = 'table_name, column_name, ordinal_position, column_type, is_nullable, column_default, collation_name'
  const looks = [
    `SELECT ${columns} FROM information_schema.columns WHERE table_schema = DATABASE() ORDER BY 1, 3`,
    'SELECT table_name, index_name, seq_in_index, column_name, non_unique FROM information_schema.statistics ' +
      'WHERE table_schema = DATABASE() ORDER BY 1, 2, 3',
    'SELECT name FROM knex_migrations ORDER BY id',
    'SELECT is_locked FROM knex_migrations_lock',
  ]
  const seen = []
  for (const look of looks) seen.push(await rows(connection, look))
  return JSON.stringify(seen)
}

async function rows(connection: Connection, sql: string): Promise<RowDataPacket[]> {
  const [found] = await connection.query<RowDataPacket[]>(sql)
  return found
}

async function at<T>(url: string, work: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await createConnection(url)
  try {
    return await work(connection)
  } finally {
    await connection.end()
  }
}

function testServer(): string {
  const url = process.env.TEST_MYSQL_URL
  if (!url) throw new Error('TEST_MYSQL_URL is not set; the global setup starts the server')
  return url
}
