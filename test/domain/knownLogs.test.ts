import { expect } from 'chai'
import { matchLogs, numberApart } from '../../server/domain/knownLogs.js'
import { usdOn1, usdOn2 } from '../support/builders.js'

describe('the logs of a transaction that are known', () => {
  type Told = readonly [logIndex: number, amount: bigint]
  const logsOf = (...logs: Told[]) => logs.map(([logIndex, amount]) => ({ logIndex, amount, token: usdOn1 }))
  const numbersOf = (logs: readonly { logIndex: number }[]) => logs.map(({ logIndex }) => logIndex)
  const unknown = (told: Told[], known: Told[]) => numbersOf(matchLogs(logsOf(...told), logsOf(...known)).unknown)

  it('are those of the same number and amount, where nodes count alike', () => {
    const told: Told[] = [
      [3, 100n],
      [5, 100n],
      [7, 50n],
    ]
    expect(unknown(told, [[5, 100n]])).to.deep.equal([3, 7])
    expect(unknown(told, told)).to.deep.equal([])
    expect(unknown(told, [])).to.deep.equal([3, 5, 7])
  })

  it('are those of the same amount where nodes count otherwise, each of two alike by itself', () => {
    const told: Told[] = [
      [57, 100n],
      [59, 100n],
      [61, 50n],
    ]
    expect(unknown(told, [[1, 100n]])).to.deep.equal([59, 61])
    expect(
      unknown(told, [
        [5, 50n],
        [1, 100n],
      ]),
    ).to.deep.equal([59])
  })

  it('are not taken for one whose number another count has given them', () => {
    // Counted from 0 it is 2 and 4, through the block 4 and 6.
    expect(
      unknown(
        [
          [4, 1_000n],
          [6, 500n],
        ],
        [[4, 500n]],
      ),
    ).to.deep.equal([4])
  })

  it('are as many as are known, whatever was measured of them before', () => {
    expect(unknown([[57, 98n]], [[2, 99n]])).to.deep.equal([])
    expect(
      unknown(
        [
          [3, 200n],
          [5, 98n],
        ],
        [[5, 99n]],
      ),
    ).to.deep.equal([3])
    expect(
      unknown(
        [[3, 1n]],
        [
          [3, 1n],
          [4, 1n],
        ],
      ),
    ).to.deep.equal([])
  })

  it('are those that one record stands for together, by the number that there are', () => {
    const known = [7, 9].map((logIndex) => ({ logIndex, amount: null, token: usdOn1 }))
    const told = logsOf([1, 100n], [3, 50n], [5, 25n])
    expect(numbersOf(matchLogs(told, known).unknown)).to.deep.equal([5])
  })

  it('are of the same token, and not of another one with their numbers and amounts', () => {
    const known = logsOf([1, 100n]).map((log) => ({ ...log, token: usdOn2 }))
    expect(numbersOf(matchLogs(logsOf([1, 100n]), known).unknown)).to.deep.equal([1])
  })

  it('keep their numbers, and others get free ones', () => {
    const numbered = (told: Told[], taken: number[]) => numbersOf(numberApart(logsOf(...told), taken))
    expect(numbered([[3, 1n]], [1, 5])).to.deep.equal([3])
    expect(
      numbered(
        [
          [1, 1n],
          [6, 1n],
          [6, 1n],
        ],
        [1, 5, -7],
      ),
    ).to.deep.equal([7, 6, 8])
  })
})
