import { expect } from 'chai'
import type { Hex } from 'viem'
import { createGasHints, isExplained, isTight } from '../../server/chain/simulation/gasHints.js'

describe('hints of gas', () => {
  const dataOf = (selector: string, bytes: number): Hex => `0x${selector}${'00'.repeat(bytes)}`

  it('are those of the last transaction that called the same function with as much data', () => {
    const hints = createGasHints()
    hints.note(dataOf('aabbccdd', 32), 1n)
    hints.note(dataOf('aabbccdd', 32), 2n)
    hints.note(dataOf('aabbccdd', 64), 3n)
    hints.note(dataOf('aabbccde', 32), 4n)
    const found = [dataOf('aabbccdd', 32), dataOf('aabbccdd', 64), dataOf('aabbccde', 32), dataOf('aabbccdd', 0)]
    expect(found.map(hints.get)).to.deep.equal([2n, 3n, 4n, undefined])
  })

  it('are forgotten when there are too many, first what was not asked for longest', () => {
    const hints = createGasHints()
    for (let bytes = 0; bytes < 1_000; bytes++) hints.note(dataOf('aabbccdd', bytes), BigInt(bytes))
    hints.get(dataOf('aabbccdd', 0))
    hints.note(dataOf('aabbccdd', 1_000), 1_000n)
    expect([0, 1, 2, 1_000].map((bytes) => hints.get(dataOf('aabbccdd', bytes)))).to.deep.equal([
      0n,
      undefined,
      2n,
      1_000n,
    ])
  })

  it('are believed for a minute after an estimate, whatever came of them meanwhile', () => {
    let now = 0
    const hints = createGasHints(() => now)
    const data = dataOf('aabbccdd', 32)
    hints.adjust(data, 1n)
    expect(hints.get(data), 'no estimate yet').to.equal(undefined)
    hints.note(data, 2n)
    now = 59_000
    hints.adjust(data, 3n)
    expect(hints.get(data)).to.equal(3n)
    now = 61_000
    expect(hints.get(data)).to.equal(undefined)
    hints.note(data, 4n)
    expect(hints.get(data)).to.equal(4n)
  })

  it('are none for a minute after an estimate that gave none, unless another one gives one', () => {
    let now = 0
    const hints = createGasHints(() => now)
    const data = dataOf('aabbccdd', 32)
    hints.noteNone(data)
    hints.adjust(data, 1n)
    expect(hints.get(data)).to.equal(null)
    now = 61_000
    expect(hints.get(data)).to.equal(undefined)
    hints.note(data, 2n)
    hints.noteNone(data)
    expect(hints.get(data)).to.equal(2n)
  })

  it('come of estimates that hold nothing but what is used', () => {
    expect(isExplained(102_000n, 100_000n)).to.equal(true)
    expect(isExplained(102_001n, 100_000n)).to.equal(false)
  })

  it('are tight up to a fifth and a fresh slot above what is used', () => {
    expect(isTight(140_000n, 100_000n)).to.equal(true)
    expect(isTight(140_001n, 100_000n)).to.equal(false)
  })
})
