import { expect } from 'chai'
import { pino } from 'pino'
import { moved, type Visit } from '../../server/engine/visit.js'
import { createWorker } from '../../server/engine/worker.js'
import { until } from '../support/until.js'

const log = pino({ enabled: false })
/** How many rows a worker visits at once of each kind, claimed and given. */
const seats = 128

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

  /** A queue whose rows are due once and whose visits end when they are told to. */
  function aQueue(due: string[] = []) {
    const visited: string[] = []
    const postponed: [string, number][] = []
    const ends: (() => void)[] = []
    const limits: number[] = []
    const worker = createWorker<string>(
      {
        name: 'rows',
        claim: async (limit) => {
          limits.push(limit)
          return due.splice(0, limit)
        },
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
    worker.takeSeat()!.give('mine')
    expect(visited).to.deep.equal(['mine'])
    endAll()
    await worker.stop()
  })

  it('has no seat where it makes no visits: before its start and after its end', async () => {
    const { worker } = aQueue()
    expect(worker.takeSeat()).to.equal(null)
    worker.start()
    await worker.stop()
    expect(worker.takeSeat()).to.equal(null)
  })

  it('leaves what is given after its end to those who find it due', async () => {
    const { worker, visited, postponed } = aQueue()
    worker.start()
    const seat = worker.takeSeat()!
    await worker.stop()
    seat.give('late')
    expect(visited).to.deep.equal([])
    expect(postponed).to.deep.equal([['late', 0]])
  })

  it('takes one row for each seat', async () => {
    const { worker, visited, endAll } = aQueue()
    worker.start()
    const seat = worker.takeSeat()!
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
    const taken = Array.from({ length: seats }, () => worker.takeSeat()!)
    expect(worker.takeSeat(), 'one too many').to.equal(null)
    taken[0]!.leave()
    taken[0]!.leave()
    taken[0] = worker.takeSeat()!
    expect(worker.takeSeat(), 'one was left, once').to.equal(null)
    taken.forEach((seat, index) => seat.give(`row ${index}`))
    expect(visited).to.have.length(seats)
    expect(worker.takeSeat(), 'all are visited').to.equal(null)
    endAll()
    await until(() => worker.takeSeat() !== null, 'a seat')
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

  it('comes to what is due while all seats are taken', async () => {
    const due: string[] = []
    const { worker, visited, endAll } = aQueue(due)
    worker.start()
    for (let index = 0; index < seats; index++) worker.takeSeat()!.give('given')
    due.push('due')
    worker.wake()
    await until(() => visited.includes('due'), 'the row that was due')
    endAll()
    await worker.stop()
  })

  it('ends when what it was given has ended', async () => {
    const { worker, endAll } = aQueue()
    worker.start()
    worker.takeSeat()!.give('slow')
    let hasStopped = false
    const stopped = worker.stop().then(() => (hasStopped = true))
    await new Promise((resolve) => setImmediate(resolve))
    expect(hasStopped).to.equal(false)
    endAll()
    await stopped
  })
})
