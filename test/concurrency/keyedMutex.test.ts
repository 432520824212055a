import { expect } from 'chai'
import { createKeyedMutex } from '../../server/concurrency/keyedMutex.js'
import { until } from '../support/until.js'

describe('turns at a key', () => {
  const turn = () => new Promise((resolve) => setImmediate(resolve))

  /** Work that ends when it is told to. */
  function aWork() {
    const begun: string[] = []
    const ends: (() => void)[] = []
    const work = (name: string) => () => {
      begun.push(name)
      return new Promise<string>((resolve) => ends.push(() => resolve(name)))
    }
    return { begun, work, endNext: () => ends.shift()!() }
  }

  it('are had one after the other, and tell how many are in the queue', async () => {
    const mutex = createKeyedMutex(1_000)
    const { begun, work, endNext } = aWork()
    const all = ['a', 'b', 'c'].map((name) => mutex.run('lane', work(name)))
    expect(mutex.queued('lane')).to.equal(3)
    expect(mutex.queued('another')).to.equal(0)
    for (const sofar of ['a', 'ab', 'abc']) {
      await turn()
      expect(begun.join('')).to.equal(sofar)
      endNext()
    }
    expect((await Promise.all(all)).map((had) => had.done && had.result)).to.deep.equal(['a', 'b', 'c'])
    expect(mutex.queued('lane')).to.equal(0)
  })

  it('come to the next one after one that has failed', async () => {
    const mutex = createKeyedMutex(1_000)
    const failed = mutex.run('lane', () => Promise.reject(new Error('no')))
    const next = mutex.run('lane', () => Promise.resolve('next'))
    expect(await failed.catch((error: Error) => error.message)).to.equal('no')
    expect(await next).to.deep.equal({ done: true, result: 'next' })
    expect(mutex.queued('lane')).to.equal(0)
  })

  it('are not had by who has waited for too long', async () => {
    const mutex = createKeyedMutex(20)
    const { begun, work, endNext } = aWork()
    const first = mutex.run('lane', work('first'))
    await turn()
    const late = mutex.run('lane', work('late'))
    const askedAt = performance.now()
    await until(() => performance.now() - askedAt > 20, 'its patience to end')
    endNext()
    await first
    expect(await late).to.deep.equal({ done: false })
    expect(begun).to.deep.equal(['first'])
  })
})
