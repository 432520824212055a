import { expect } from 'chai'
import type { Address } from 'viem'
import type { Airdrop } from '../../server/domain/airdrop.js'
import type { Database } from '../../server/store/database.js'
import { readVaultMovements } from '../../server/store/reconciliation.js'
import { createStore, type Store } from '../../server/store/store.js'
import { randomAddress, randomHash, usdOn2 } from '../support/builders.js'
import { freshDatabase } from '../support/database.js'

describe('an airdrop whose block is gone', () => {
  let database: Database
  let store: Store
  let drop: () => Promise<void>
  let user: Address
  const signer: Address = randomAddress()
  const now = Date.now()

  beforeEach(async () => {
    ;({ database, drop } = await freshDatabase())
    store = createStore(database)
    user = randomAddress()
    await store.openLane({ chainId: 2, signer, chainNonce: 0 }, now)
  })
  afterEach(() => drop())

  const key = () => ({ chainId: 2, token: usdOn2, wallet: user })
  const paid = async () => (await readVaultMovements(database)).paid.get(`2:${usdOn2}`) ?? 0n
  const mine = (number: number) => ({ hash: randomHash(), blockNumber: number, blockHash: randomHash() })

  async function asked(amount = 5n) {
    const wanted = { ...key(), amount, limit: 100n, periodMs: 1_000 }
    const request = await store.requestAirdrop(wanted, now)
    if (request.outcome !== 'accepted') throw new Error(request.outcome)
    return request.airdrop
  }

  /** Signs a transaction for the airdrop. */
  async function record(airdrop: Airdrop): Promise<number> {
    const attempt = { raw: '0x00', maxFeePerGas: 10n, maxPriorityFeePerGas: 1n, isCancel: false } as const
    const payload = { to: randomAddress(), data: '0x' as const, authorizations: [], gasLimit: 1n }
    const sign = async () => ({ ...attempt, hash: randomHash() })
    const recorded = await store.recordTransaction({ chainId: 2, signer, ...payload, steps: [], airdrop, sign }, now)
    if (recorded.outcome !== 'recorded') throw new Error(recorded.outcome)
    return recorded.transaction.id
  }

  /** The transaction has paid the airdrop in this block. */
  function settle(transactionId: number, airdrop: Airdrop, mined: ReturnType<typeof mine>) {
    const paidIn = { number: mined.blockNumber, hash: mined.blockHash }
    const result = { airdrop, paidIn, hash: mined.hash, message: null }
    return store.settleTransaction({ transactionId, mined, results: [], airdrop: result }, now)
  }
  const undo = ({ blockNumber, blockHash }: ReturnType<typeof mine>) =>
    store.undoBlock(2, { number: blockNumber, hash: blockHash }, now)

  it('is settled anew', async () => {
    const airdrop = await asked()
    const transactionId = await record(airdrop)
    for (const number of [3, 4, 5]) {
      const mined = mine(number)
      await settle(transactionId, airdrop, mined)
      expect(await paid()).to.equal(5n)
      expect((await store.readAirdrop(key()))?.status).to.equal('success')
      await undo(mined)
      expect(await paid()).to.equal(0n)
    }
  })

  it('is taken back though others of the same wallet have followed', async () => {
    const [first, second] = [mine(3), mine(4)]
    const airdrop = await asked()
    const transactionId = await record(airdrop)
    await settle(transactionId, airdrop, first)
    const next = await asked(7n)
    await settle(await record(next), next, second)
    expect(await paid()).to.equal(12n)
    await undo(first)
    expect(await paid()).to.equal(7n)
    expect((await store.readAirdrop(key()))?.status).to.equal('success')
    expect((await store.readAirdropOf(transactionId))?.round).to.equal(1)
    await settle(transactionId, airdrop, mine(5))
    expect(await paid()).to.equal(12n)
  })

  it('is taken back where another transaction had paid it than the one that carries it, and looked at anew', async () => {
    const airdrop = await asked()
    const [claimed] = await store.claimDueAirdrops({ limit: 1, leaseMs: 60_000 })
    expect(claimed).to.include({ wallet: user, round: 1 })
    const { hash, blockNumber: number, blockHash } = mine(3)
    await store.adoptAirdrop({ airdrop, hash, paidIn: { number, hash: blockHash }, message: null }, now)
    expect(await paid()).to.equal(5n)
    const block = { number, hash: blockHash }
    expect(await store.readSettledBlocks(2, 1)).to.deep.equal([block])
    expect(await store.undoBlock(2, block, now)).to.deep.equal([{ kind: 'airdrop', transactionHash: hash, steps: [] }])
    expect(await store.undoBlock(2, block, now)).to.deep.equal([])
    expect(await paid()).to.equal(0n)
    expect(await store.claimDueAirdrops({ limit: 1, leaseMs: 60_000 })).to.have.length(1)
  })

  it('is not lost with its transaction, if that is ended by one who had read it as paid in a block that is gone', async () => {
    const airdrop = await asked()
    const transactionId = await record(airdrop)
    const gone = mine(3)
    await settle(transactionId, airdrop, gone)
    await undo(gone)
    const unaware = { transactionId, mined: mine(4), results: [], airdrop: null }
    expect((await store.settleTransaction(unaware, now)).outcome).to.equal('stale')
    expect((await settle(transactionId, airdrop, mine(4))).outcome).to.equal('settled')
    expect(await paid()).to.equal(5n)
  })

  for (const order of ['its own', 'another'] as const) {
    it(`is booked once that was given up and is paid after all, if ${order} transaction tells of it first`, async () => {
      const airdrop = await asked()
      const givenUp = await record(airdrop)
      await store.resumeLane({ chainId: 2, signer, chainNonce: 0, lost: [givenUp] }, now)
      const other = await record(airdrop)
      await store.reopenLost({ chainId: 2, signer, nonce: 0 }, now)
      const payment = mine(3)
      const paidIn = { number: 3, hash: payment.blockHash }
      const result = { airdrop, paidIn, hash: payment.hash, message: null }
      const settleOther = () =>
        store.settleTransaction({ transactionId: other, mined: mine(4), results: [], airdrop: result }, now)
      if (order === 'another') await settleOther()
      expect((await settle(givenUp, airdrop, payment)).outcome).to.equal('settled')
      if (order === 'its own') await settleOther()
      expect(await paid()).to.equal(5n)
      await undo(payment)
      expect(await paid()).to.equal(0n)
    })
  }
})
