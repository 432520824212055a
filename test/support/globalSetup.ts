import { type Mariadb, startMariadb } from '../../scripts/mariadb.js'

let server: Mariadb | null = null

/** Once per run: with TEST_DATABASE=mysql, a server that only this run uses. */
export async function mochaGlobalSetup(): Promise<void> {
  if (process.env.TEST_DATABASE !== 'mysql' || process.env.TEST_MYSQL_URL) return
  server = await startMariadb()
  process.env.TEST_MYSQL_URL = server.url
}

export async function mochaGlobalTeardown(): Promise<void> {
  await server?.stop()
}
