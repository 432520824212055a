import { expect } from 'chai'
import fc from 'fast-check'
import type { Address } from 'viem'
import { type OpenCredit, orderCredits, planFunding } from '../../server/domain/funding.js'

const token: Address = `0x${'11'.repeat(20)}`

function credit(fields: Partial<OpenCredit>): OpenCredit {
  return { creditId: 1, chainId: 1, token, decimals: 6, available: 0n, actionId: null, ...fields }
}

describe('funding of solver transfers', () => {
  it('takes exactly what is owed when decimals agree', () => {
    const plan = planFunding({ amount: 70n, decimals: 6, feeBps: 0 }, [credit({ available: 100n })])
    expect(plan).to.deep.equal({ outcome: 'funded', draws: [{ creditId: 1, amount: 70n }] })
  })

  it('uses up one credit before it turns to the next', () => {
    const plan = planFunding({ amount: 70n, decimals: 6, feeBps: 0 }, [
      credit({ creditId: 1, available: 50n }),
      credit({ creditId: 2, available: 50n }),
    ])
    expect(plan).to.deep.equal({
      outcome: 'funded',
      draws: [
        { creditId: 1, amount: 50n },
        { creditId: 2, amount: 20n },
      ],
    })
  })

  it('takes the largest where it would draw on more than a step may, and tells how much that is if it is too little', () => {
    const many = [1n, 1n, 5n, 0n, 1n, 7n, 1n].map((available, creditId) => credit({ creditId, available }))
    const drawn = (amount: bigint, most: number) => {
      const plan = planFunding({ amount, decimals: 6, feeBps: 0 }, many, most)
      return plan.outcome === 'funded' ? plan.draws.map((draw) => [draw.creditId, draw.amount]) : plan.available
    }
    const inOrder = [
      [0, 1n],
      [1, 1n],
      [2, 5n],
    ]
    expect(drawn(7n, 3)).to.deep.equal(inOrder)
    expect(drawn(8n, 3)).to.deep.equal([
      [5, 7n],
      [2, 1n],
    ])
    expect(drawn(13n, 3)).to.deep.equal([
      [5, 7n],
      [2, 5n],
      [0, 1n],
    ])
    expect(drawn(14n, 3)).to.equal(13n)
    expect(drawn(16n, 6)).to.have.length(6)
    expect(drawn(17n, 6)).to.equal(16n)
  })

  it('plans with any number of credits', () => {
    const many = Array.from({ length: 300_000 }, (_, creditId) => credit({ creditId, available: 1n }))
    const plan = planFunding({ amount: 1_001n, decimals: 6, feeBps: 0 }, many)
    expect(plan).to.deep.equal({ outcome: 'insufficient', required: 1_001n, available: 1_000n })
  })

  it('rounds up what it takes of a coarser token', () => {
    // one smallest unit of an 18-decimal token costs a whole smallest unit of a 6-decimal one
    const plan = planFunding({ amount: 1n, decimals: 18, feeBps: 0 }, [credit({ available: 5n })])
    expect(plan).to.deep.equal({ outcome: 'funded', draws: [{ creditId: 1, amount: 1n }] })
  })

  it('tells what is required with the fee, and what is there rounded down', () => {
    const plan = planFunding({ amount: 10_000n, decimals: 6, feeBps: 25 }, [
      credit({ decimals: 18, available: 9_999_999_999_999_999n }),
    ])
    expect(plan).to.deep.equal({ outcome: 'insufficient', required: 10_025n, available: 9_999n })
  })

  it('never pays more worth than it takes, whatever the decimals, fees and pieces', () => {
    const decimals = fc.constantFrom(0, 2, 6, 8, 18)
    const pieces = fc.array(fc.record({ decimals, available: fc.bigInt(0n, 10n ** 24n) }), { maxLength: 6 })
    fc.assert(
      fc.property(
        fc.bigInt(1n, 10n ** 24n),
        decimals,
        fc.integer({ min: 0, max: 500 }),
        pieces,
        (amount, d, fee, list) => {
          const credits = list.map((piece, index) => credit({ creditId: index, ...piece }))
          const plan = planFunding({ amount, decimals: d, feeBps: fee }, credits)
          const worth = (value: bigint, places: number) => value * 10n ** BigInt(18 - places)
          const needed = (worth(amount, d) * BigInt(10_000 + fee) + 9_999n) / 10_000n
          const total = credits.reduce((sum, piece) => sum + worth(piece.available, piece.decimals), 0n)
          if (plan.outcome === 'insufficient') {
            expect(total < worth(plan.required, d)).to.equal(true)
            return
          }
          const taken = plan.draws.reduce((sum, draw) => sum + worth(draw.amount, credits[draw.creditId]!.decimals), 0n)
          expect(taken >= needed).to.equal(true)
          for (const draw of plan.draws) expect(draw.amount <= credits[draw.creditId]!.available).to.equal(true)
          // less than one unit of the last credit more than needed, rounded up to a unit of the paid token
          const last = credits[plan.draws.at(-1)!.creditId]!
          expect(taken - needed < worth(1n, last.decimals) + worth(1n, d)).to.equal(true)
        },
      ),
      { numRuns: 2_000 },
    )
  })
})

describe('order of credit', () => {
  const own = credit({ creditId: 9, chainId: 2, actionId: 'a' })
  const sameChain = credit({ creditId: 8, chainId: 1 })
  const oldest = credit({ creditId: 1, chainId: 2 })

  it('puts the own action first, then the same chain, then the oldest', () => {
    const ordered = orderCredits([oldest, sameChain, own], { actionId: 'a', chainId: 1, signed: true })
    expect(ordered.map((entry) => entry.creditId)).to.deep.equal([9, 8, 1])
  })

  it('leaves an unsigned intent nothing but what was paid in its own action', () => {
    const ordered = orderCredits([oldest, sameChain, own], { actionId: 'a', chainId: 1, signed: false })
    expect(ordered.map((entry) => entry.creditId)).to.deep.equal([9])
  })
})
