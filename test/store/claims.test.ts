import { expect } from 'chai'
import type { Database } from '../../server/store/connection/database.js'
import type { Store } from '../../server/store/store.js'
import { randomAddress, randomHash, usdOn1 } from '../support/builders.js'
import { acceptStep } from './actions/acceptStep.js'
import { useStore } from './useStore.js'

const leaseMs = 60_000

describe('what is due', () => {
  let database: Database
  let store: Store

  useStore((fresh) => {
    ;({ database, store } = fresh)
  })

  const claimSteps = async () => (await store.claimDueSteps({ limit: 10, leaseMs })).map(({ ref }) => ref)

  it('is handed to one claimer, and again after the lease', async () => {
    const ref = await acceptStep(store)
    expect([await claimSteps(), await claimSteps()]).to.deep.equal([[ref], []])
    await store.postponeStep(ref, -1)
    expect(await claimSteps()).to.deep.equal([ref])
  })

  it('is handed out at once though a replica with a fast clock has accepted it', async () => {
    const ref = await acceptStep(store, Date.now() + 3_600_000)
    expect(await claimSteps()).to.deep.equal([ref])
  })

  it('is handed out at once if it was hurried while it was visited, whatever the visit says', async () => {
    const ref = await acceptStep(store)
    expect(await claimSteps()).to.deep.equal([ref])
    await store.postponeStep(ref, 0)
    await store.postponeStep(ref, 60_000)
    expect(await claimSteps()).to.deep.equal([ref])
    await store.postponeStep(ref, 60_000)
    expect(await claimSteps()).to.deep.equal([])
  })

  it('is handed out at once when it is called, as long as nothing carries it', async () => {
    const ref = await acceptStep(store)
    await claimSteps()
    expect(await store.hurryStep(ref)).to.equal(true)
    expect(await claimSteps()).to.deep.equal([ref])
    await database.knex('steps').update({ status: 'success' })
    expect(await store.hurryStep(ref)).to.equal(false)
    await database.knex('steps').update({ status: 'executing', transaction_id: 1 })
    expect(await store.hurryStep(ref)).to.equal(false)
  })

  it('is handed out at once when it is called together with one that has ended', async () => {
    const [waiting, ended] = [await acceptStep(store), await acceptStep(store)]
    await claimSteps()
    await database.knex('steps').where({ action_id: ended.actionId }).update({ status: 'success' })
    expect(await Promise.all([ended, waiting, waiting].map((ref) => store.hurryStep(ref)))).to.deep.equal([
      false,
      true,
      true,
    ])
    expect(await claimSteps()).to.deep.equal([waiting])
  })

  // SQLite has one connection.
  if (process.env.TEST_DATABASE === 'mysql') {
    it('is handed out at once when it is called together with one that somebody has locked', async () => {
      const [locked, free] = [await acceptStep(store), await acceptStep(store)]
      await claimSteps()
      await database.knex.transaction(async (trx) => {
        await trx('steps').where({ action_id: locked.actionId }).forUpdate().select('action_id')
        const startedAt = performance.now()
        expect(await Promise.all([locked, free].map((ref) => store.hurryStep(ref)))).to.deep.equal([true, true])
        expect(performance.now() - startedAt).to.be.lessThan(2_000)
      })
      expect(await claimSteps()).to.deep.equal([free])
    })
  }

  it('is left where it is if it is of a chain of which none is to be taken', async () => {
    const ref = await acceptStep(store)
    expect(await store.claimDueSteps({ limit: 10, leaseMs, notOf: [1, 2] })).to.deep.equal([])
    const claimed = await store.claimDueSteps({ limit: 10, leaseMs, notOf: [2, 3] })
    expect(claimed.map((work) => work.ref)).to.deep.equal([ref])
  })

  describe('and was claimed by the process before, where there can be no other:', () => {
    /** How often it is claimed: before, at once afterwards, and once the leases were ended. */
    async function counts(claim: () => Promise<unknown[]>): Promise<number[]> {
      const [first, second] = [await claim(), await claim()]
      await store.endLeases()
      return [first, second, await claim()].map(({ length }) => length)
    }
    const expected = () => [1, 0, database.kind === 'sqlite' ? 1 : 0]

    it('a dead process’s steps are handed out again', async () => {
      await acceptStep(store)
      expect(await counts(claimSteps)).to.deep.equal(expected())
    })

    it('a dead process’s reported deposits are handed out again', async () => {
      const user = randomAddress()
      const what = { user, chainId: 1, transactionHash: randomHash(), sender: user, token: usdOn1, amount: 5n }
      await store.reportDeposit({ ...what, isDeposit: true }, 1, Date.now())
      expect(await counts(() => store.claimDueDeposits({ limit: 10, leaseMs }))).to.deep.equal(expected())
    })

    it('a dead process’s airdrops are handed out again', async () => {
      const what = { chainId: 1, token: usdOn1, wallet: randomAddress(), amount: 5n, periodMs: 1_000 }
      expect(await store.requestAirdrop(what, Date.now())).to.include({ outcome: 'accepted' })
      expect(await counts(() => store.claimDueAirdrops({ limit: 10, leaseMs }))).to.deep.equal(expected())
    })

    it('a step whose transaction the chain does not know is not, since the time until the next look is counted before it has passed', async () => {
      const ref = await acceptStep(store)
      await claimSteps()
      const hash = randomHash()
      await database.knex('steps').update({ transaction_hash: hash })
      await store.postponeStep(ref, 60_000, { hash: randomHash(), forMs: 9_000 })
      expect((await store.readStepWork(ref))!.unseenMs, 'of another transaction').to.equal(0)
      await store.postponeStep(ref, 60_000, { hash, forMs: 1_000 })
      await store.endLeases()
      expect(await claimSteps()).to.deep.equal([])
    })
  })
})
