import { expect } from 'chai'
import { chooseMovements } from '../../server/domain/deposit.js'

describe('the movements that a report stands for', () => {
  const movements = (...amounts: bigint[]) => amounts.map((amount, logIndex) => ({ logIndex, amount }))
  const chosen = (open: { logIndex: number; amount: bigint }[], amount: bigint) =>
    chooseMovements(open, amount)?.map(({ logIndex }) => logIndex) ?? null

  it('are one of just that amount, the first if there are several', () => {
    expect(chosen(movements(3n, 5n, 5n), 5n)).to.deep.equal([1])
  })

  it('are all of them if that is their sum', () => {
    expect(chosen(movements(3n, 5n, 5n), 13n)).to.deep.equal([0, 1, 2])
  })

  it('are not a part of them, even if that part has the sum', () => {
    expect(chosen(movements(3n, 5n, 7n), 8n)).to.equal(null)
  })

  it('are none where there are none', () => {
    expect(chosen([], 0n)).to.equal(null)
  })
})
