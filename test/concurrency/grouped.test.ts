import { expect } from 'chai'
import { grouped } from '../../server/concurrency/grouped.js'

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

  describe('in groups side by side', () => {
    /** Groups that end when they are told to. */
    function aGroup(mostAtOnce: number, groupsAtOnce: number) {
      const begun: number[][] = []
      const ends: (() => void)[] = []
      const run = grouped(
        (items: number[]) => {
          begun.push(items)
          return new Promise<number[]>((resolve) => ends.push(() => resolve(items)))
        },
        mostAtOnce,
        { groupsAtOnce },
      )
      const turn = () => new Promise((resolve) => setImmediate(resolve))
      return { begun, ends, run, turn }
    }

    it('begin another one when it is full, and no more at once than they may', async () => {
      const { begun, ends, run, turn } = aGroup(2, 2)
      const answers = [1, 2, 3, 4, 5, 6].map(run)
      await turn()
      expect(begun).to.deep.equal([
        [1, 2],
        [3, 4],
      ])
      ends[1]!()
      await turn()
      expect(begun[2]).to.deep.equal([5, 6])
      ends[0]!()
      ends[2]!()
      expect(await Promise.all(answers)).to.deep.equal([1, 2, 3, 4, 5, 6])
    })

    it('let one that is not full grow until all others have ended', async () => {
      const { begun, ends, run, turn } = aGroup(2, 3)
      const answers = [1, 2, 3, 4, 5].map(run)
      await turn()
      ends[0]!()
      await turn()
      expect(begun).to.have.length(2)
      answers.push(run(6))
      await turn()
      expect(begun[2]).to.deep.equal([5, 6])
      answers.push(run(7))
      ends[1]!()
      ends[2]!()
      await turn()
      expect(begun[3]).to.deep.equal([7])
      ends[3]!()
      expect(await Promise.all(answers)).to.deep.equal([1, 2, 3, 4, 5, 6, 7])
    })
  })
})
