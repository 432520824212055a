import { expect } from 'chai'
import { createSemaphore } from '../../server/concurrency/semaphore.js'
import { until } from '../support/until.js'

describe('a semaphore', () => {
  it('has as much work under way as it may, in the order in which it was asked for, and none for who is gone', async () => {
    const run = createSemaphore(2)
    const begun: number[] = []
    const ends: (() => void)[] = []
    let isGone = false
    const all = [0, 1, 2, 3, 4].map((name) =>
      run(
        () => isGone && name === 3,
        async () => {
          begun.push(name)
          await new Promise<void>((end) => ends.push(end))
          if (name === 1) throw new Error('away')
          return name
        },
      ).catch((error: Error) => error.message),
    )
    await until(() => begun.length === 2, 'as many as there may be')
    await new Promise(setImmediate)
    expect(begun).to.deep.equal([0, 1])
    isGone = true
    for (const count of [3, 4]) {
      ends.shift()!()
      await until(() => begun.length === count, 'the next one')
    }
    for (const end of ends) end()
    expect(await Promise.all(all)).to.deep.equal([0, 'away', 2, null, 4])
    expect(begun).to.deep.equal([0, 1, 2, 4])
    expect(
      await run(
        () => false,
        async () => 'later',
      ),
    ).to.equal('later')
  })
})
