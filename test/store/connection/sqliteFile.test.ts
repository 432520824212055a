import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { createDatabase, type Database, type Transaction } from '../../../server/store/connection/database.js'

describe('the SQLite file', () => {
  let folder: string
  let database: Database
  const file = () => join(folder, 'service.db')

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sqlite-'))
    database = createDatabase({ kind: 'sqlite', file: file() })
    await database.knex.raw('CREATE TABLE parents (id INTEGER PRIMARY KEY)')
    await database.knex.raw(
      'CREATE TABLE children (id INTEGER PRIMARY KEY, ' +
        'parent INTEGER REFERENCES parents(id) DEFERRABLE INITIALLY DEFERRED)',
    )
  })
  afterEach(async () => {
    await database.close()
    rmSync(folder, { recursive: true })
  })

  it('holds by itself all that was stored, once it is closed', async () => {
    for (const durable of [true, false]) {
      await database.transact((trx) => trx('parents').insert({ id: Number(durable) }), { durable })
    }
    await database.close()
    const copy = join(folder, 'copy.db')
    copyFileSync(file(), copy)
    const restored = createDatabase({ kind: 'sqlite', file: copy })
    expect(await restored.knex('parents').orderBy('id')).to.deep.equal([{ id: 0 }, { id: 1 }])
    await restored.close()
  })

  it('lets everybody else have a turn while many wait for it', async () => {
    let turns = 0
    let isOver = false
    const turn = () => {
      turns += 1
      if (!isOver) setImmediate(turn)
    }
    setImmediate(turn)
    // Each takes some milliseconds of this thread.
    const count = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000) SELECT max(i) FROM n'
    const startedAt = performance.now()
    await Promise.all(Array.from({ length: 60 }, () => database.knex.raw(count)))
    isOver = true
    const tookMs = performance.now() - startedAt
    expect(tookMs, 'long enough to tell').to.be.above(150)
    expect(turns, `in ${tookMs} ms`).to.be.above(5)
  })

  it('is waited for again after every transaction that need not wait for it, however that ends', async () => {
    // As a comment makes it a statement of its own: one that is prepared tells what was when it was.
    let asked = 0
    const waits = async (knex: Database['knex'] | Transaction) => {
      const [row] = (await knex.raw(`PRAGMA synchronous /* ${asked++} */`)) as { synchronous: number }[]
      return row!.synchronous === 2
    }
    const endings: [string, (trx: Transaction) => Promise<unknown>][] = [
      ['stored', async (trx) => trx('parents').insert({ id: 1 })],
      ['failed', async (trx) => trx('nothing').insert({ id: 1 })],
      ['failed', async (trx) => trx('children').insert({ id: 1, parent: 9 })],
      ['stored', async (trx) => trx('parents').insert({ id: 2 })],
    ]
    expect(await waits(database.knex)).to.equal(true)
    for (const [expected, work] of endings) {
      const run = async (trx: Transaction) => {
        expect(await waits(trx)).to.equal(false)
        await work(trx)
      }
      const ended = await database.transact(run, { durable: false }).then(
        () => 'stored',
        () => 'failed',
      )
      expect(ended).to.equal(expected)
      expect(await waits(database.knex)).to.equal(true)
    }
    expect(await database.knex('parents')).to.have.length(2)
    expect(await database.knex('children')).to.deep.equal([])
  })
})
