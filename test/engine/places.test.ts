import { expect } from 'chai'
import { createPlaces } from '../../server/engine/places.js'

const total = 60

describe('places for several chains', () => {
  /** Has each of the chains take what it can, again and again. Returns what each has in the end. */
  function fill(chains: readonly number[]) {
    const places = createPlaces(total)
    const held = new Map(chains.map((chainId) => [chainId, 0]))
    let hasTaken = true
    while (hasTaken) {
      hasTaken = false
      for (const chainId of chains) {
        if (places.isFull(chainId)) continue
        places.take(chainId, 1)
        held.set(chainId, held.get(chainId)! + 1)
        hasTaken = true
      }
    }
    return { places, held: [...held.values()] }
  }

  it('leave as many free as any one chain has', () => {
    expect(fill([1]).held).to.deep.equal([30])
    expect(fill([1, 2]).held).to.deep.equal([20, 20])
    expect(fill([1, 2, 3, 4, 5]).held).to.deep.equal([10, 10, 10, 10, 10])
  })

  it('have room for one more chain, whatever the others do', () => {
    const { places } = fill([1, 2])
    expect(places.full()).to.deep.equal([1, 2])
    expect(places.isFull(3)).to.equal(false)
    expect(places.room()).to.equal(10)
  })

  it('have no more room than those who are not full may all take, even if one takes everything', () => {
    const places = createPlaces(total)
    expect(places.room()).to.equal(30)
    for (let count = 0; count < 12; count++) places.take(1, 1)
    expect(places.room(), 'for the one that has 12').to.equal(18)
    for (let count = 0; count < 18; count++) {
      expect(places.isFull(1)).to.equal(false)
      places.take(1, 1)
    }
    expect(places.isFull(1)).to.equal(true)
  })

  it('are free again once they are left', () => {
    const { places } = fill([1, 2])
    for (let count = 0; count < 20; count++) places.leave(1, 1)
    expect(places.full()).to.deep.equal([])
    expect(places.room(), 'of 40, half of what the one with 20 leaves').to.equal(10)
    for (let count = 0; count < 20; count++) places.leave(2, 1)
    expect(places.room()).to.equal(30)
  })
})
