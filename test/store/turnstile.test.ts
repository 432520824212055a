import { expect } from 'chai'
import { createDatabase, type Database } from '../../server/store/connection/database.js'
import { isOutage } from '../../server/store/connection/databaseErrors.js'
import { createTurnstile } from '../../server/store/connection/turnstile.js'
import { freshDatabase } from '../support/database.js'
import { pause } from '../support/pause.js'

describe('who waits for one of a few places', () => {
  const open = (places: number, patienceMs = 60_000) => createTurnstile(places, patienceMs, () => new Error('too long'))

  it('is let in when one is left, those who go first before the others, each in the order of their coming', async () => {
    const { enter, leave } = open(2)
    const order: string[] = []
    const come = (line: 'first' | 'others', name: string) => enter(line).then(() => order.push(name))
    await Promise.all([come('others', 'a'), come('others', 'b')])
    const all = [come('others', 'c'), come('others', 'd'), come('first', 'E'), come('first', 'F')]
    await pause(1)
    expect(order).to.deep.equal(['a', 'b'])
    for (const _waiting of all) leave()
    await Promise.all(all)
    expect(order).to.deep.equal(['a', 'b', 'E', 'F', 'c', 'd'])
    leave()
    leave()
    await Promise.all([come('others', 'g'), come('first', 'h')])
    expect(order.slice(6)).to.deep.equal(['g', 'h'])
  })

  it('is let in at some time, however many go first', async () => {
    const { enter, leave } = open(1)
    await enter('first')
    const order: string[] = []
    const firsts = Array.from({ length: 40 }, () => enter('first').then(() => order.push('first')))
    const others = Array.from({ length: 3 }, () => enter('others').then(() => order.push('other')))
    for (let count = 0; count < 43; count++) {
      leave()
      await pause(0)
    }
    await Promise.all([...firsts, ...others])
    const places = order.flatMap((name, place) => (name === 'other' ? [place] : []))
    expect(places).to.deep.equal([8, 17, 26])
  })

  it('gives up after a while, and takes no place then', async () => {
    const { enter, leave } = open(1, 30)
    await enter('others')
    const gaveUp = await enter('first').catch((error: Error) => error.message)
    expect(gaveUp).to.equal('too long')
    leave()
    await enter('others')
    const next = enter('first')
    leave()
    await next
  })
})

describe('what is urgent', () => {
  let fresh: Awaited<ReturnType<typeof freshDatabase>>
  let database: Database

  before(async () => {
    fresh = await freshDatabase()
    database = fresh.config.kind === 'mysql' ? createDatabase({ ...fresh.config, poolSize: 1 }) : fresh.database
  })
  after(async () => {
    if (database !== fresh.database) await database.close()
    await fresh.drop()
  })

  it('is asked of the database before all that waits for it: reads, writes and transactions', async () => {
    const order: string[] = []
    const ask = (one: Database, name: string) => one.select('SELECT 1', []).then(() => order.push(name))
    const { urgent } = database
    await database.snapshot(async () => {
      const ordinary = Array.from({ length: 20 }, (_none, count) => ask(database, `ordinary ${count}`))
      const firsts = [
        ask(urgent, 'read'),
        urgent.transact((trx) => trx('lanes').select('signer')).then(() => order.push('transaction')),
        urgent.write((knex) => knex('lanes').delete()).then(() => order.push('write')),
        urgent.snapshot((reader) => reader('lanes').select('signer')).then(() => order.push('snapshot')),
      ]
      queueMicrotask(() => void Promise.all([...ordinary, ...firsts]).then(() => order.push('end')))
    })
    while (!order.includes('end')) await pause(5)
    expect(order.slice(0, 4)).to.have.members(['read', 'transaction', 'write', 'snapshot'])
    expect(order.slice(4, 24)).to.deep.equal(Array.from({ length: 20 }, (_none, count) => `ordinary ${count}`))
    expect(database.urgent.urgent).to.equal(database.urgent)
  })

  it('leaves a connection free when it fails', async () => {
    for (const one of [database, database.urgent]) {
      const error = await one.select('SELECT nothing', []).catch((reason: unknown) => reason)
      expect(error).to.be.instanceOf(Error)
      expect(isOutage(error)).to.equal(false)
      expect(await one.transact((trx) => trx.raw('SELECT nothing')).catch(() => 'failed')).to.equal('failed')
      expect(await one.clock()).to.be.greaterThan(0)
    }
  })
})
