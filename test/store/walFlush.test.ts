import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { createDatabase, type Database, isOutage } from '../../server/store/database.js'
import { DiskFailure } from '../../server/store/walFlush.js'
import { until } from '../support/until.js'

/** The disk is the real one; what is changed is when it is told to write, and what comes of that. */
describe('what SQLite has stored', () => {
  let folder: string
  let database: Database
  let handles: FileHandle
  let real: FileHandle['datasync']
  /** Called instead of each flush, with the one that it stands for. */
  let flush: (write: () => Promise<void>) => Promise<void>
  let flushes: number
  let release: () => void = () => undefined
  const file = () => join(folder, 'service.db')
  const add = (id: number, durable = true) =>
    database.transact((trx) => trx('rows').insert({ id }), { durable }).then(() => id)
  const ids = (of: Database) => of.knex('rows').orderBy('id').pluck('id') as Promise<number[]>

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'wal-'))
    database = createDatabase({ kind: 'sqlite', file: file() })
    await database.knex.raw('CREATE TABLE rows (id INTEGER PRIMARY KEY)')
    const some = await open(file())
    handles = Object.getPrototypeOf(some) as FileHandle
    await some.close()
    real = handles.datasync
    flushes = 0
    flush = (write) => write()
    handles.datasync = function (this: FileHandle) {
      flushes += 1
      return flush(() => real.call(this))
    }
  })
  afterEach(async () => {
    release()
    handles.datasync = real
    await database.close()
    rmSync(folder, { recursive: true })
  })

  /** Holds every flush until `release`. */
  function holdFlushes(): void {
    const released = new Promise<void>((resolve) => (release = resolve))
    flush = (write) => released.then(write)
  }

  /** Whether it is still not over after many turns of the event loop. */
  async function isWaiting(promise: Promise<unknown>): Promise<boolean> {
    let isOver = false
    const over = () => (isOver = true)
    promise.then(over, over)
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
    return !isOver
  }

  it('is on the disk before its writer is told, and before anybody tells what he has read of it', async () => {
    holdFlushes()
    for (const write of [() => add(1), () => database.write((knex) => knex('rows').insert({ id: 2 }))]) {
      const before = (await ids(database)).length
      const stored = write()
      await until(async () => (await ids(database)).length > before, 'the row can be read')
      expect(await isWaiting(stored), 'its writer').to.equal(true)
      expect(await isWaiting(database.onDisk()), 'a reader').to.equal(true)
      expect(await isWaiting(database.transact((trx) => trx('rows').pluck('id'))), 'who decides by it').to.equal(true)
    }
    expect(flushes, 'at a time').to.equal(1)
    release()
    await database.onDisk()
    expect(await isWaiting(database.onDisk()), 'once it is there').to.equal(false)
  })

  it('is not waited for where it need not be durable', async () => {
    await add(1)
    flushes = 0
    holdFlushes()
    expect(await add(2, false)).to.equal(2)
    await database.onDisk()
    expect(flushes).to.equal(0)
  })

  it('shares a flush with all that comes while the one before is under way', async () => {
    holdFlushes()
    const first = add(0)
    await until(() => flushes === 1, 'the first is being flushed')
    const others = Array.from({ length: 20 }, (_, index) => add(index + 1))
    await until(async () => (await ids(database)).length === 21, 'all are written')
    const releaseFirst = release
    holdFlushes()
    releaseFirst()
    await first
    await until(() => flushes === 2, 'the others are being flushed')
    expect(await isWaiting(database.onDisk()), 'a reader of the others').to.equal(true)
    release()
    await Promise.all(others)
    expect(flushes, 'with that of the reader').to.be.at.most(3)
  })

  it('has not been stored for certain when the disk fails, and nothing more is stored then', async () => {
    flush = () => Promise.reject(new Error('EIO'))
    const failed = await add(1).catch((error: unknown) => error)
    expect(failed).to.be.instanceOf(DiskFailure)
    expect(isOutage(failed)).to.equal(true)
    flush = (write) => write()
    for (const next of [add(2), database.onDisk(), database.write((knex) => knex('rows').insert({ id: 3 }))]) {
      expect(await next.catch((error: unknown) => error)).to.be.instanceOf(DiskFailure)
    }
  })

  it('outlasts a power failure if anybody was told of it', async () => {
    /** By what is on the disk after each flush, who was told while it was no more than that. */
    const disks = new Map<string, number[]>()
    let disk: string | null = null
    flush = async (write) => {
      // Of what is written during a flush nobody knows whether it gets there.
      const copy = join(folder, `copy${flushes}.db`)
      copyFileSync(file(), copy)
      copyFileSync(`${file()}-wal`, `${copy}-wal`)
      await write()
      disk = copy
    }
    const tell = (id: number) => {
      if (!disk) throw new Error('Somebody was told before anything was on the disk')
      disks.set(disk, [...(disks.get(disk) ?? []), id])
    }
    for (let round = 0; round < 10; round++) {
      const writers = Array.from({ length: 20 }, async (_, index) => {
        const isDurable = index % 4 !== 0
        const id = await add(round * 20 + index, isDurable)
        if (isDurable) tell(id)
      })
      await Promise.all(writers)
    }
    expect(disks.size, 'how often it was looked').to.be.above(5)
    for (const [copy, told] of disks) {
      const restored = createDatabase({ kind: 'sqlite', file: copy })
      const rows = new Set(await ids(restored))
      await restored.close()
      expect(
        told.filter((id) => !rows.has(id)),
        'lost',
      ).to.deep.equal([])
    }
  })
})
