import { expect } from 'chai'
import { createAbility } from '../../server/chain/nodes/ability.js'

describe('what nodes may not be able to', () => {
  it('is taken to be there until one says otherwise, and again after ten minutes', () => {
    let now = 0
    const ability = createAbility(() => now)
    expect(ability.isThere()).to.equal(true)
    ability.deny()
    expect(ability.isThere()).to.equal(false)
    now = 599_999
    expect(ability.isThere()).to.equal(false)
    now = 600_000
    expect(ability.isThere()).to.equal(true)
  })
})
