import { expect } from 'chai'
import type { StepRef } from '../../../server/domain/action.js'
import { ServiceError } from '../../../server/domain/errors.js'
import { statusOf } from '../../../server/domain/status.js'
import type { StepView } from '../../../server/domain/views.js'
import { createDatabase, type Database } from '../../../server/store/connection/database.js'
import { attemptOf, type IntentRow, refOf, type StepRow } from '../../../server/store/rows.js'
import type { StepOutcome } from '../../../server/store/journal/bookResult.js'
import { createStore, type Store } from '../../../server/store/store.js'
import { rethrow } from '../../support/rethrow.js'
import { aStepRequest } from '../../support/aStepRequest.js'
import { aBatch, aNewAction, aSignedIntent, randomAddress, randomHash, stepOf } from '../../support/builders.js'
import { freshDatabase } from '../../support/database.js'
import { pause } from '../../support/pause.js'

const racesMs = 3_000
/** How much longer at most, where little has happened by then. */
const latestMs = 20_000
const attempt = { raw: '0x00', maxFeePerGas: 1n, maxPriorityFeePerGas: 1n, isCancel: false } as const

const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(Math.random() * list.length)]
const shuffle = <T>(list: readonly T[]): T[] => [...list].sort(() => Math.random() - 0.5)

