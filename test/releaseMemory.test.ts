import { getHeapStatistics } from 'node:v8'
import { expect } from 'chai'
import { releaseMemory } from '../server/releaseMemory.js'

describe('memory that is not needed any more', () => {
  it('is given back', async () => {
    const megabytes = () => getHeapStatistics().total_heap_size / 1024 ** 2
    let kept: object[] | null = Array.from({ length: 500_000 }, (_nothing, index) => ({ index }))
    const [first] = kept
    const before = megabytes()
    kept = null
    await releaseMemory()
    expect(first).to.deep.equal({ index: 0 })
    expect(megabytes(), 'after').to.be.lessThan(before - 10)
  })
})
