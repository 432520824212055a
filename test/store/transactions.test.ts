import { expect } from 'chai'
import type { Database, Transaction } from '../../server/store/database.js'
import { freshDatabase } from '../support/database.js'

describe('a transaction of the store', () => {
  let database: Database
  let drop: () => Promise<void>

  beforeEach(async () => {
    ;({ database, drop } = await freshDatabase())
    await database.knex.schema.createTable('parents', (t) => t.integer('id').primary())
    await database.knex.raw(
      'CREATE TABLE children (id INTEGER PRIMARY KEY, parent INTEGER' +
        (database.kind === 'sqlite' ? ' REFERENCES parents(id) DEFERRABLE INITIALLY DEFERRED)' : ')'),
    )
  })
  afterEach(() => drop())

  /** Does something on which the COMMIT, and nothing before it, will fail. */
  async function spoilCommit(trx: Transaction): Promise<void> {
    await trx('children').insert({ id: 1, parent: 9 })
    if (database.kind === 'sqlite') return
    const [rows] = (await trx.raw('SELECT CONNECTION_ID() AS id')) as [{ id: number }[]]
    await database.knex.raw(`KILL CONNECTION ${rows[0]!.id}`)
  }

  it('throws when its COMMIT fails, and never tells of a result that is not stored', async () => {
    const outcome = await database
      .transact(async (trx) => {
        await spoilCommit(trx)
        return 'stored'
      })
      .catch((error: unknown) => error)
    expect(outcome).to.be.instanceOf(Error)
    expect(await database.knex('children')).to.deep.equal([])
  })

  it('leaves nothing open behind a failed COMMIT for the next one to store', async () => {
    await database.transact(spoilCommit).catch(() => undefined)
    await database.transact(async (trx) => {
      await trx('parents').insert({ id: 1 })
    })
    expect(await database.knex('parents')).to.have.length(1)
    expect(await database.knex('children')).to.deep.equal([])
  })

  it('is run again, whole, when the database rolled it back', async () => {
    let runs = 0
    await database.transact(async (trx) => {
      await trx('parents').insert({ id: ++runs })
      if (runs < 4) throw Object.assign(new Error('deadlock'), { errno: 1213 })
    })
    expect(await database.knex('parents')).to.deep.equal([{ id: 4 }])
  })

  it('gives up on what keeps being rolled back, and stores nothing of it', async () => {
    const always = database.transact(async (trx) => {
      await trx('parents').insert({ id: 1 })
      throw Object.assign(new Error('lock wait'), { errno: 1205 })
    })
    expect(await always.catch((error: Error) => error.message)).to.equal('lock wait')
    expect(await database.knex('parents')).to.deep.equal([])
  })
})
