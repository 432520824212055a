import { expect } from 'chai'
import { grouped } from '../../server/domain/grouped.js'

describe('calls that are grouped', () => {
  it('are done as many at once as there are, and answered each at its place', async () => {
    const groups: number[][] = []
    const double = grouped((items: number[]) => {
      groups.push(items)
      return Promise.resolve(items.map((item) => 2 * item))
    }, 3)

    expect(await Promise.all([1, 2, 3, 4, 5].map(double))).to.deep.equal([2, 4, 6, 8, 10])
    expect(groups).to.deep.equal([
      [1, 2, 3],
      [4, 5],
    ])
  })

  it('fail with their group, and the next ones do not', async () => {
    const run = grouped((items: string[]) => {
      return items.includes('bad') ? Promise.reject(new Error('refused')) : Promise.resolve(items)
    }, 2)
    const outcomes = await Promise.allSettled(['bad', 'beside', 'good'].map(run))

    expect(outcomes.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected', 'fulfilled'])
  })

  it('do not wait for a group that never ends', async () => {
    const run = grouped((items: string[]) => {
      return items.includes('stuck') ? new Promise<string[]>(() => undefined) : Promise.resolve(items)
    }, 1)
    void run('stuck')

    expect(await Promise.all(['one', 'other'].map(run))).to.deep.equal(['one', 'other'])
  })
})
