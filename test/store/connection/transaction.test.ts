import { expect } from 'chai'
import { createDatabase, type Database, type Transaction } from '../../../server/store/connection/database.js'
import { isDuplicate, isOutage } from '../../../server/store/connection/databaseErrors.js'
import { freshDatabase } from '../../support/database.js'

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

  it('on a connection that is lost on its way is told as an outage, and the next has another one', async () => {
    const lost = await database.transact(spoilCommit).catch((error: unknown) => error)
    // SQLite has nothing that could be lost.
    expect(isOutage(lost)).to.equal(database.kind === 'mysql')
    await database.transact((trx) => trx('parents').insert({ id: 1 }))
    expect(await database.knex('parents')).to.have.length(1)
  })

  it('finds an outage where its database is not known, not reached or takes no connection', async () => {
    for (const host of ['no-such-host.invalid', '127.0.0.1:9', '255.255.255.255']) {
      const away = createDatabase({ kind: 'mysql', url: `mysql://u:p@${host}/x` })
      const error = await away.knex('parents').then(
        () => null,
        (thrown: unknown) => thrown,
      )
      await away.close()
      expect(isOutage(error), `${host}: ${String(error)}`).to.equal(true)
    }
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

  it('runs what was put off before the next statement, and the rest before COMMIT', async () => {
    const seen = await database.transact(async (trx) => {
      trx.later(trx('parents').insert({ id: 1 }))
      const first = await trx('parents').pluck('id')
      trx.later(trx('parents').insert({ id: 2 }))
      trx.later(trx('parents').where({ id: 1 }).delete())
      return first
    })
    expect(seen).to.deep.equal([1])
    expect(await database.knex('parents').pluck('id')).to.deep.equal([2])
  })

  it('answers each of several statements as it would by itself', async () => {
    const answers = await database.transact((trx) =>
      trx.together(
        trx('parents').insert([{ id: 7 }, { id: 8 }]),
        trx('parents').where({ id: 7 }).update({ id: 9 }),
        trx('parents').orderBy('id'),
        trx('parents').orderBy('id').pluck('id'),
        trx('parents').where({ id: 3 }).first(),
        trx('parents').where({ id: 8 }).delete(),
      ),
    )
    expect(answers.slice(1)).to.deep.equal([1, [{ id: 8 }, { id: 9 }], [8, 9], undefined, 1])
    expect(await database.knex('parents').pluck('id')).to.deep.equal([9])
  })

  it('stores nothing when what was put off fails, and throws that', async () => {
    const outcome = await database
      .transact(async (trx) => {
        trx.later(trx('parents').insert({ id: 1 }))
        trx.later(trx('parents').insert({ id: 1 }))
        trx.later(trx('parents').insert({ id: 2 }))
        return 'stored'
      })
      .catch((error: unknown) => error)
    expect(isDuplicate(outcome)).to.equal(true)
    expect(await database.knex('parents')).to.deep.equal([])
  })

  it('stores nothing once a statement has failed, whatever its work makes of that', async () => {
    const twice = { id: 1 }
    const outcome = await database
      .transact(async (trx) => {
        await trx('parents').insert(twice)
        await trx('parents')
          .insert(twice)
          .catch(() => undefined)
        const after = await trx('parents')
          .insert({ id: 2 })
          .catch((error: unknown) => isDuplicate(error))
        expect(after, 'the next one fails for the same').to.equal(true)
        return 'stored'
      })
      .catch((error: unknown) => isDuplicate(error))
    expect(outcome).to.equal(true)
    expect(await database.knex('parents')).to.deep.equal([])
  })

  it('keeps the order of statements that are asked for at once', async () => {
    const answers = await database.transact((trx) =>
      Promise.all([
        trx('parents').insert({ id: 1 }),
        trx('parents').pluck('id'),
        trx('parents').where({ id: 1 }).delete(),
        trx('parents').pluck('id'),
      ]),
    )
    expect(answers.slice(1)).to.deep.equal([[1], 1, []])
  })

  it('stores nothing of what still waits for its trip when its work fails', async () => {
    const left: Promise<unknown>[] = []
    const failed = database.transact(async (trx) => {
      for (const id of [1, 2, 3])
        left.push(
          trx('parents')
            .insert({ id })
            .catch(() => undefined),
        )
      throw new Error('thought better of it')
    })
    expect(await failed.catch((error: Error) => error.message)).to.equal('thought better of it')
    await Promise.all(left)
    expect(await database.knex('parents')).to.deep.equal([])
  })

  it('stores nothing of what was put off when its work fails', async () => {
    const failed = database.transact(async (trx) => {
      trx.later(trx('parents').insert({ id: 1 }))
      throw new Error('thought better of it')
    })
    expect(await failed.catch((error: Error) => error.message)).to.equal('thought better of it')
    expect(await database.knex('parents')).to.deep.equal([])
  })

  it('runs nothing more once a statement could not even be written down', async () => {
    const impossible = { id: undefined as never }
    const outcome = await database
      .transact(async (trx) => {
        trx.later(trx('parents').insert({ id: 1 }))
        await trx('parents')
          .where(impossible)
          .catch(() => undefined)
        await trx('parents')
          .insert({ id: 2 })
          .catch(() => undefined)
        return 'stored'
      })
      .catch((error: Error) => error.message)
    expect(outcome).to.match(/undefined/i)
    expect(await database.knex('parents').pluck('id')).to.deep.equal([])
  })

  it('runs nothing behind its COMMIT', async () => {
    let leaked: Promise<unknown> = Promise.resolve()
    await database.transact(async (trx) => {
      await trx('parents').insert({ id: 1 })
      const soon = Array.from({ length: 4 }).reduce<Promise<void>>(
        (turn) => turn.then(() => undefined),
        Promise.resolve(),
      )
      leaked = soon
        .then(() => trx('parents').insert({ id: 2 }))
        .then(
          () => 'stored',
          (error: Error) => error.message,
        )
    })
    expect(await leaked).to.equal('The transaction is over.')
    expect(await database.knex('parents').pluck('id')).to.deep.equal([1])
  })

  it('runs nothing more once it is over', async () => {
    const leaked = await database.transact(async (trx) => {
      await trx('parents').insert({ id: 1 })
      return { trx }
    })
    const late = await leaked
      .trx('parents')
      .insert({ id: 2 })
      .then(
        () => 'stored',
        (error: Error) => error.message,
      )
    expect(late).to.equal('The transaction is over.')
    expect(() => leaked.trx.later(leaked.trx('parents').insert({ id: 2 }))).to.throw('The transaction is over.')
    expect(await database.knex('parents').pluck('id')).to.deep.equal([1])
  })

  it('takes values for what they are, whatever they look like', async () => {
    await database.knex.schema.createTable('words', (t) => t.string('word'))
    const words = ["'; DELETE FROM words; --", 'a;\nCOMMIT', '?', '??', '\\', '\\?', '"', '`']
    const read = await database.transact((trx) => {
      for (const word of words) trx.later(trx('words').insert({ word }))
      return trx('words').pluck('word')
    })
    expect(read).to.have.members(words)
    await database.knex.schema.dropTable('words')
  })

  it('does not touch the database when it has nothing to do', async () => {
    let statements = 0
    database.knex.on('query', () => (statements += 1))
    expect(await database.transact(async () => 'nothing')).to.equal('nothing')
    expect(statements).to.equal(0)
  })
})
