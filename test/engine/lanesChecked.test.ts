import { expect } from 'chai'
import { createLanesChecked } from '../../server/engine/lanes/lanesChecked.js'

describe('whether the lanes of a chain have been checked', () => {
  it('is answered at once where they have', async () => {
    const checked = createLanesChecked()
    checked.add(1)
    expect(await checked.within(1, 60_000)).to.equal(true)
  })

  it('is waited for, by all who ask, until they have', async () => {
    const checked = createLanesChecked()
    const asked = [checked.within(1, 60_000), checked.within(1, 60_000)]
    expect(await Promise.race([...asked, 'not yet'])).to.equal('not yet')
    checked.add(1)
    expect(await Promise.all(asked)).to.deep.equal([true, true])
  })

  it('is waited for no longer than one wants, and of each chain for itself', async () => {
    const checked = createLanesChecked()
    checked.add(2)
    expect(await checked.within(1, 10)).to.equal(false)
  })

  it('is asked of all chains before credit is paid out, and for no longer than half a minute', async () => {
    let now = 0
    const checked = createLanesChecked(() => now)
    checked.add(1)
    expect(await checked.mayMoveCredit([1, 2], 1)).to.equal(false)
    now = 30_000
    expect(await checked.mayMoveCredit([1, 2], 1), 'a chain that stays away').to.equal(true)
    now = 1
    checked.add(2)
    expect(await checked.mayMoveCredit([1, 2], 1)).to.equal(true)
  })
})
