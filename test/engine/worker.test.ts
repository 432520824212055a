import { expect } from 'chai'
import { pino } from 'pino'
import { moved, type Visit } from '../../server/engine/visit.js'
import { createWorker } from '../../server/engine/worker.js'
import { until } from '../support/until.js'

const log = pino({ enabled: false })
/** How many rows of one chain a worker visits at once of each kind, claimed and given, while there are no others. */
const seats = 128
const chainId = 1

describe('a worker that is given rows', () => {
  const running: { worker: { stop(): Promise<void> }; endAll(): void }[] = []
  // A test that fails leaves none at work, which would keep the whole run from its end.
  afterEach(async () => {
    for (const { worker, endAll } of running.splice(0)) {
      const stopped = worker.stop()
      endAll()
      await stopped
    }
  })

  /** `2:…` is of chain 2, and all without a number of chain 1. */
  const chainOf = (row: string) => (row.includes(':') ? Number(row.split(':')[0]) : chainId)

  /** `…heavy…` takes 16 places, as what holds 240 kB does, any other 1. */
  const lengthOf = (row: string) => (row.includes('heavy') ? 240_000 : 1_000)

  /** A queue whose rows are due once and whose visits end when they are told to. */
  function aQueue(due: string[] = []) {
    const visited: string[] = []
    const postponed: [string, number][] = []
    const ends: (() => void)[] = []
    const limits: number[] = []
    const worker = createWorker<string>(
      {
        name: 'rows',
        claim: async ({ limit, notOf = [] }) => {
          if (!notOf.includes(chainId)) limits.push(limit)
          const claimed = due.filter((row) => !notOf.includes(chainOf(row))).slice(0, limit)
          for (const row of claimed) due.splice(due.indexOf(row), 1)
          return claimed
        },
        chainOf,
        lengthOf,
        visit: (row) => {
          visited.push(row)
          return new Promise<Visit>((resolve) => ends.push(() => resolve(moved)))
        },
        postpone: async (row, delayMs) => void postponed.push([row, delayMs]),
        label: (row) => ({ row }),
      },
      log,
    )
    const endAll = () => ends.splice(0).forEach((end) => end())
    running.push({ worker, endAll })
    return { worker, visited, postponed, limits, endOne: () => ends.shift()!(), endAll }
  }

  it('visits one at once, without looking for it', async () => {
    const { worker, visited, endAll } = aQueue()
    worker.start()
    worker.takeSeat('asked')!.give('mine')
    expect(visited).to.deep.equal(['mine'])
    endAll()
    await worker.stop()
  })

  it('has no seat where it makes no visits: before its start and after its end', async () => {
    const { worker } = aQueue()
    expect(worker.takeSeat('asked')).to.equal(null)
    worker.start()
    await worker.stop()
    expect(worker.takeSeat('asked')).to.equal(null)
  })

  it('leaves what is given after its end to those who find it due', async () => {
    const { worker, visited, postponed } = aQueue()
    worker.start()
    const seat = worker.takeSeat('asked')!
    await worker.stop()
    seat.give('late')
    expect(visited).to.deep.equal([])
    expect(postponed).to.deep.equal([['late', 0]])
  })

  it('takes one row for each seat', async () => {
    const { worker, visited, endAll } = aQueue()
    worker.start()
    const seat = worker.takeSeat('asked')!
    seat.give('first')
    seat.give('second')
    seat.leave()
    expect(visited).to.deep.equal(['first'])
    endAll()
    await worker.stop()
  })

  it('has as many seats as visits, and each again when its visit has ended or was not wanted', async () => {
    const { worker, visited, endAll } = aQueue()
    worker.start()
    const taken = Array.from({ length: seats }, () => worker.takeSeat('asked')!)
    expect(worker.takeSeat('asked'), 'one too many').to.equal(null)
    taken[0]!.leave()
    taken[0]!.leave()
    taken[0] = worker.takeSeat('asked')!
    expect(worker.takeSeat('asked'), 'one was left, once').to.equal(null)
    taken.forEach((seat, index) => seat.give(`row ${index}`))
    expect(visited).to.have.length(seats)
    expect(worker.takeSeat('asked'), 'all are visited').to.equal(null)
    endAll()
    await until(() => worker.takeSeat('asked') !== null, 'a seat')
    await worker.stop()
  })

  it('claims no more than it visits at once', async () => {
    const due = Array.from({ length: 2 * seats }, (_row, index) => `row ${index}`)
    const { worker, visited, limits, endOne, endAll } = aQueue(due)
    worker.start()
    await until(() => visited.length >= seats, 'as many visits as there is room for')
    const claims = limits.length
    endOne()
    await until(() => limits.length > claims, 'another claim')
    expect(limits.at(-1), 'room for the one that has ended').to.equal(1)
    await until(() => visited.length > seats, 'another visit')
    expect(visited).to.have.length(seats + 1)
    endAll()
    await until(() => visited.length === 2 * seats, 'the rest')
    endAll()
    await worker.stop()
  })

  describe('of which some hold much', () => {
    /** How many of them one chain may have at once. */
    const most = 9
    const heavy = (count: number) => Array.from({ length: count }, (_row, index) => `heavy ${index}`)

    it('visits few of them at once, claimed and given, and puts back what it has claimed too many of', async () => {
      const { worker, visited, postponed, limits, endAll } = aQueue(heavy(2 * seats))
      worker.start()
      await until(() => postponed.length > 0, 'the first to be put back')
      expect(limits[0], 'careful at first').to.equal(seats / 4)
      expect(visited).to.deep.equal(heavy(most))
      expect(postponed).to.deep.equal(
        heavy(seats / 4)
          .slice(most)
          .map((row) => [row, 0]),
      )
      for (let index = 0; index < most; index++) worker.takeSeat('heavy')!.give('heavy')
      expect(worker.takeSeat('light'), 'all seats are taken').to.equal(null)
      expect(visited).to.have.length(2 * most)
      endAll()
      await until(() => visited.length > 2 * most, 'the next')
      expect(visited.length - 2 * most).to.be.at.most(most)
      endAll()
      await worker.stop()
    })

    it('visits many at once again once they hold little', async () => {
      const due = heavy(most)
      const { worker, visited, endAll } = aQueue(due)
      worker.start()
      await until(() => visited.length === most, 'those that hold much')
      due.push(...Array.from({ length: 2 * seats }, (_row, index) => `light ${index}`))
      endAll()
      await until(() => visited.length === most + seats, 'as many as there is room for')
      endAll()
      await until(() => visited.length === most + 2 * seats, 'the rest')
      endAll()
      await worker.stop()
    })

    it('comes to what is due on another chain all the same', async () => {
      const due = heavy(2 * seats)
      const { worker, visited, endAll } = aQueue(due)
      worker.start()
      await until(() => visited.length === most, 'all that one chain may have')
      due.push('2:due', '3:due')
      worker.wake()
      await until(() => visited.includes('2:due') && visited.includes('3:due'), 'those of other chains')
      due.length = 0
      endAll()
      await worker.stop()
    })
  })

  it('comes to what is due while all seats are taken', async () => {
    const due: string[] = []
    const { worker, visited, endAll } = aQueue(due)
    worker.start()
    for (let index = 0; index < seats; index++) worker.takeSeat('asked')!.give('given')
    due.push('due')
    worker.wake()
    await until(() => visited.includes('due'), 'the row that was due')
    endAll()
    await worker.stop()
  })

  it('comes to what is due on another chain while all that one chain may have is taken', async () => {
    const due = Array.from({ length: 10 * seats }, (_row, index) => `silent ${index}`)
    const { worker, visited, endAll } = aQueue(due)
    worker.start()
    await until(() => visited.length === seats, 'all that one chain may have')
    due.push('2:due', '3:due')
    worker.wake()
    await until(() => visited.includes('2:due') && visited.includes('3:due'), 'those of other chains')
    expect(visited).to.have.length(seats + 2)
    due.length = 0
    endAll()
    await worker.stop()
  })

  it('has seats for another chain while all that one chain may have are taken', () => {
    const { worker, visited } = aQueue()
    worker.start()
    for (let index = 0; index < seats; index++) worker.takeSeat('asked')!.give('silent')
    expect(worker.takeSeat('asked')).to.equal(null)
    worker.takeSeat('2:asked')!.give('2:asked')
    expect(visited.at(-1)).to.equal('2:asked')
  })

  it('comes back ever later while all visits of a chain fail, and tells of them seldom', async () => {
    const clock = { now: 0 }
    const told: string[] = []
    const delays: number[] = []
    let fails = true
    const worker = createWorker<string>(
      {
        name: 'rows',
        claim: async () => [],
        chainOf,
        lengthOf,
        visit: async () => {
          if (fails) throw new Error('no node answers')
          return moved
        },
        postpone: async (_row, delayMs) => void delays.push(delayMs),
        label: (row) => ({ row }),
      },
      pino(
        { level: 'debug' },
        { write: (line) => void told.push((JSON.parse(line) as { level: number }).level === 40 ? 'warn' : 'debug') },
      ),
      () => clock.now,
    )
    worker.start()
    const visitAt = async (at: number, row = 'row') => {
      clock.now = at
      const before = delays.length
      worker.takeSeat(row)!.give(row)
      await until(() => !fails || delays.length > before, 'the visit')
    }
    for (const at of [0, 0, 1_000, 4_000, 9_000, 60_000]) await visitAt(at)
    expect(delays).to.deep.equal([1_000, 1_000, 1_000, 2_000, 4_500, 5_000])
    expect(told).to.deep.equal(['warn', 'debug', 'warn', 'warn', 'warn', 'warn'])
    await visitAt(60_000, '2:row')
    expect(delays.at(-1), 'of another chain').to.equal(1_000)
    fails = false
    await visitAt(61_000)
    fails = true
    await visitAt(62_000)
    expect(delays.at(-1), 'once one has gone well').to.equal(1_000)
    await worker.stop()
  })

  it('ends when what it was given has ended', async () => {
    const { worker, endAll } = aQueue()
    worker.start()
    worker.takeSeat('asked')!.give('slow')
    let hasStopped = false
    const stopped = worker.stop().then(() => (hasStopped = true))
    await new Promise((resolve) => setImmediate(resolve))
    expect(hasStopped).to.equal(false)
    endAll()
    await stopped
  })
})
