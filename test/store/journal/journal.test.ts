import { expect } from 'chai'
import type { Address } from 'viem'
import type { StepRef } from '../../../server/domain/action.js'
import type { Database } from '../../../server/store/connection/database.js'
import { createStore, type Store } from '../../../server/store/store.js'
import { aSignedForm, randomAddress, randomHash } from '../../support/builders.js'
import { acceptStep } from '../actions/acceptStep.js'
import { recordSteps } from './recordSteps.js'
import { useStore } from '../useStore.js'

describe('the journal', () => {
  let database: Database
  let store: Store
  const signer: Address = randomAddress()

  useStore(async (fresh) => {
    ;({ database, store } = fresh)
    await store.openLane({ chainId: 1, signer, chainNonce: 5, ifLedgerIsNew: null }, Date.now())
  })

  const acceptedStep = (user?: Address) => acceptStep(store, Date.now(), user)

  const record = (...steps: StepRef[]) => recordSteps(store, signer, steps)

  it('takes nonces without a gap or a repetition, however many ask at once', async () => {
    const refs = []
    for (let index = 0; index < 20; index++) refs.push(await acceptedStep())
    // As the engine does, which comes back to a step: on a busy machine nonces may be taken from it for too long.
    const recordAtLast = async (ref: StepRef): ReturnType<typeof record> => {
      const entry = await record(ref)
      return entry.outcome === 'laneBusy' ? recordAtLast(ref) : entry
    }
    const recorded = await Promise.all(refs.map(recordAtLast))
    const nonces = recorded.map((entry) => (entry.outcome === 'recorded' ? entry.transaction.nonce : -1))
    expect(nonces.sort((a, b) => a - b)).to.deep.equal(Array.from({ length: 20 }, (_, index) => index + 5))
    expect((await store.readLanes(1))[0]?.nextNonce).to.equal(25)
  })

  describe('on a lane that nobody else has used lately', () => {
    let reads = 0
    // Under the lock it is read by another statement.
    const count = ({ sql }: { sql: string }) => (reads += Number(/^select .* from .lanes. .* limit/.test(sql)))
    beforeEach(async () => {
      for (let index = 0; index < 2; index++) await record(await acceptedStep())
      reads = 0
      database.knex.on('query', count)
    })
    afterEach(() => database.knex.removeListener('query', count))

    it('signs for the next nonce without asking for it', async () => {
      const signed: number[] = []
      for (let index = 0; index < 2; index++) await recordSteps(store, signer, [await acceptedStep()], signed)
      expect(signed).to.deep.equal([7, 8])
      expect(reads).to.equal(0)
    })

    it('signs anew where somebody has, and asks until the lane is its own again', async () => {
      await recordSteps(createStore(database), signer, [await acceptedStep()])
      reads = 0
      const signed: number[] = []
      for (let index = 0; index < 4; index++) await recordSteps(store, signer, [await acceptedStep()], signed)
      expect(signed).to.deep.equal([7, 8, 9, 10, 11])
      expect(reads).to.equal(2)
    })

    it('takes none while it is paused', async () => {
      await store.pauseLane({ chainId: 1, signer, reason: 'test' }, Date.now())
      const ref = await acceptedStep()
      expect((await recordSteps(store, signer, [ref])).outcome).to.equal('lanePaused')
      const signed: number[] = []
      expect((await recordSteps(store, signer, [ref], signed)).outcome).to.equal('lanePaused')
      expect(signed, 'the second time').to.deep.equal([])
    })
  })

  it('counts how long a transaction waits for a block from its first send, and anew from its next form', async () => {
    const recorded = await record(await acceptedStep())
    if (recorded.outcome !== 'recorded') throw new Error(recorded.outcome)
    const { id, nonce } = recorded.transaction
    const read = async () => (await store.readUnmined({ chainId: 1, signer, nonce }))!
    const later = Date.now() + 60_000
    await store.noteSend(id, { outcome: 'notPooled', dueAt: later, waitsAnew: false }, later)
    expect((await read()).waitingSince, 'held back for a minute').to.equal(later)
    await store.noteSend(id, { outcome: 'accepted', dueAt: later, waitsAnew: false }, later + 1_000)
    expect(await read()).to.include({ waitingSince: later, sentAt: later + 1_000 })
    await store.recordForm(await read(), aSignedForm('0x02'), later + 2_000)
    await store.noteSend(id, { outcome: 'accepted', dueAt: later, waitsAnew: false }, later + 3_000)
    expect(await read()).to.include({ waitingSince: later + 2_000, sentAt: later + 3_000 })
  })

  // SQLite looks at indexes only; this one counts rows, and knows of the newest only after a while.
  if (process.env.TEST_DATABASE === 'mysql') {
    it('looks up forms by an index in a table that has just grown', async () => {
      const rows = Array.from({ length: 5_000 }, (_, id) => ({
        hash: randomHash(),
        transaction_id: 1_000 + id,
        raw: `0x${'ab'.repeat(600)}`,
        max_fee_per_gas: '1',
        max_priority_fee_per_gas: '1',
        is_cancel: false,
        created_at: 0,
      }))
      await database.knex.batchInsert('attempts', rows, 500)
      const recorded = await record(await acceptedStep())
      if (recorded.outcome !== 'recorded') throw new Error(recorded.outcome)
      const [ours] = recorded.transaction.forms
      const plans: { table: string; type: string }[] = []
      const asked: { sql: string; bindings: string[] }[] = []
      const note = (query: { sql: string; bindings: string[] }) => asked.push(query)
      database.knex.on('query', note)
      const found = await store.findOpenByHash([ours!.hash, ...rows.slice(0, 100).map(({ hash }) => hash)])
      database.knex.removeListener('query', note)
      expect(found.map(({ id }) => id)).to.deep.equal([recorded.transaction.id])
      expect(asked).to.have.length(3)
      for (const { sql, bindings } of asked) {
        const [plan] = (await database.knex.raw(`EXPLAIN ${sql}`, bindings)) as [{ table: string; type: string }[]]
        plans.push(...plan)
      }
      const whole = plans.filter(({ table, type }) => table === 'attempts' && (type === 'ALL' || type === 'index'))
      expect(whole).to.deep.equal([])
    })
  }

  it('gives one step one transaction, however many visits race for it', async () => {
    const ref = await acceptedStep()
    const recorded = await Promise.all(Array.from({ length: 10 }, () => record(ref)))
    expect(recorded.filter((entry) => entry.outcome === 'recorded')).to.have.length(1)
    expect(recorded.filter((entry) => entry.outcome === 'stale')).to.have.length(9)
    expect((await store.readLanes(1))[0]?.nextNonce).to.equal(6)
  })

  it('gives many steps one transaction or none, and tells which of them others have got further with', async () => {
    const refs = [await acceptedStep(), await acceptedStep(), await acceptedStep(), await acceptedStep()]
    const gone = await record(refs[2]!)
    expect(gone.outcome).to.equal('recorded')
    expect(await record(...refs)).to.deep.equal({ outcome: 'stale', steps: [refs[2]] })
    expect((await database.knex('transactions').select('id')).length).to.equal(1)
    expect((await store.readStepWork(refs[0]!))!.transactionId).to.equal(null)
    const left = refs.filter((ref) => ref !== refs[2])
    const together = await record(...left)
    if (together.outcome !== 'recorded') throw new Error(together.outcome)
    const carried = await store.readStepsOf(together.transaction)
    expect(carried.map(({ ref }) => ref)).to.have.deep.members(left)
    for (const { view } of carried) expect(view.transactionHash).to.equal(together.transaction.forms[0]!.hash)
  })

  it('gives overlapping bundles no step twice, in whatever order they name them', async () => {
    const refs = await Promise.all(Array.from({ length: 6 }, () => acceptedStep()))
    const bundles = [refs, [...refs].reverse(), refs.slice(2), refs.slice(0, 3).reverse()]
    const outcomes = await Promise.all(bundles.map((bundle) => record(...bundle)))
    expect(outcomes.filter(({ outcome }) => outcome === 'recorded')).to.have.length.within(1, 2)
    const rows = await Promise.all(refs.map((ref) => store.readStepWork(ref)))
    const ids = rows.flatMap((work) => work?.transactionId ?? [])
    const transactions = await database.knex('transactions').select('id')
    expect(transactions.map(({ id }) => id)).to.have.members([...new Set(ids)])
  })

  it('has a step of a bundle go on by itself, as the same attempt, and never settles it with the bundle again', async () => {
    const [done, other] = [await acceptedStep(), await acceptedStep()]
    const bundle = await record(done, other)
    if (bundle.outcome !== 'recorded') throw new Error(bundle.outcome)
    const mined = { hash: bundle.transaction.forms[0]!.hash, blockNumber: 7, blockHash: randomHash() }
    const failure = {
      status: 'reverted' as const,
      error: { code: 'execution_reverted', message: 'no', retryable: true } as const,
      transactionHash: mined.hash,
      blockNumber: 7,
    }
    const results = [
      { ref: done, result: failure, needs: [] },
      { ref: other, result: { status: 'alone' as const }, needs: [] },
    ]
    const settled = { transactionId: bundle.transaction.id, mined, results, airdrop: null }
    expect((await store.settleTransaction(settled, Date.now())).outcome).to.equal('settled')
    expect((await store.readStepWork(done))!.view).to.include({ status: 'reverted', transactionHash: mined.hash })
    const left = (await store.readStepWork(other))!
    expect(left).to.include({ alone: true, transactionId: null })
    expect(left.view).to.include({ status: 'executing', transactionHash: null, attempts: 1 })
    expect((await store.claimDueSteps({ limit: 10, leaseMs: 1_000 })).map(({ ref }) => ref)).to.deep.equal([other])
    expect((await store.settleTransaction(settled, Date.now())).outcome).to.equal('stale')
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
        store.recordForm(transaction, attempt, Date.now()),
      ),
    )
    expect(outcomes.filter((outcome) => outcome === 'recorded')).to.have.length(1)
    const [found] = await store.findOpenByHash([transaction.forms[0]!.hash])
    expect(found?.forms).to.have.length(2)
    expect((await store.findOpenByHash([found!.forms[1]!.hash]))[0]?.id).to.equal(transaction.id)
  })

  it('knows which form is the dearest, also when a replica with a slow clock signed it', async () => {
    const recorded = await record(await acceptedStep())
    if (recorded.outcome !== 'recorded') throw new Error(recorded.outcome)
    const { transaction } = recorded
    const dearest = {
      hash: randomHash(),
      raw: '0xff' as const,
      maxFeePerGas: 12n,
      maxPriorityFeePerGas: 2n,
      isCancel: false,
    }
    await store.recordForm(transaction, dearest, Date.now() - 60_000)
    const [found] = await store.findOpenByHash([dearest.hash])
    expect(found?.forms.map((attempt) => attempt.hash)).to.deep.equal([transaction.forms[0]!.hash, dearest.hash])
  })

  it('settles a transaction once, however many settle it at the same time', async () => {
    const ref = await acceptedStep()
    const recorded = await record(ref)
    if (recorded.outcome !== 'recorded') throw new Error(recorded.outcome)
    const mined = { hash: recorded.transaction.forms[0]!.hash, blockNumber: 3, blockHash: randomHash() }
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
    const answers = await Promise.all([settle(), settle(), settle()])
    expect(answers.map(({ outcome }) => outcome).sort()).to.deep.equal(['settled', 'stale', 'stale'])
    const settled = answers.find((answer) => answer.outcome === 'settled')
    expect(settled?.steps).to.deep.equal([await store.readStep(ref)])
    expect(settled?.steps[0]).to.include({ status: 'success', transactionHash: mined.hash, blockNumber: 3 })
    expect(await store.hasOpenTransactions(1)).to.equal(false)
    const events = await database
      .knex<{ action_id: string; sequence: number }>('events')
      .where({ action_id: ref.actionId })
      .orderBy('sequence')
    expect(events.map((event) => event.sequence)).to.deep.equal([1, 2, 3])
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
    for (const readPages of [store.readMinedTransactions, store.readMinedPlaces]) {
      const read: number[][] = []
      for await (const page of readPages(1, { from: 0, to: 8 }, 3)) read.push(page.map(({ id }) => id))
      expect(read.map((page) => page.length)).to.deep.equal([3, 3, 1])
      expect(read.flat()).to.deep.equal([...ids.slice(4), ...ids.slice(0, 4)])
      const pages = readPages(1, { from: 9, to: 20 }, 3)
      expect((await pages.next()).done).to.equal(true)
    }
  })

  it('tells whether a step shows something new when its transaction is noted as mined, or as gone', async () => {
    const recorded = await record(await acceptedStep())
    if (recorded.outcome !== 'recorded') throw new Error(recorded.outcome)
    const mined = { hash: randomHash(), blockNumber: 8, blockHash: randomHash(), confirmations: 1 }
    const news: boolean[] = []
    for (const place of [mined, mined, { ...mined, confirmations: 2 }, null, null]) {
      news.push(await store.noteMined(recorded.transaction.id, place, Date.now()))
    }
    expect(news).to.deep.equal([true, false, true, true, false])
  })

  it('tells where transactions are mined, and who waits in a lane, without reading what they carry', async () => {
    const both = await record(await acceptedStep(), await acceptedStep())
    const waiting = await record(await acceptedStep())
    if (both.outcome !== 'recorded' || waiting.outcome !== 'recorded') throw new Error('Not recorded')
    const mined = { hash: randomHash(), blockNumber: 8, blockHash: randomHash() }
    await store.noteMined(both.transaction.id, { ...mined, confirmations: 1 }, Date.now())
    const read: string[] = []
    const note = ({ sql }: { sql: string }) => void read.push(sql)
    database.knex.on('query', note)
    const places = await store.readMinedPlaces(1, { from: 0, to: 8 }, 3).next()
    const due = await store.readDueTransactions(1, 3, Date.now() + 60_000)
    database.knex.off('query', note)
    const { hash, blockNumber } = mined
    expect(places.value).to.deep.equal([{ id: both.transaction.id, mined: { hash, blockNumber }, steps: 2 }])
    const { id, nonce } = waiting.transaction
    expect(due).to.deep.equal([{ id, chainId: 1, signer, nonce }])
    expect(read).to.have.length(3)
    for (const sql of read) expect(sql).not.to.match(/\*(?!\))|data|raw|attempts/)
    expect((await store.readUnminedOf([id, both.transaction.id])).map(({ forms }) => forms.length)).to.deep.equal([1])
  })
})
