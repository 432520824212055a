import knexFactory, { type Knex } from 'knex'

/**
 * Knex as it comes. SQLite is kept as the service keeps it: by one process and without locks, or each read would lock
 * the file, and on the disk with every commit.
 */
export function openPlain(url: string): Knex {
  if (!url.startsWith('sqlite:')) return knexFactory({ client: 'mysql2', connection: url })
  return knexFactory({
    client: 'better-sqlite3',
    connection: { filename: url.slice('sqlite:'.length) },
    useNullAsDefault: true,
    pool: {
      afterCreate(connection: { pragma(text: string): unknown }, done: (error: unknown, connection: unknown) => void) {
        for (const pragma of ['locking_mode = EXCLUSIVE', 'journal_mode = WAL', 'synchronous = FULL']) {
          connection.pragma(pragma)
        }
        done(null, connection)
      },
    },
  })
}
