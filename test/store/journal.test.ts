import { expect } from 'chai'
import type { Address } from 'viem'
import type { Database } from '../../server/store/database.js'
import { createStore, type Store } from '../../server/store/store.js'
import { aNewAction, aSignedIntent, randomAddress, randomHash, stepOf } from '../support/builders.js'
import { freshDatabase } from '../support/database.js'

describe('the journal', () => {
  let database: Database
  let store: Store
  let drop: () => Promise<void>
  const signer: Address = randomAddress()

  beforeEach(async () => {
    ;({ database, drop } = await freshDatabase())
    store = createStore(database)
    await store.openLane({ chainId: 1, signer, chainNonce: 5 }, Date.now())
  })
  afterEach(() => drop())

  async function acceptedStep(now = Date.now()) {
    const entry = aNewAction({ intents: [aSignedIntent()] })
    await store.insertAction(entry)
    const ref = stepOf(entry, 0, 0)
    const request = {
      ref,
      order: { action: 'execute', hash: null, signed: false },
      needs: [],
      intentSigned: true,
    } as const
    await store.requestStep({ ...request, needs: [] }, now)
    return ref
  }

  function record(ref: Awaited<ReturnType<typeof acceptedStep>>) {
    return store.recordTransaction(
      {
        chainId: 1,
        signer,
        to: randomAddress(),
        data: '0x1234',
        authorizations: [],
        gasLimit: 100_000n,
        steps: [{ ref, attempts: 1 }],
        airdrop: null,
        sign: async (nonce) => ({
          hash: randomHash(),
          raw: `0x${nonce.toString(16).padStart(8, '0')}`,
          maxFeePerGas: 10n,
          maxPriorityFeePerGas: 1n,
          isCancel: false,
        }),
      },
      Date.now(),
    )
  }

  it('takes nonces without a gap or a repetition, however many ask at once', async () => {
    const refs = []
    for (let index = 0; index < 20; index++) refs.push(await acceptedStep())
    const recorded = await Promise.all(refs.map((ref) => record(ref)))
    const nonces = recorded.map((entry) => (entry.outcome === 'recorded' ? entry.transaction.nonce : -1))
    expect(nonces.sort((a, b) => a - b)).to.deep.equal(Array.from({ length: 20 }, (_, index) => index + 5))
    expect((await store.readLanes(1))[0]?.nextNonce).to.equal(25)
  })

  it('gives one step one transaction, however many visits race for it', async () => {
    const ref = await acceptedStep()
    const recorded = await Promise.all(Array.from({ length: 10 }, () => record(ref)))
    expect(recorded.filter((entry) => entry.outcome === 'recorded')).to.have.length(1)
    expect(recorded.filter((entry) => entry.outcome === 'stale')).to.have.length(9)
    expect((await store.readLanes(1))[0]?.nextNonce).to.equal(6)
  })

  it('signs nothing on a paused lane', async () => {
    await store.pauseLane({ chainId: 1, signer, reason: 'test' }, Date.now())
    expect((await record(await acceptedStep())).outcome).to.equal('lanePaused')
    expect((await store.readLanes(1))[0]).to.include({ nextNonce: 5, status: 'paused', reason: 'test' })
  })

  it('stores one replacement at a time and finds the transaction by every hash', async () => {
    const recorded = await record(await acceptedStep())
    if (recorded.outcome !== 'recorded') throw new Error(recorded.outcome)
    const { transaction } = recorded
    const replacement = () => ({
      hash: randomHash(),
      raw: '0xff' as const,
      maxFeePerGas: 12n,
      maxPriorityFeePerGas: 2n,
      isCancel: false,
    })
    const outcomes = await Promise.all(
      [replacement(), replacement(), replacement()].map((attempt) =>
        store.recordAttempt(transaction, attempt, Date.now()),
      ),
    )
    expect(outcomes.filter((outcome) => outcome === 'recorded')).to.have.length(1)
    const [found] = await store.findOpenByHash([transaction.attempts[0]!.hash])
    expect(found?.attempts).to.have.length(2)
    expect((await store.findOpenByHash([found!.attempts[1]!.hash]))[0]?.id).to.equal(transaction.id)
  })

  it('knows which form is the newest, also when a replica with a slow clock signed it', async () => {
    const recorded = await record(await acceptedStep())
    if (recorded.outcome !== 'recorded') throw new Error(recorded.outcome)
    const { transaction } = recorded
    const newest = {
      hash: randomHash(),
      raw: '0xff' as const,
      maxFeePerGas: 12n,
      maxPriorityFeePerGas: 2n,
      isCancel: false,
    }
    await store.recordAttempt(transaction, newest, Date.now() - 60_000)
    const [found] = await store.findOpenByHash([newest.hash])
    expect(found?.attempts.map((attempt) => attempt.hash)).to.deep.equal([transaction.attempts[0]!.hash, newest.hash])
  })

  it('settles a transaction once', async () => {
    const ref = await acceptedStep()
    const recorded = await record(ref)
    if (recorded.outcome !== 'recorded') throw new Error(recorded.outcome)
    const mined = { hash: recorded.transaction.attempts[0]!.hash, blockNumber: 3, blockHash: randomHash() }
    const result = {
      status: 'success' as const,
      transactionHash: mined.hash,
      blockNumber: 3,
      blockHash: randomHash(),
      confirmations: 1,
      arrivals: [],
      payouts: [],
    }
    const settle = () =>
      store.settleTransaction(
        { transactionId: recorded.transaction.id, mined, results: [{ ref, result, needs: [] }], airdrop: null },
        Date.now(),
      )
    expect((await Promise.all([settle(), settle(), settle()])).sort()).to.deep.equal(['settled', 'stale', 'stale'])
    expect(await store.readStep(ref)).to.include({ status: 'success', transactionHash: mined.hash, blockNumber: 3 })
    expect(await store.hasOpenTransactions(1)).to.equal(false)
    const events = await database
      .knex<{ action_id: string; sequence: number }>('events')
      .where({ action_id: ref.actionId })
      .orderBy('sequence')
    expect(events.map((event) => event.sequence)).to.deep.equal([1, 2, 3])
  })

  it('hands a due step to one claimer, and again after the lease', async () => {
    await acceptedStep()
    const [first, second] = [await store.claimDueSteps(10, 60_000), await store.claimDueSteps(10, 60_000)]
    expect([first.length, second.length]).to.deep.equal([1, 0])
    await store.postponeStep(first[0]!.ref, -1)
    expect(await store.claimDueSteps(10, 60_000)).to.have.length(1)
  })

  it('hands out at once what a replica with a fast clock has accepted', async () => {
    await acceptedStep(Date.now() + 3_600_000)
    expect(await store.claimDueSteps(10, 60_000)).to.have.length(1)
  })

  it('reads every mined transaction page by page, each once, however many share a block', async () => {
    const ids: number[] = []
    for (let index = 0; index < 7; index++) {
      const recorded = await record(await acceptedStep())
      if (recorded.outcome !== 'recorded') throw new Error(recorded.outcome)
      const mined = { hash: randomHash(), blockNumber: index < 4 ? 8 : 3, blockHash: randomHash(), confirmations: 1 }
      await store.noteMined(recorded.transaction.id, mined, Date.now())
      ids.push(recorded.transaction.id)
    }
    const read: number[][] = []
    for await (const page of store.readMinedTransactions(1, { from: 0, to: 8 }, 3)) read.push(page.map(({ id }) => id))
    expect(read.map((page) => page.length)).to.deep.equal([3, 3, 1])
    expect(read.flat()).to.deep.equal([...ids.slice(4), ...ids.slice(0, 4)])
    const pages = store.readMinedTransactions(1, { from: 9, to: 20 }, 3)
    expect((await pages.next()).done).to.equal(true)
  })
})
