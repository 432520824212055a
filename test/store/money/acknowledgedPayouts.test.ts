import { expect } from 'chai'
import { acknowledgePayout, forgetPayout } from '../../../server/store/money/acknowledgedPayouts.js'
import type { Database } from '../../../server/store/connection/database.js'
import { readPayouts } from '../../../server/store/money/reconciliation.js'
import { randomAddress, randomHash } from '../../support/builders.js'
import { useStore } from '../useStore.js'

describe('payouts that are acknowledged at once', () => {
  let database: Database
  useStore((fresh) => (database = fresh.database))

  const found = { atMost: 70n, causes: [], stepKeys: [], recipients: [] }
  const place = { chainId: 1, token: randomAddress() }
  const byAll = async (payouts: Omit<Parameters<typeof acknowledgePayout>[1], 'chainId' | 'token'>[]) => {
    const told = await Promise.all(payouts.map((entry) => acknowledgePayout(database, { ...place, ...entry }, 1)))
    return told.map(({ outcome }) => outcome).sort()
  }
  const booked = async () => (await readPayouts(database, place.chainId, place.token)).map(({ amount }) => amount)

  it('are booked once where they are the same', async () => {
    const same = {
      transactionHash: randomHash(),
      user: randomAddress(),
      amount: 20n,
      found: { ...found, atMost: 100n },
    }
    expect(await byAll(Array(4).fill(same))).to.deep.equal(['before', 'before', 'before', 'booked'])
    expect(await booked()).to.deep.equal([20n])
  })

  it('are never more than was paid, of whichever users, and as much again once one is taken back', async () => {
    const transactionHash = randomHash()
    const users = Array.from({ length: 4 }, () => randomAddress())
    const each = users.map((user) => ({ transactionHash, user, amount: 30n, found }))
    expect(await byAll(each)).to.deep.equal(['booked', 'booked', 'tooMuch', 'tooMuch'])
    expect(await booked()).to.deep.equal([30n, 30n])
    const taken = await Promise.all(users.map((user) => forgetPayout(database, { ...place, transactionHash, user }, 1)))
    expect(taken.filter((amount) => amount === 30n)).to.have.length(2)
    expect(await byAll(each)).to.deep.equal(['booked', 'booked', 'tooMuch', 'tooMuch'])
  })
})
