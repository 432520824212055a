import { expect } from 'chai'
import { createSeldomLog } from '../../server/engine/seldomLog.js'

describe('what shows at every look', () => {
  const minute = 60_000

  function scene() {
    const told: [string, object, string][] = []
    const clock = { now: 0 }
    const note = (level: string) => (fields: object, message: string) => void told.push([level, fields, message])
    const log = { warn: note('warn'), error: note('error') } as never
    return { told, clock, tellSeldom: createSeldomLog({ log, now: () => clock.now }) }
  }

  it('is logged at first, and then every ten minutes', () => {
    const { told, clock, tellSeldom } = scene()
    for (let minutes = 0; minutes <= 20; minutes++) {
      clock.now = minutes * minute
      tellSeldom('error', { transaction: 1, err: new Error(`at ${minutes}`) }, 'could not be settled')
    }
    expect(told.map(([, { err }]: [string, { err?: Error }, string]) => err!.message)).to.deep.equal([
      'at 0',
      'at 10',
      'at 20',
    ])
  })

  it('is logged for each that it shows of, and for each message', () => {
    const { told, tellSeldom } = scene()
    for (const _look of [1, 2]) {
      tellSeldom('warn', { transaction: 1 }, 'unsettled')
      tellSeldom('warn', { transaction: 2 }, 'unsettled')
      tellSeldom('error', { transaction: 1 }, 'unreadable')
    }
    expect(told).to.deep.equal([
      ['warn', { transaction: 1 }, 'unsettled'],
      ['warn', { transaction: 2 }, 'unsettled'],
      ['error', { transaction: 1 }, 'unreadable'],
    ])
  })

  it('is remembered of the last ten thousand only', () => {
    const { told, tellSeldom } = scene()
    const tell = (transaction: number) => tellSeldom('warn', { transaction }, 'unsettled')
    for (let transaction = 0; transaction <= 10_000; transaction++) tell(transaction)
    tell(10_000)
    expect(told).to.have.length(10_001)
    tell(0)
    expect(told).to.have.length(10_002)
  })
})
