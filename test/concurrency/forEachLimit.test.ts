import { expect } from 'chai'
import { forEachLimit } from '../../server/concurrency/forEachLimit.js'

describe('work that is done side by side', () => {
  /** Work that ends when it is told to. */
  function aWork(entries: number, atOnce: number) {
    const begun: number[] = []
    const ends: { resolve: () => void; reject: (reason: Error) => void }[] = []
    const done = forEachLimit(Array(entries).keys(), atOnce, (entry) => {
      begun.push(entry)
      return new Promise<void>((resolve, reject) => ends.push({ resolve, reject }))
    })
    const turn = () => new Promise((resolve) => setImmediate(resolve))
    return { begun, ends, done, turn }
  }

  it('is begun in order, with no more under way than are allowed', async () => {
    const { begun, ends, done, turn } = aWork(5, 2)
    expect(begun).to.deep.equal([0, 1])
    ends[1]!.resolve()
    await turn()
    expect(begun, 'the first one keeps nobody waiting').to.deep.equal([0, 1, 2])
    for (const entry of [0, 2, 3, 4]) {
      ends[entry]!.resolve()
      await turn()
    }
    await done
    expect(begun).to.deep.equal([0, 1, 2, 3, 4])
  })

  it('ends with an error once all that had begun has ended, and begins nothing after it', async () => {
    const { begun, ends, done, turn } = aWork(5, 2)
    const outcomes: string[] = []
    const ended = done.catch((error: Error) => outcomes.push(error.message))
    ends[0]!.reject(new Error('refused'))
    await turn()
    expect(outcomes).to.deep.equal([])
    ends[1]!.resolve()
    await ended
    expect(outcomes).to.deep.equal(['refused'])
    expect(begun).to.deep.equal([0, 1])
  })
})
