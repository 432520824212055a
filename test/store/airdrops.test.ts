import { expect } from 'chai'
import type { Address } from 'viem'
import type { Airdrop } from '../../server/domain/airdrop.js'
import type { Database } from '../../server/store/connection/database.js'
import { readVaultMovements } from '../../server/store/money/reconciliation.js'
import { createStore, type Store } from '../../server/store/store.js'
import { rethrow } from '../support/rethrow.js'
import { randomAddress, randomHash, usdOn2 } from '../support/builders.js'
import { freshDatabase } from '../support/database.js'

describe('an airdrop', () => {
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
    await store.openLane({ chainId: 2, signer, chainNonce: 0, ifLedgerIsNew: null }, now)
  })
  afterEach(() => drop())

  const key = () => ({ chainId: 2, token: usdOn2, wallet: user })
  const paid = async () => (await readVaultMovements(database)).paid.get(`2:${usdOn2}`) ?? 0n
  const mine = (number: number) => ({ hash: randomHash(), blockNumber: number, blockHash: randomHash() })

  const ask = (amount: bigint, at = now) => store.requestAirdrop({ ...key(), amount, periodMs: 1_000 }, at)
  const cooldown = ({ hash }: ReturnType<typeof mine>, nextAt = now + 1_000) => {
    return { outcome: 'cooldown', transactionHash: hash, nextAt }
  }

  async function asked(amount = 5n, at = now) {
    const request = await ask(amount, at)
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
    store.undoBlock(2, { number: blockNumber, hash: blockHash }, now, rethrow)

  describe('whose block is gone', () => {
    it('is settled anew each time that its transaction comes into another block', async () => {
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
      const next = await asked(7n, now + 1_000)
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
      expect(await store.readSettledBlocks(2, { from: 1, to: 100 }, 100)).to.deep.equal([block])
      expect(await store.undoBlock(2, block, now, rethrow)).to.deep.equal([
        { kind: 'airdrop', transactionHash: hash, steps: [] },
      ])
      expect(await store.undoBlock(2, block, now, rethrow)).to.deep.equal([])
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

  describe('of a wallet', () => {
    async function paidOnce(amount: bigint, at = now) {
      const airdrop = await asked(amount, at)
      const transactionId = await record(airdrop)
      const mined = mine(3)
      await settle(transactionId, airdrop, mined)
      return { airdrop, mined }
    }

    /** Its transaction is given up, and it fails; `payLate` is that transaction mined after all. */
    async function givenUp(amount: bigint, nonce: number) {
      const airdrop = await asked(amount)
      const transactionId = await record(airdrop)
      await store.resumeLane({ chainId: 2, signer, chainNonce: 0, lost: [transactionId] }, now)
      await store.failAirdrop(airdrop, 'no')
      const mined = mine(3 + nonce)
      const payLate = async () => {
        await store.reopenLost({ chainId: 2, signer, nonce }, now)
        expect((await settle(transactionId, airdrop, mined)).outcome).to.equal('settled')
      }
      return { mined, payLate }
    }

    it('is the only one until its period is over, whatever the next asks for', async () => {
      const { mined } = await paidOnce(1n)
      for (const [amount, at] of [
        [1n, now],
        [100n, now + 1],
        [1n, now + 999],
      ] as const) {
        expect(await ask(amount, at)).to.deep.equal(cooldown(mined))
      }
      const next = await asked(7n, now + 1_000)
      expect(next).to.include({ round: 2, amount: 7n, askedAt: now + 1_000 })
      const later = mine(4)
      await settle(await record(next), next, later)
      expect(await ask(1n, now + 1_999)).to.deep.equal(cooldown(later, now + 2_000))
      expect(await paid()).to.equal(8n)
    })

    it('leaves other wallets, tokens and chains theirs', async () => {
      await paidOnce(1n)
      for (const other of [{ wallet: randomAddress() }, { token: randomAddress() }, { chainId: 3 }]) {
        const asked = await store.requestAirdrop({ ...key(), ...other, amount: 1n, periodMs: 1_000 }, now)
        expect(asked.outcome).to.equal('accepted')
      }
    })

    it('counts for nothing if it fails', async () => {
      for (const round of [1, 2, 3]) {
        const airdrop = await asked(5n)
        expect(airdrop.round).to.equal(round)
        await store.failAirdrop(airdrop, 'no')
      }
      const { airdrop, mined } = await paidOnce(6n)
      expect(airdrop.round).to.equal(4)
      expect(await ask(1n)).to.deep.equal(cooldown(mined))
    })

    it('is one, of one of the amounts, however many ask at once', async () => {
      const amounts = Array.from({ length: 12 }, (_, index) => BigInt(1 + index))
      for (const [at, round] of [
        [now, 1],
        [now + 1_000, 2],
      ] as const) {
        const all = await Promise.all(amounts.map((amount) => ask(amount, at)))
        expect(all.filter(({ outcome }) => outcome === 'accepted')).to.have.length(1)
        const airdrop = (await store.readAirdrop(key()))!
        expect(airdrop.round).to.equal(round)
        for (const one of all) expect('airdrop' in one && one.airdrop).to.include({ round, amount: airdrop.amount })
        const mined = mine(2 + round)
        await settle(await record(airdrop), airdrop, mined)
        const more = await Promise.all(amounts.map((amount) => ask(amount, at + 999)))
        for (const one of more) expect(one).to.deep.equal(cooldown(mined, at + 1_000))
      }
    })

    it('is under way again when its block is gone, and its period goes on when it is paid anew', async () => {
      const { airdrop, mined } = await paidOnce(5n)
      await undo(mined)
      const again = await ask(1n, now + 500)
      expect(again.outcome).to.equal('underWay')
      expect('airdrop' in again && again.airdrop).to.include({ round: 1, amount: 5n })
      const { id } = await database
        .knex<{ id: number }>('transactions')
        .first('id')
        .then((row) => row!)
      const anew = mine(4)
      await settle(id, airdrop, anew)
      expect(await ask(1n, now + 999)).to.deep.equal(cooldown(anew))
      expect(await ask(1n, now + 1_000)).to.include({ outcome: 'accepted' })
      expect(await paid()).to.equal(5n)
    })

    it('is held against the next though it was paid late, after others had failed', async () => {
      const late = await givenUp(5n, 0)
      await store.failAirdrop(await asked(6n), 'no')
      await late.payLate()
      expect(await ask(1n)).to.deep.equal(cooldown(late.mined))
      await undo(late.mined)
      const again = await ask(1n)
      expect('airdrop' in again && again).to.deep.include({ outcome: 'underWay' })
      expect('airdrop' in again && again.airdrop.round).to.equal(1)
    })

    it('is booked for what it was, where two are paid late in one period, and each can be undone', async () => {
      const [first, second] = [await givenUp(5n, 0), await givenUp(7n, 1)]
      expect(await paid()).to.equal(0n)
      await second.payLate()
      expect(await paid()).to.equal(7n)
      expect(await ask(1n)).to.deep.equal(cooldown(second.mined))
      await first.payLate()
      expect(await paid()).to.equal(12n)
      expect(await ask(1n, now + 999)).to.deep.equal(cooldown(second.mined))
      await undo(second.mined)
      expect(await paid()).to.equal(5n)
      expect(await ask(1n)).to.include({ outcome: 'underWay' })
      await undo(first.mined)
      expect(await paid()).to.equal(0n)
      expect(await ask(1n)).to.include({ outcome: 'underWay' })
    })
  })
})
