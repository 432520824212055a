import { mock } from 'node:test'
import { expect } from 'chai'
import { pino } from 'pino'
import { createUpkeep } from '../../server/engine/upkeep.js'
import { until } from '../support/until.js'

describe('what the store needs now and then', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setInterval'] }))
  afterEach(() => mock.timers.reset())

  it('is done again and again, not begun while it is under way, and waited for at the end', async () => {
    const pulledIn: unknown[] = []
    let sweeps = 0
    let end = () => {}
    const store = {
      pullInFarOff: async (...given: unknown[]) => {
        pulledIn.push(given)
        if (pulledIn.length === 1) throw new Error('the database is away')
        await new Promise<void>((resolve) => (end = resolve))
      },
      sweep: async () => void (sweeps += 1),
    }
    const warned: string[] = []
    const log = pino({}, { write: (line) => void warned.push((JSON.parse(line) as { msg: string }).msg) })
    const upkeep = createUpkeep({ store, log, chains: new Map([[1, null]]), now: () => 7 })
    upkeep.start()
    mock.timers.tick(10_000)
    expect(pulledIn).to.deep.equal([[[1], 7]])
    await until(() => warned.length === 1, 'the failure to be told')

    mock.timers.tick(10_000)
    mock.timers.tick(60_000)
    expect(pulledIn).to.have.length(2)
    mock.timers.tick(10 * 60_000)
    expect(sweeps).to.equal(1)

    let isStopped = false
    const stopped = upkeep.stop().then(() => (isStopped = true))
    await new Promise((resolve) => setImmediate(resolve))
    expect(isStopped).to.equal(false)
    end()
    await stopped
    mock.timers.tick(60_000)
    expect(pulledIn).to.have.length(2)
  })
})
