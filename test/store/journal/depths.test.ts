import { expect } from 'chai'
import type { Hash } from 'viem'
import type { StepRef } from '../../../server/domain/action.js'
import type { StepOutcome } from '../../../server/store/journal/bookResult.js'
import type { Database } from '../../../server/store/connection/database.js'
import type { Store } from '../../../server/store/store.js'
import { aNewTransaction, randomAddress, randomHash } from '../../support/builders.js'
import { acceptStep } from '../actions/acceptStep.js'
import { useStore } from '../useStore.js'

describe('how deep mined transactions are', () => {
  let database: Database
  let store: Store
  const signer = randomAddress()
  useStore(async (fresh) => {
    ;({ database, store } = fresh)
    await store.openLane({ chainId: 1, signer, chainNonce: 0, ifLedgerIsNew: null }, Date.now())
  })

  /** A transaction with so many steps, each of another user, mined in this block and seen one deep. */
  async function minedWith(steps: number, blockNumber: number) {
    const refs: StepRef[] = []
    for (let index = 0; index < steps; index++) refs.push(await acceptStep(store))
    const carried = refs.map((ref) => ({ ref, attempt: '1' }))
    const recorded = await store.recordTransaction(aNewTransaction({ chainId: 1, signer, steps: carried }), Date.now())
    if (recorded.outcome !== 'recorded') throw new Error(recorded.outcome)
    const mined = { hash: randomHash(), blockNumber, blockHash: randomHash() }
    await store.noteMined(recorded.transaction.id, { ...mined, confirmations: 1 }, Date.now())
    return { refs, transactionId: recorded.transaction.id, mined }
  }

  const depthOf = async (ref: StepRef) => (await store.readStep(ref))!.confirmations
  const eventsOf = async ({ actionId }: StepRef) =>
    (await store.readEvents(actionId, 0, 10)).map(({ sequence }) => sequence)

  it('is shown in all their steps at once, with an event each and no gap', async () => {
    const all = [await minedWith(3, 8), await minedWith(1, 8), await minedWith(2, 9)]
    const depths = all.map(({ transactionId, mined }) => ({
      transactionId,
      mined,
      confirmations: 10 - mined.blockNumber + 1,
    }))
    const { steps, isWhole } = await store.noteDepths(depths, Date.now())
    expect(isWhole).to.equal(true)
    expect(steps).to.have.length(6)
    for (const { refs, mined } of all) {
      for (const ref of refs) {
        const step = (await store.readStep(ref))!
        expect(step).to.include({ confirmations: 11 - mined.blockNumber, transactionHash: mined.hash })
        expect(steps).to.deep.include(step)
        expect(await eventsOf(ref)).to.deep.equal([1, 2, 3, 4])
      }
    }
  })

  it('makes no event where it is what is shown already', async () => {
    const { refs, transactionId, mined } = await minedWith(1, 8)
    const { steps, isWhole } = await store.noteDepths([{ transactionId, mined, confirmations: 1 }], Date.now())
    expect({ steps, isWhole }).to.deep.equal({ steps: [], isWhole: true })
    expect(await eventsOf(refs[0]!)).to.deep.equal([1, 2, 3])
  })

  it('does not go back in one block where a replica’s node is behind another’s, but does in another block', async () => {
    const { refs, transactionId, mined } = await minedWith(1, 8)
    const [ref] = refs
    const shown = (confirmations: number) => store.noteDepths([{ transactionId, mined, confirmations }], Date.now())
    await shown(5)
    const events = await eventsOf(ref!)
    expect((await shown(4)).steps).to.deep.equal([])
    await store.noteMined(transactionId, { ...mined, confirmations: 3 }, Date.now())
    expect(await depthOf(ref!)).to.equal(5)
    expect(await eventsOf(ref!)).to.deep.equal(events)
    await store.noteMined(transactionId, { ...mined, blockHash: randomHash(), confirmations: 1 }, Date.now())
    expect(await depthOf(ref!)).to.equal(1)
  })

  it('is not shown of one that has left the block it was read in, nor of one that has been settled', async () => {
    const [gone, moved, settled] = [await minedWith(1, 8), await minedWith(1, 8), await minedWith(1, 8)]
    await store.noteMined(gone.transactionId, null, Date.now())
    const elsewhere = { hash: moved.mined.hash, blockNumber: 9, blockHash: randomHash() }
    await store.noteMined(moved.transactionId, { ...elsewhere, confirmations: 1 }, Date.now())
    await settle(settled)
    const depths = [gone, moved, settled].map(({ transactionId, mined }) => ({
      transactionId,
      mined,
      confirmations: 5,
    }))
    expect(await store.noteDepths(depths, Date.now())).to.deep.equal({ steps: [], isWhole: false })
    expect(await depthOf(gone.refs[0]!)).to.equal(0)
    expect(await depthOf(moved.refs[0]!)).to.equal(1)
    expect((await store.readStep(settled.refs[0]!))!).to.include({ status: 'success', confirmations: 3 })
  })

  async function settle({ refs, transactionId, mined }: Awaited<ReturnType<typeof minedWith>>): Promise<void> {
    const { hash: transactionHash, ...block }: { hash: Hash; blockNumber: number; blockHash: Hash } = mined
    const result: StepOutcome = {
      status: 'success',
      transactionHash,
      confirmations: 3,
      arrivals: [],
      payouts: [],
      ...block,
    }
    const results = refs.map((ref) => ({ ref, result, needs: [] }))
    await store.settleTransaction({ transactionId, mined, results, airdrop: null }, Date.now())
  }

  // SQLite has one connection.
  if (process.env.TEST_DATABASE === 'mysql') {
    it('is shown of the others where somebody is at one of them', async () => {
      const [held, free] = [await minedWith(1, 8), await minedWith(1, 8)]
      const depths = [held, free].map(({ transactionId, mined }) => ({ transactionId, mined, confirmations: 5 }))
      await database.knex.transaction(async (trx) => {
        await trx('transactions').where({ id: held.transactionId }).forUpdate().select('id')
        const { steps, isWhole } = await store.noteDepths(depths, Date.now())
        expect(isWhole).to.equal(false)
        expect(steps.map(({ actionId }) => actionId)).to.deep.equal([free.refs[0]!.actionId])
      })
    })
  }
})
