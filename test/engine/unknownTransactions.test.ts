import { expect } from 'chai'
import { createUnknownTransactions } from '../../server/engine/outcomes/unknownTransactions.js'

const pollIntervalMs = 100

describe('transactions that no node knows', () => {
  /** How many looks so many cost within a time, all named at once. */
  function looks(names: number, forMs: number) {
    let now = 0
    const reports = createUnknownTransactions(() => now)
    const waiting = Array.from({ length: names }, (_, index) => ({ name: `${index}`, dueAt: 0, unseenMs: 0 }))
    let count = 0
    for (; now < forMs; now += 50) {
      for (const one of waiting.filter(({ dueAt }) => dueAt <= now)) {
        const delayMs = reports.nextTurnMs(one.name, one.unseenMs, pollIntervalMs)!
        Object.assign(one, { dueAt: now + delayMs, unseenMs: one.unseenMs + delayMs })
        count += 1
      }
    }
    return count
  }

  it('cost no more looks together than a few hundred each second, however many they are', () => {
    expect(looks(1, 10_000)).to.be.within(30, 50)
    expect(looks(1_000, 10_000)).to.be.lessThan(5_000)
    expect(looks(3_000, 30_000)).to.be.lessThan(12_000)
  })

  it('keep one that is alone waiting no longer than its age says, once they have ended or are looked for no more', () => {
    let now = 0
    const reports = createUnknownTransactions(() => now)
    const next = (name: string, unseenMs = 0) => reports.nextTurnMs(name, unseenMs, pollIntervalMs)
    expect(next('first')).to.equal(100)
    for (let index = 1; index < 200; index++) next(`${index}`)
    expect(next('first')).to.equal(1_000)
    expect(next('first', 20_000)).to.equal(2_000)
    for (let index = 1; index < 100; index++) reports.seen(`${index}`)
    expect(next('first')).to.equal(505)
    for (let index = 100; index < 150; index++) expect(next(`${index}`, 600_000)).to.equal(null)
    expect(next('first')).to.equal(255)
    now += 60_000
    expect(next('first')).to.equal(100)
  })

  it('are each looked for four times a minute at the least', () => {
    const reports = createUnknownTransactions(() => 0)
    for (let index = 0; index < 5_000; index++) reports.nextTurnMs(`${index}`, 0, pollIntervalMs)
    expect(reports.nextTurnMs('last', 0, pollIntervalMs)).to.equal(15_000)
  })
})
