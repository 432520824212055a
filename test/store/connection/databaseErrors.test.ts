import { expect } from 'chai'
import { isOutage } from '../../../server/store/connection/databaseErrors.js'

describe('what MySQL refuses for now', () => {
  for (const [errno, what] of [
    [1040, 'too many connections of all'],
    [1203, 'too many connections of an account'],
    [1226, 'more than an account may use'],
    [3101, 'a commit that Group Replication has turned down'],
  ] as const) {
    it(`is an outage: ${what}`, () => expect(isOutage({ errno, code: 'ER_ANY', sqlMessage: 'x' })).to.equal(true))
  }

  it('is none where a statement is wrong', () => {
    expect(isOutage({ errno: 1064, code: 'ER_PARSE_ERROR', sqlMessage: 'x' })).to.equal(false)
  })
})
