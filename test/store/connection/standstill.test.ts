import { expect } from 'chai'
import type { Knex } from 'knex'
import { createDatabase } from '../../../server/store/connection/database.js'
import { createRateLimits } from '../../../server/store/rateLimits.js'
import { createStore } from '../../../server/store/store.js'
import { randomAddress, randomHash } from '../../support/builders.js'
import { freshDatabase } from '../../support/database.js'

// SQLite has one process.
if (process.env.TEST_DATABASE === 'mysql') {
  describe('a process that stands still in a transaction', () => {
    let fresh: Awaited<ReturnType<typeof freshDatabase>>
    let other: ReturnType<typeof createDatabase>
    let holding: Promise<unknown>
    let goOn: () => void

    beforeEach(async () => {
      fresh = await freshDatabase()
      other = createDatabase(fresh.config)
      const store = createStore(fresh.database)
      for (const nonce of [0, 1]) {
        const fees = { maxFeePerGas: 10n, maxPriorityFeePerGas: 1n, isCancel: false }
        const attempt = { raw: '0x00', hash: randomHash(), ...fees } as const
        const lane = { chainId: 1, signer: randomAddress() }
        await store.openLane({ ...lane, chainNonce: 2, ifLedgerIsNew: null }, 1)
        await store.recordFiller({ ...lane, nonce, gasLimit: 1n, form: attempt }, 1)
      }
      await new Promise<void>((locked) => {
        holding = other
          .transact(async (trx) => {
            await (trx as unknown as Knex)('transactions').where({ id: 1 }).forUpdate().select('id')
            locked()
            await new Promise<void>((resolve) => (goOn = resolve))
          })
          .catch((error: unknown) => error)
      })
    })
    afterEach(async () => {
      goOn()
      await holding
      await other.close()
      await fresh.drop()
    })

    it('keeps others for one wait at most from what they will come back to', async function () {
      this.timeout(30_000)
      const store = createStore(fresh.database)
      const startedAt = performance.now()
      const mined = { hash: randomHash(), blockNumber: 1, blockHash: randomHash() }
      const settled = { transactionId: 1, mined, results: [], airdrop: null }
      const errors = await Promise.all(
        [
          store.settleTransaction(settled, 1),
          store.noteMined(1, { ...mined, confirmations: 1 }, 1),
          store.noteSend(1, { outcome: 'accepted', dueAt: 1, waitsAnew: false }, 1),
          store.postponeTransactions([1], 1),
        ].map((done) => done.catch((error: { errno?: number }) => error.errno)),
      )
      expect(errors).to.deep.equal([1205, 1205, 1205, 1205])
      expect(performance.now() - startedAt).to.be.lessThan(9_000)
    })

    it('keeps whose requests it counts for one wait at most, and then they are counted without it', async function () {
      this.timeout(30_000)
      const limits = await createRateLimits(fresh.database, 60)
      await limits.take('someone', 5)
      let release = () => {}
      const held = new Promise<void>((locked, failed) => {
        const holds = other.transact(async (trx) => {
          await (trx as unknown as Knex)('rate_limits').forUpdate().select('*')
          locked()
          await new Promise<void>((resolve) => (release = resolve))
        })
        holds.catch(failed)
      })
      await held
      const startedAt = performance.now()
      expect(await limits.take('someone', 5)).to.include({ allowed: true, remaining: 55 })
      expect(performance.now() - startedAt).to.be.lessThan(9_000)
      release()
    })

    it('is passed by when others look after what is due', async () => {
      const due = await createStore(fresh.database).readDueTransactions(1, 10, Date.now())
      expect(due.map(({ nonce }) => nonce)).to.deep.equal([1])
    })

    it('loses its locks after a while, and hears of it', async function () {
      this.timeout(30_000)
      const startedAt = performance.now()
      // Runs again until the lock is free.
      await fresh.database.transact(async (trx) => {
        await (trx as unknown as Knex)('transactions').where({ id: 1 }).forUpdate().select('id')
      })
      expect(performance.now() - startedAt).to.be.within(5_000, 16_000)
      goOn()
      expect(await holding).to.be.instanceOf(Error)
    })
  })
}
