import { expect } from 'chai'
import { createLookTimes } from '../../server/engine/receipts/lookTimes.js'

const requestMs = 1

describe('when a block is looked for', () => {
  /** Awaits a block that comes after so long; tells when each look began, from the send on. */
  function looksFor(blockMs: number, times: ReturnType<typeof createLookTimes>): number[] {
    const looks: number[] = []
    for (let at = times.sent(0); ; at += requestMs + times.missed({ at, oldest: 0 }, at + requestMs)) {
      looks.push(at)
      if (at >= blockMs) break
    }
    times.found()
    return looks
  }

  it('the first look comes when the block before was not there yet, so that few find nothing', () => {
    const times = createLookTimes(100)
    const first = looksFor(8, times)
    const second = looksFor(8, times)
    expect(first[0]).to.equal(0.5)
    expect(second[0]).to.equal(first.at(-2))
    expect(second.length).to.be.below(first.length)
    expect(second.at(-1)! - 8, 'how much later it is seen').to.be.below(2)
    expect(looksFor(8, times)[0]).to.be.within(second[0]!, 8)
  })

  it('it comes in half the time after a block that was there at the first', () => {
    const times = createLookTimes(100)
    looksFor(8, times)
    const [before] = looksFor(8, times)
    expect(looksFor(2, times)).to.deep.equal([before])
    expect(looksFor(2, times)[0]).to.equal(before! / 2)
  })

  it('it is never later than a tenth of the poll interval and a tenth of a second', () => {
    for (const [poll, latest] of [
      [100, 10],
      [12_000, 100],
    ] as const) {
      const times = createLookTimes(poll)
      looksFor(5_000, times)
      expect(looksFor(5_000, times)[0]).to.equal(latest)
    }
  })

  it('later looks come ever later', () => {
    const times = createLookTimes(12_000)
    const looks = looksFor(12_000, times)
    expect(looks.length).to.be.below(20)
    expect(looks.at(-1)! - 12_000).to.be.below(12_000 * 0.4)
  })

  it('what comes after the first of several has no say', () => {
    const times = createLookTimes(100)
    looksFor(8, times)
    const [before] = looksFor(8, times)
    times.missed({ at: 90, oldest: 80 }, 91)
    times.found()
    expect(times.sent(100)).to.be.within(before!, 8)
  })

  it('the looks for what was sent while others were awaited grow from then on', () => {
    const times = createLookTimes(1_000)
    looksFor(50, times)
    expect(looksFor(50, times)[0]).to.be.above(40)
    times.sent(0)
    times.found()
    expect(times.missed({ at: 1_010, oldest: 1_000 }, 1_020)).to.equal(8)
  })
})
