import { randomBytes } from 'node:crypto'
import { createConnection, type RowDataPacket } from 'mysql2/promise'
import { type Mariadb, startMariadb } from '../../scripts/mariadb.js'

let server: Mariadb | null = null

/**
 * Once per run: with TEST_DATABASE=mysql, a server that only this run uses, or schemas of its own on the one that
 * TEST_MYSQL_URL names. All processes of the run have the same environment.
 */
export async function mochaGlobalSetup(): Promise<void> {
  if (process.env.TEST_DATABASE !== 'mysql') return
  process.env.TEST_MYSQL_SCHEMAS = `t_${randomBytes(4).toString('hex')}_`
  if (process.env.TEST_MYSQL_URL) return
  server = await startMariadb()
  process.env.TEST_MYSQL_URL = server.url
}

export async function mochaGlobalTeardown(): Promise<void> {
  if (server) return server.stop()
  if (process.env.TEST_DATABASE === 'mysql') await dropSchemas(process.env.TEST_MYSQL_URL!)
}

/** What is left of the run's schemas on a server that goes on. */
async function dropSchemas(url: string): Promise<void> {
  const connection = await createConnection(url)
  const pattern = `${process.env.TEST_MYSQL_SCHEMAS!.replaceAll('_', '\\_')}%`
  const [rows] = await connection.query<RowDataPacket[]>('SHOW DATABASES LIKE ?', [pattern])
  for (const name of rows.flatMap((row) => Object.values(row) as string[])) {
    await connection.query(`DROP DATABASE ${name}`)
  }
  await connection.end()
}
