import { expect } from 'chai'
import type { Knex } from 'knex'
import { createDatabase, type Database } from '../../../server/store/connection/database.js'
import { isWriteRefused } from '../../../server/store/connection/databaseErrors.js'
import { freshDatabase } from '../../support/database.js'

// SQLite has no server.
if (process.env.TEST_DATABASE === 'mysql') {
  describe('a connection to a server that has become read-only', () => {
    /** MariaDB's own error for it. */
    const refusal = "SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = 1290, MESSAGE_TEXT = 'read-only'"
    let fresh: Awaited<ReturnType<typeof freshDatabase>>
    let database: Database

    before(async () => {
      fresh = await freshDatabase()
      const { url } = fresh.config as { url: string }
      database = createDatabase({ kind: 'mysql', url, poolSize: 1 })
    })
    after(async () => {
      await database.close()
      await fresh.drop()
    })

    async function connectionId(): Promise<number> {
      const [row] = await database.select<{ id: number }>('SELECT CONNECTION_ID() AS id', [])
      return row!.id
    }

    const writes: [string, () => Promise<unknown>][] = [
      ['a single write', () => database.write((knex: Knex) => knex.raw(refusal))],
      ['a transaction', () => database.transact((trx) => trx.raw(refusal).then())],
      ['a statement that was put off', () => database.transact(async (trx) => trx.later(trx.raw(refusal)))],
    ]
    for (const [name, write] of writes) {
      it(`is left after ${name}, so that the next one leads to the server that is the first by now`, async () => {
        const before = await connectionId()
        expect(await connectionId()).to.equal(before)
        const error = await write().catch((reason: unknown) => reason)
        expect(isWriteRefused(error), String(error)).to.equal(true)
        expect(await connectionId()).to.not.equal(before)
      })
    }
  })
}
