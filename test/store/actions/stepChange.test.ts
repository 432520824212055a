import { expect } from 'chai'
import type { StepRef } from '../../../server/domain/action.js'
import type { Database } from '../../../server/store/connection/database.js'
import { changeSteps } from '../../../server/store/actions/stepChange.js'
import { createStore, type Store } from '../../../server/store/store.js'
import { aNewAction, aSignedIntent, randomHash, stepOf } from '../../support/builders.js'
import { freshDatabase } from '../../support/database.js'

describe('a change of several steps', () => {
  let database: Database
  let store: Store
  let drop: () => Promise<void>

  beforeEach(async () => {
    ;({ database, drop } = await freshDatabase())
    store = createStore(database)
  })
  afterEach(() => drop())

  async function anActionOf(intents: number) {
    const entry = aNewAction({ intents: Array.from({ length: intents }, () => aSignedIntent()) })
    await store.insertAction(entry)
    return Array.from({ length: intents }, (_, index) => stepOf(entry, index, 0))
  }

  function change(refs: StepRef[], status: 'executing' | 'success') {
    const transaction_hash = randomHash()
    const changes = refs.map((ref) => ({ ref, change: { status, transaction_hash, due_at: { inMs: 0 } } }))
    return database.transact((trx) => changeSteps(trx, changes, Date.now()))
  }

  it('gives each of an action’s steps an event of its own, without a gap', async () => {
    const [one, other] = [await anActionOf(3), await anActionOf(1)]
    await change([...one.slice(0, 2), ...other], 'executing')
    await change([one[2]!, one[0]!], 'success')

    const events = await store.readEvents(one[0]!.actionId, 0, 100)
    expect(events.map(({ sequence }) => sequence)).to.deep.equal([1, 2, 3, 4])
    expect(events.map(({ step }) => [step.intentIndex, step.status])).to.have.deep.members([
      [0, 'executing'],
      [1, 'executing'],
      [2, 'success'],
      [0, 'success'],
    ])
    expect(await store.readEvents(other[0]!.actionId, 0, 100)).to.have.length(1)
  })

  it('shows in the words of each intent and action what its own steps say', async () => {
    const [one, other] = [await anActionOf(2), await anActionOf(1)]
    await change([...one, ...other], 'executing')
    await change([one[1]!, ...other], 'success')

    const [half, whole] = await Promise.all([one, other].map(([ref]) => store.readAction(ref!.actionId)))
    expect(half!.intents.map(({ status }) => status)).to.deep.equal(['executing', 'success'])
    expect(half!.status).to.equal('executing')
    expect([whole!.intents[0]!.status, whole!.status]).to.deep.equal(['success', 'success'])
  })

  it('keeps for each the trace of its own request, and what it had where there is none to tell', async () => {
    const refs = await anActionOf(4)
    const traced = (traceparents: (string | null | undefined)[]) => {
      const alike = { status: 'executing' } as const
      const changes = refs.map((ref, index) => ({ ref, change: alike, traceparent: traceparents[index] }))
      return database.transact((trx) => changeSteps(trx, changes, Date.now()))
    }
    await traced(['a', 'b', 'c', null])
    const steps = await traced(['d', undefined, null, 'e'])
    expect(steps.map(({ traceparent }) => traceparent)).to.deep.equal(['d', 'b', null, 'e'])
    const stored = await database.knex('steps').orderBy('intent_index').pluck('traceparent')
    expect(stored).to.deep.equal(['d', 'b', null, 'e'])
  })

  it('never puts the time of the last change back, whatever the clock of who makes it', async () => {
    const [ref] = await anActionOf(1)
    const changeAt = (status: 'executing' | 'error', now: number) =>
      database.transact((trx) => changeSteps(trx, [{ ref: ref!, change: { status } }], now))
    const later = Date.now() + 60_000
    await changeAt('executing', later)
    const [step] = await changeAt('error', later - 1_400)

    expect([step!.status, step!.updated_at]).to.deep.equal(['error', later])
    const { updatedAt, intents } = (await store.readAction(ref!.actionId))!
    expect([updatedAt, intents[0]!.updatedAt]).to.deep.equal([later, later])
  })

  it('takes as many statements for twenty steps as for one', async () => {
    const refs = (await Promise.all(Array.from({ length: 21 }, () => anActionOf(1)))).flat()
    let statements = 0
    database.knex.on('query', () => (statements += 1))
    const count = async (steps: StepRef[]) => {
      statements = 0
      await change(steps, 'executing')
      return statements
    }

    expect(await count(refs.slice(1))).to.equal(await count(refs.slice(0, 1)))
  })

  it('is refused whole when one of them does not exist', async () => {
    const [ref] = await anActionOf(1)
    const refusal = await change([ref!, { ...ref!, stepIndex: 9 }], 'executing').catch((error: Error) => error.message)

    expect(refusal).to.match(/^No such step/)
    expect((await store.readStep(ref!))!.status).to.equal('created')
    expect(await store.readEvents(ref!.actionId, 0, 100)).to.deep.equal([])
  })
})
