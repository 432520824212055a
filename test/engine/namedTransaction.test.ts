import { expect } from 'chai'
import { laterLookMs, nextLookMs, unmined } from '../../server/engine/outcomes/namedTransaction.js'

describe('a transaction that a client has named and that the chain does not know', () => {
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

describe('a transaction that a client has named and is not final yet', () => {
  const looks = (forMs: number, pollIntervalMs: number, atMostMs?: number) => {
    let times = 0
    for (let sinceMs = 0; sinceMs < forMs; sinceMs += laterLookMs(sinceMs, pollIntervalMs, atMostMs)) times += 1
    return times
  }

  it('is looked at with every poll at first, and ever later, four times a minute in the end', () => {
    expect(looks(10_000, 1_000)).to.equal(10)
    expect(looks(3_600_000, 1_000)).to.be.within(240, 280)
    expect(laterLookMs(0, 50)).to.equal(50)
    expect(laterLookMs(0, 600_000)).to.equal(600_000)
  })

  it('is looked at a hundred times in a day where no block has it', () => {
    expect(looks(10_000, 1_000, unmined.longestMs)).to.equal(10)
    expect(looks(unmined.forMs, 1_000, unmined.longestMs)).to.be.within(80, 120)
  })
})
