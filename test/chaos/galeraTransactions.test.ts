import { expect } from 'chai'
import { createConnection } from 'mysql2/promise'
import { type Galera, startGalera } from '../../scripts/galera.js'
import { createDatabase, type Database } from '../../server/store/connection/database.js'

/** Of one round. */
const forMs = 6_000
/** So that a transaction takes long enough for another node's to come in between. */
const moreWrites = 30

describe('transactions on a cluster', function () {
  this.timeout(150_000)
  let galera: Galera
  let databases: Database[]

  before(async () => {
    galera = await startGalera()
    const connection = await createConnection(galera.urls[0]!)
    await connection.query('CREATE DATABASE intents')
    await connection.query('CREATE TABLE intents.accounts (id INT PRIMARY KEY, held INT NOT NULL)')
    await connection.query('CREATE TABLE intents.moves (id INT, part INT, PRIMARY KEY (id, part))')
    await connection.query('INSERT INTO intents.accounts VALUES (1, 0), (2, 0)')
    await connection.end()
    databases = galera.urls.map((url) => createDatabase({ kind: 'mysql', url: `${url}intents`, poolSize: 4 }))
  })
  after(async () => {
    await Promise.all((databases ?? []).map((database) => database.close()))
    await galera?.stop()
  })

  it('that meet at the same rows of all nodes are stored whole or not at all, and told of as they were', async () => {
    const stored = new Set<number>()
    let last = 0
    let refused = 0
    const until = Date.now() + forMs
    /** Between two accounts, which others change in the other order at the same time. */
    const move = async (database: Database, id: number) => {
      const [from, to] = id % 2 ? [1, 2] : [2, 1]
      await database.transact(async (trx) => {
        const note = (part: number) => trx.later(trx('moves').insert({ id, part }))
        const add = (account: number, by: number) =>
          trx.later(
            trx('accounts')
              .where({ id: account })
              .update({ held: trx.raw('held + ?', [by]) }),
          )
        note(1)
        add(from!, -1)
        for (let part = 2; part < moreWrites; part++) note(part)
        add(to!, 1)
        note(moreWrites)
      })
    }
    const work = async (database: Database) => {
      while (Date.now() < until) {
        const id = ++last
        // As the store does, one that was rolled back too often is given up.
        await move(database, id).then(
          () => stored.add(id),
          () => (refused += 1),
        )
      }
    }
    await Promise.all(databases.flatMap((database) => [work(database), work(database)]))

    const counted = databases[0]!.knex('moves').select('id').count({ parts: '*' }).groupBy('id')
    const moves = (await counted) as { id: number; parts: number }[]
    expect(moves.filter(({ parts }) => Number(parts) !== moreWrites)).to.deep.equal([])
    expect(moves.map(({ id }) => Number(id)).sort((a, b) => a - b)).to.deep.equal([...stored].sort((a, b) => a - b))
    const [sum] = await databases[0]!.knex('accounts').sum({ held: 'held' })
    expect(Number(sum!['held'])).to.equal(0)
    expect(stored.size, `${refused} refused`).to.be.greaterThan(20)
  })
})
