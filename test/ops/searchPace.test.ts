import { expect } from 'chai'
import { createSearchPace } from '../../scripts/reconcile/searchPace.js'

describe('the pace of a search for logs', () => {
  const tooMuch = new Error('eth_getLogs: it has been asked more than it allows, and is left alone for now')
  const tooWide = new Error('eth_getLogs: query returned more than 10000 results (-32005)')
  const shapeOf = (pace: ReturnType<typeof createSearchPace>) => [Number(pace.size()), pace.windows()]

  /** The shapes after each two refusals, the last one before it is given up. */
  function refusedBy(error: Error) {
    const pace = createSearchPace()
    const shapes: number[][] = []
    const waits: number[] = []
    try {
      for (;;) {
        waits.push(pace.refused(error), pace.refused(error))
        shapes.push(shapeOf(pace))
      }
    } catch (thrown) {
      expect(thrown).to.equal(error)
    }
    return { shapes, waits }
  }

  it('is one of narrower windows where a search finds too much, until there is none', () => {
    const { shapes, waits } = refusedBy(tooWide)
    expect(shapes).to.deep.equal([
      [500, 10],
      [100, 10],
      [10, 10],
    ])
    expect(new Set(waits)).to.deep.equal(new Set([1_000]))
  })

  it('is one of fewer windows where the node is asked too much, and at its slowest waits ever longer', () => {
    const { shapes, waits } = refusedBy(tooMuch)
    expect(shapes.slice(0, 5)).to.deep.equal([
      [2_000, 3],
      [2_000, 1],
      [500, 1],
      [100, 1],
      [10, 1],
    ])
    expect(waits.slice(10, 18)).to.deep.equal([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000])
    const wholeMs = waits.reduce((sum, ms) => sum + ms, 0)
    expect(wholeMs).to.be.within(25 * 60_000, 35 * 60_000)
  })

  it('is patient anew once something was answered', () => {
    const pace = createSearchPace()
    for (let refusals = 0; refusals < 40; refusals++) pace.refused(tooMuch)
    pace.answered()
    expect([pace.refused(tooMuch), pace.refused(tooMuch)]).to.deep.equal([1_000, 2_000])
  })

  it('is one of more windows again after fifty answers, and then of wider ones', () => {
    const pace = createSearchPace()
    for (let refusals = 0; refusals < 6; refusals++) pace.refused(tooMuch)
    expect(shapeOf(pace)).to.deep.equal([500, 1])
    const after = () => {
      for (let answers = 0; answers < 50; answers++) pace.answered()
      return shapeOf(pace)
    }
    expect([after(), after(), after(), after()]).to.deep.equal([
      [500, 3],
      [500, 10],
      [2_000, 10],
      [2_000, 10],
    ])
  })
})
