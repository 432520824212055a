import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabase, type Database } from '../../server/store/connection/database.js'
import { newSchema } from '../../test/support/mysqlSchemas.js'
import { startMariadb } from '../mariadb.js'

export const databaseKinds = ['sqlite', 'mysql'] as const
export type DatabaseKind = (typeof databaseKinds)[number]

type FreshDatabase = {
  /** For DATABASE_URL. */
  url: string
  /** Drops it. */
  stop(): Promise<void>
}

export type Databases = {
  fresh(kind: DatabaseKind): Promise<FreshDatabase>
  stop(): Promise<void>
}

/**
 * As a server is set up for millions of rows: MariaDB's own 128 MB would hold a hundredth of them, and the 200 pages
 * that it writes in a second are a turning disk's.
 */
const serverOptions = ['--innodb-buffer-pool-size=2G', '--innodb-log-file-size=1G', '--innodb-io-capacity=2000']

/** Databases of one run of benchmarks. The MariaDB server starts with the first schema. */
export function createDatabases(): Databases {
  let server: ReturnType<typeof startMariadb> | null = null
  return {
    async fresh(kind) {
      if (kind === 'sqlite') {
        const folder = mkdtempSync(join(tmpdir(), 'bench-sqlite-'))
        return {
          url: `sqlite:${join(folder, 'bench.sqlite')}`,
          stop: async () => rmSync(folder, { recursive: true, force: true }),
        }
      }
      server ??= startMariadb(serverOptions)
      process.env.TEST_MYSQL_URL = (await server).url
      const { url, drop } = await newSchema()
      return { url, stop: drop }
    },
    async stop() {
      // One that has not started has told so where it was wanted.
      await (await server?.catch(() => null))?.stop()
    },
  }
}

/** Opens what DATABASE_URL names, with the settings of the service. */
export function openDatabase(url: string): Database {
  return createDatabase(
    url.startsWith('sqlite:') ? { kind: 'sqlite', file: url.slice('sqlite:'.length) } : { kind: 'mysql', url },
  )
}
