import { expect } from 'chai'
import { nextLookMs } from '../../server/engine/receipts/unknownTransaction.js'

describe('a transaction that was reported and that the chain does not know', () => {
  for (const pollIntervalMs of [50, 1_000, 600_000]) {
    it(`is asked for every second at first, and rarely later, for ten minutes (polled every ${pollIntervalMs} ms)`, () => {
      const delays: number[] = []
      for (let unseenMs = 0; ; unseenMs += delays.at(-1)!) {
        const delayMs = nextLookMs(unseenMs, pollIntervalMs)
        if (delayMs === null) {
          expect(unseenMs).to.be.within(600_000, 615_000)
          break
        }
        expect(Number.isInteger(delayMs) && delayMs > 0).to.equal(true)
        expect(delayMs).to.be.at.most(Math.max(1_000, unseenMs / 10 + 1))
        delays.push(delayMs)
      }
      // A look each second would be 600.
      expect(delays.length).to.be.lessThan(120)
    })
  }
})
