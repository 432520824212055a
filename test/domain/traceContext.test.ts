import { expect } from 'chai'
import { formatTraceparent, parseTraceparent, traceFields } from '../../server/domain/traceContext.js'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const spanId = '00f067aa0ba902b7'

describe('a traceparent', () => {
  it('names a trace, the caller’s span and whether it is sampled', () => {
    expect(parseTraceparent(`00-${traceId}-${spanId}-01`)).to.deep.equal({ traceId, spanId, isSampled: true })
    expect(parseTraceparent(`00-${traceId}-${spanId}-00`)).to.deep.equal({ traceId, spanId, isSampled: false })
  })

  it('of a later version is read as far as this one goes', () => {
    for (const text of [`01-${traceId}-${spanId}-09`, `cc-${traceId}-${spanId}-01-what-comes-then`]) {
      expect(parseTraceparent(text), text).to.deep.equal({ traceId, spanId, isSampled: true })
    }
  })

  const malformed = [
    '',
    '00',
    `ff-${traceId}-${spanId}-01`,
    `0-${traceId}-${spanId}-01`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${traceId.slice(1)}-${spanId}-01`,
    `00-${traceId}0-${spanId}-01`,
    `00-${traceId}-${spanId}-0g`,
    `00-${traceId}-${spanId}`,
    `00-${traceId}-${spanId}-01-more`,
    `00-${traceId}-${spanId}-01-`,
    `01-${traceId}-${spanId}-01more`,
    ` 00-${traceId}-${spanId}-01`,
    `00-${traceId}-${spanId}-01\n`,
    `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`,
    `00_${traceId}_${spanId}_01`,
  ]
  for (const text of malformed) {
    it(`is refused as ${JSON.stringify(text)}`, () => expect(parseTraceparent(text)).to.equal(null))
  }

  it('is written in 55 characters, without flags that this version does not know', () => {
    const later = parseTraceparent(`01-${traceId}-${spanId}-ff`)!
    expect(formatTraceparent(later)).to.equal(`00-${traceId}-${spanId}-01`)
    expect(formatTraceparent(later)).to.have.length(55)
  })

  it('gives the log its names, and nothing where there is none', () => {
    expect(traceFields(`00-${traceId}-${spanId}-01`)).to.deep.equal({ traceId, spanId })
    expect(traceFields(null)).to.deep.equal({})
  })
})
