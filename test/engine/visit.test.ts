import { expect } from 'chai'
import { waitsEverLater } from '../../server/engine/visit.js'
import type { StepWork } from '../../server/store/actions/steps.js'

describe('what waits for something that hurries it', () => {
  const pace = { soonestMs: 10_000, latestMs: 120_000, share: 0.5 }
  /** How long it waits when it was asked for so long ago; less than 0: by the clock of another process. */
  const delaysAfter = (ms: number) => {
    const work = { view: { updatedAt: 1_000_000 } } as StepWork
    const tools = { now: () => 1_000_000 + ms }
    return Array.from({ length: 200 }, () => {
      const visit = waitsEverLater(work, pace, tools)
      if (visit.outcome !== 'waits') throw new Error('It has to wait')
      return visit.delayMs
    })
  }
  const cases: [string, number, number][] = [
    ['at once, not sooner than the least', 0, 10_000],
    ['by a clock that is ahead, likewise', -60_000, 10_000],
    ['for a while, a share of that', 100_000, 50_000],
    ['for hours, not later than the most', 7_200_000, 120_000],
  ]
  for (const [what, askedForMs, expected] of cases) {
    it(`${what}, and not all at the same time`, () => {
      const delays = delaysAfter(askedForMs)
      expect(Math.min(...delays)).to.be.within(expected * 0.75, expected)
      expect(Math.max(...delays)).to.be.within(expected, expected * 1.25)
    })
  }
})
