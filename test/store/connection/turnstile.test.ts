import { expect } from 'chai'
import { createDatabase, type Database } from '../../../server/store/connection/database.js'
import { isOutage } from '../../../server/store/connection/databaseErrors.js'
import { createTurnstile, type Line } from '../../../server/store/connection/turnstile.js'
import { freshDatabase } from '../../support/database.js'
import { pause } from '../../support/pause.js'

describe('who waits for one of a few places', () => {
  const open = (places: number, patienceMs = 60_000) => createTurnstile(places, patienceMs, () => new Error('too long'))

  it('is let in when one is left, those who go first before the others, each in the order of their coming', async () => {
    const { enter, leave } = open(2)
    const order: string[] = []
    const come = (line: Line, name: string) => enter(line).then(() => order.push(name))
    await Promise.all([come('reads', 'a'), come('writes', 'b')])
    const all = [come('writes', 'c'), come('reads', 'd'), come('writes', 'e'), come('first', 'F'), come('first', 'G')]
    await pause(1)
    expect(order).to.deep.equal(['a', 'b'])
    for (const _waiting of all) leave()
    await Promise.all(all)
    expect(order).to.deep.equal(['a', 'b', 'F', 'G', 'c', 'd', 'e'])
    leave()
    leave()
    await Promise.all([come('writes', 'h'), come('first', 'i')])
    expect(order.slice(7)).to.deep.equal(['h', 'i'])
  })

  it('waits for four writes as a read, however many have come before, and as a write for all reads before it', async () => {
    const { enter, leave } = open(1)
    await enter('first')
    const order: string[] = []
    const come = (line: Line, name: string) => enter(line).then(() => order.push(name))
    const all = [
      ...Array.from({ length: 20 }, () => come('writes', 'w')),
      ...Array.from({ length: 3 }, () => come('reads', 'r')),
      come('writes', 'last'),
    ]
    for (const _waiting of all) {
      leave()
      await pause(0)
    }
    await Promise.all(all)
    expect(order.join('')).to.equal('wwwwrwwwwrwwwwrwwwwwwwwlast')

    const others = [come('reads', 'R'), come('reads', 'R'), come('writes', 'W'), come('reads', 'R')]
    for (const _waiting of others) {
      leave()
      await pause(0)
    }
    await Promise.all(others)
    expect(order.slice(-4).join('')).to.equal('RRWR')
  })

  it('is let in at some time, however many go first', async () => {
    const { enter, leave } = open(1)
    await enter('first')
    const order: string[] = []
    const firsts = Array.from({ length: 40 }, () => enter('first').then(() => order.push('first')))
    const others = Array.from({ length: 3 }, () => enter('writes').then(() => order.push('other')))
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
    await enter('reads')
    const gaveUp = await enter('first').catch((error: Error) => error.message)
    expect(gaveUp).to.equal('too long')
    leave()
    await enter('writes')
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

  it('of what is not, a read waits for a few of the writes and transactions that have come before it', async () => {
    const order: string[] = []
    await database.snapshot(async () => {
      const write = (name: string) => database.write((knex) => knex('lanes').delete()).then(() => order.push(name))
      const transact = () => database.transact((trx) => trx('lanes').delete()).then(() => order.push('transaction'))
      const all = [
        ...Array.from({ length: 5 }, transact),
        ...Array.from({ length: 5 }, () => write('write')),
        database.select('SELECT 1', []).then(() => order.push('read')),
        database.knex('lanes').then(() => order.push('read')),
        database.snapshot((reader) => reader('lanes')).then(() => order.push('read')),
      ]
      queueMicrotask(() => void Promise.all(all).then(() => order.push('end')))
    })
    while (!order.includes('end')) await pause(5)
    const reads = order.flatMap((name, place) => (name === 'read' ? [place] : []))
    expect(reads).to.deep.equal([4, 9, 12])
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
