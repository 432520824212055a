import { expect } from 'chai'
import { lags } from '../../server/domain/lag.js'

describe('nodes that lag', () => {
  const at = (number: bigint, timestamp: bigint) => ({ number, timestamp })

  it('are several blocks behind the newest, and some seconds', () => {
    expect(lags([at(95n, 1_000n), at(100n, 1_060n), at(96n, 1_012n)], 1_061_000)).to.deep.equal([5, 0, 0])
    expect(lags([at(100n, 1_003n), at(95n, 1_000n)], 1_003_000)).to.deep.equal([0, 5])
  })

  it('are none where several blocks come in a second', () => {
    expect(lags([at(100n, 1_002n), at(92n, 1_000n)], 1_002_500)).to.deep.equal([0, 0])
    expect(lags([at(100n, 1_003n), at(88n, 1_000n)], 1_003_000)).to.deep.equal([0, 12])
  })

  it('are those that stand still where all blocks came in one second', () => {
    const heads = [at(100n, 1_000n), at(92n, 1_000n)]
    expect(lags(heads, 1_002_000)).to.deep.equal([0, 0])
    expect(lags(heads, 1_003_000)).to.deep.equal([0, 8])
  })

  it('are found by the chain’s clock where ours is behind it', () => {
    expect(lags([at(100n, 1_060n), at(95n, 1_000n)], 900_000)).to.deep.equal([0, 5])
  })

  it('are none where they say nothing, or nobody else does', () => {
    expect(lags([null, at(7n, 9n), null], 60_000)).to.deep.equal([0, 0, 0])
    expect(lags([null], 60_000)).to.deep.equal([0])
    expect(lags([], 60_000)).to.deep.equal([])
  })
})
