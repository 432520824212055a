import { expect } from 'chai'
import { isUuid } from '../../server/domain/uuid.js'
import { createActionIds } from '../../server/services/actionIds.js'

const now = 1_790_000_000_000

describe('action ids', () => {
  it('grow within a millisecond, however many there are', () => {
    const newActionId = createActionIds()
    const ids = Array.from({ length: 10_000 }, () => newActionId(now))
    expect(ids).to.deep.equal([...ids].sort())
    expect(new Set(ids).size).to.equal(ids.length)
    expect(ids.filter(isUuid)).to.deep.equal(ids)
  })

  it('grow where a request that came earlier is stored later', () => {
    const newActionId = createActionIds()
    const ids = [now, now - 1, now, now - 500, now + 1].map(newActionId)
    expect(ids).to.deep.equal([...ids].sort())
  })

  it('carry the time and version 7', () => {
    const id = createActionIds()(now)
    expect(parseInt(id.replaceAll('-', '').slice(0, 12), 16)).to.equal(now)
    expect(id[14]).to.equal('7')
    expect('89ab').to.include(id[19])
  })

  it('follow a clock that was set back', () => {
    const newActionId = createActionIds()
    newActionId(now)
    const id = newActionId(now - 60_000)
    expect(parseInt(id.replaceAll('-', '').slice(0, 12), 16)).to.equal(now - 60_000)
  })
})