describe('a few steps that everybody is at', () => {
  let database: Database
  let replicas: Database[]
  let stores: Store[]
  let drop: () => Promise<void>

  beforeEach(async () => {
    const fresh = await freshDatabase()
    ;({ database, drop } = fresh)
    // SQLite is one process's alone.
    replicas = fresh.config.kind === 'mysql' ? [1, 2].map(() => createDatabase(fresh.config)) : []
    stores = [database, ...replicas].map(createStore)
  })
  afterEach(async () => {
    for (const replica of replicas) await replica.close()
    await drop()
  })

  it('have events without a gap that tell what they are, and words that fit, whoever changes what at once', async () => {
    const signers = [randomAddress(), randomAddress()]
    for (const signer of signers)
      await stores[0]!.openLane({ chainId: 1, signer, chainNonce: 0, ifLedgerIsNew: null }, Date.now())
    const intents = () => [1, 2].map(() => aSignedIntent([1, 2].map(() => aBatch({ hash: randomHash() }))))
    const entries = Array.from({ length: 10 }, () => aNewAction({ intents: intents() }))
    await Promise.all(entries.map((entry) => pick(stores)!.insertAction(entry)))
    const refs = entries.flatMap((entry) =>
      [0, 1].flatMap((intent) => [0, 1].map((step) => stepOf(entry, intent, step))),
    )
    const carried = new Map<number, StepRef[]>()
    let shown = 0
    const blocks: { number: number; hash: `0x${string}` }[] = []

    async function ask(): Promise<void> {
      const store = pick(stores)!
      const some = shuffle(refs).slice(0, 6)
      const order = { action: 'execute', hash: null, signed: false } as const
      await Promise.all(
        [...some, ...some.slice(3)].map(async (ref) => {
          try {
            const { view } = await store.requestStep(aStepRequest({ ref, order, needs: [] }), Date.now())
            expect(view).to.include(ref)
          } catch (error) {
            if (!(error instanceof ServiceError && error.code === 'previous_step_incomplete')) throw error
          }
        }),
      )
    }

    async function record(): Promise<void> {
      const open = await database.knex<StepRow>('steps').where({ status: 'executing' }).whereNull('transaction_id')
      // One of each user, as the engine does: his account is one step's at a time.
      const first = new Map<string, StepRow>()
      for (const row of shuffle(open)) {
        const chosen = first.get(row.action_id)
        if (!chosen || (chosen.open_account === null && row.open_account !== null)) first.set(row.action_id, row)
      }
      const steps = [...first.values()].slice(0, 5).map((row) => ({
        ref: { actionId: row.action_id, intentIndex: row.intent_index, stepIndex: row.step_index },
        attempt: attemptOf(row),
      }))
      if (steps.length === 0) return
      const place = { chainId: 1, signer: pick(signers)!, to: randomAddress(), data: '0x' } as const
      const sign = () => Promise.resolve({ ...attempt, hash: randomHash() })
      const payload = { ...place, authorizations: [], gasLimit: 1n, steps, airdrop: null, sign }
      const recorded = await pick(stores)!.recordTransaction(payload, Date.now())
      if (recorded.outcome === 'recorded')
        carried.set(
          recorded.transaction.id,
          steps.map(({ ref }) => ref),
        )
    }

    async function settle(): Promise<void> {
      const [transactionId, steps] = pick([...carried].slice(-6)) ?? []
      if (transactionId === undefined || steps === undefined) return
      const block = { number: 7, hash: randomHash() }
      const mined = { hash: randomHash(), blockNumber: block.number, blockHash: block.hash }
      await pick(stores)!.noteMined(transactionId, { ...mined, confirmations: 1 }, Date.now())
      // Others may show how deep it is before it is final.
      if (Math.random() < 0.5) return
      const place = { transactionHash: mined.hash, blockNumber: block.number }
      const error = { code: 'execution_reverted', message: 'It reverted.', retryable: true } as const
      const outcomes: StepOutcome[] = [
        { status: 'success', ...place, blockHash: block.hash, confirmations: 2, arrivals: [], payouts: [] },
        { status: 'reverted', ...place, error },
        { status: 'alone' },
      ]
      const results = steps.map((ref) => ({ ref, result: pick(outcomes)!, needs: [] }))
      const settled = { transactionId, mined, results, airdrop: null }
      const { outcome } = await pick(stores)!.settleTransaction(settled, Date.now())
      if (outcome === 'settled') blocks.push(block)
    }

    /** Several processes show how deep the same transactions are, each under the head that it knows. */
    async function show(): Promise<void> {
      const store = pick(stores)!
      for await (const mined of store.readMinedTransactions(1, { from: 0, to: 7 }, 20)) {
        const depths = shuffle(mined).map(({ id, mined }) => ({
          transactionId: id,
          mined: mined!,
          confirmations: 1 + Math.floor(Math.random() * 5),
        }))
        shown += (await store.noteDepths(depths, Date.now())).steps.length
      }
    }

    async function hurry(): Promise<void> {
      const steps = await database.knex<StepRow>('steps').where({ status: 'executing' })
      const refs = shuffle(steps).slice(0, 8).map(refOf)
      await Promise.all(refs.map((ref) => pick(stores)!.hurryStep(ref)))
    }

    async function undo(): Promise<void> {
      const block = pick(blocks)
      if (block) await pick(stores)!.undoBlock(1, block, Date.now(), rethrow)
    }

    async function claim(): Promise<void> {
      const store = pick(stores)!
      const works = await store.claimDueSteps({ limit: 10, leaseMs: 50 })
      if (works.length > 0) await store.takeAccounts(works)
    }

    const end = Date.now() + racesMs
    // On a slow machine they go on until there is something to judge by.
    const isOver = () => Date.now() > end + latestMs || (Date.now() > end && blocks.length > 3 && shown > 3)
    const keepOn = async (turn: () => Promise<void>, everyMs: number) => {
      while (!isOver()) {
        await turn()
        await pause(everyMs)
      }
    }
    const turns = [ask, ask, ask, record, record, settle, settle, claim, show, show, hurry]
    await Promise.all([...turns.map((turn) => keepOn(turn, 5)), keepOn(undo, 100)])

    expect(blocks.length, 'settled').to.be.greaterThan(3)
    expect(shown, 'steps of which a depth was shown').to.be.greaterThan(3)
    for (const { action } of entries) await requireWholeStory(action.actionId)
  })

  async function requireWholeStory(actionId: string): Promise<void> {
    const events = (await database.knex('events').where({ action_id: actionId }).orderBy('sequence')) as {
      sequence: number
      step: string
    }[]
    const action = await database.knex('actions').where({ id: actionId }).first()
    expect(events.map(({ sequence }) => sequence)).to.deep.equal(events.map((_event, index) => index + 1))
    expect(action.event_count).to.equal(events.length)
    const told = events.map(({ step }) => JSON.parse(step) as StepView)
    const view = (await stores[0]!.readAction(actionId))!
    for (const step of view.intents.flatMap(({ steps }) => steps)) {
      const own = told.filter((event) => event.intentIndex === step.intentIndex && event.stepIndex === step.stepIndex)
      if (own.length === 0) expect(step).to.include({ status: 'created', attempts: 0 })
      else expect(own.at(-1)).to.deep.include(step)
      const counts = own.map(({ attempts }) => attempts)
      expect(counts, 'each attempt is begun by an event of its own').to.deep.equal([...counts].sort((a, b) => a - b))
      expect(new Set(counts).size).to.equal(step.attempts)
    }
    const intents = await database.knex<IntentRow>('intents').where({ action_id: actionId }).orderBy('intent_index')
    const words = view.intents.map(({ steps }) => statusOf(steps.map(({ status }) => status)))
    expect(intents.map(({ status }) => status)).to.deep.equal(words)
    expect(view.status).to.equal(statusOf(words))
  }
})
