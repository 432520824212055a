import { expect } from 'chai'
import type { Database } from '../../../server/store/connection/database.js'
import { keyLifetimeMs, type NewAction } from '../../../server/store/actions/newActions.js'
import type { Store } from '../../../server/store/store.js'
import {
  aBatch,
  aNewAction,
  anOnDemandIntent,
  aSignedIntent,
  randomAddress,
  randomHash,
} from '../../support/builders.js'
import { useStore } from '../useStore.js'

describe('new actions', () => {
  let database: Database
  let store: Store
  useStore((fresh) => ({ database, store } = fresh))

  /** The same action, sent again: another id, all else alike. */
  const again = (entry: NewAction): NewAction => {
    const { action } = aNewAction({ user: entry.action.user, intents: entry.action.intents })
    return { ...entry, action }
  }
  const insertAll = (entries: NewAction[]) => Promise.all(entries.map((entry) => store.insertAction(entry)))
  const countOf = async (table: string) => (await database.knex(table).select('*')).length

  it('that come together are stored whole, each with its intents, steps and key', async () => {
    const entries = Array.from({ length: 50 }, (_, index) => {
      const user = randomAddress()
      const intents = [aSignedIntent(), ...Array.from({ length: index % 3 }, () => anOnDemandIntent(user))]
      return aNewAction({ user, intents, idempotencyKeyHash: index % 2 === 0 ? randomHash() : null })
    })
    const outcomes = await insertAll(entries)

    expect(outcomes).to.deep.equal(entries.map(() => ({ outcome: 'created' })))
    for (const { action } of entries) {
      const view = (await store.readAction(action.actionId))!
      expect(view).to.include({ user: action.user, status: 'created' })
      const batches = (intents: { chainBatches: { chainId: number }[] }[]) =>
        intents.map(({ chainBatches }) => chainBatches.map(({ chainId }) => chainId))
      expect(batches(view.intents)).to.deep.equal(batches(action.intents))
      expect(view.intents.map(({ steps }) => steps.length)).to.deep.equal(
        action.intents.map(({ chainBatches }) => chainBatches.length),
      )
      for (const [index, intent] of action.intents.entries()) {
        const row = await database.knex('intents').where({ action_id: action.actionId, intent_index: index }).first()
        expect(row.mode).to.equal(intent.mode)
      }
    }
    expect(await countOf('idempotency_keys')).to.equal(25)
  })

  it('are stored once when the same comes several times at once, among others', async () => {
    const twice = aNewAction({ intents: [aSignedIntent()] })
    const keyed = aNewAction({ idempotencyKeyHash: randomHash() })
    const others = Array.from({ length: 10 }, () => aNewAction())
    const outcomes = await insertAll([twice, ...others, again(twice), keyed, again(keyed), again(twice)])

    expect(outcomes.filter(({ outcome }) => outcome === 'created')).to.have.length(12)
    expect(outcomes.filter(({ outcome }) => outcome === 'existing')).to.have.length(3)
    expect(await countOf('actions')).to.equal(12)
    const [stored] = await database.knex('intents').where({ signed_key: twice.signedKeys[0] })
    const told = outcomes.flatMap((outcome) => (outcome.outcome === 'existing' ? [outcome] : []))
    expect(told.filter(({ by }) => by === 'intent').map(({ actionId }) => actionId)).to.deep.equal([
      stored.action_id,
      stored.action_id,
    ])
  })

  it('share their transaction also where each of them comes twice at once', async () => {
    let refused = 0
    database.knex.on('query-error', () => (refused += 1))
    const entries = Array.from({ length: 12 }, () => aNewAction({ intents: [aSignedIntent()] }))
    const outcomes = await insertAll(entries.flatMap((entry) => [entry, again(entry)]))
    expect(outcomes.map(({ outcome }) => outcome)).to.deep.equal(entries.flatMap(() => ['created', 'existing']))
    expect(refused).to.equal(0)
  })

  it('are refused one by one: another body under a used key, another action with a signed intent', async () => {
    const first = aNewAction({ intents: [aSignedIntent()], idempotencyKeyHash: randomHash() })
    await store.insertAction(first)
    const reused = { ...aNewAction(), idempotencyKeyHash: first.idempotencyKeyHash }
    const stolen = { ...aNewAction({ intents: [aSignedIntent()] }), signedKeys: first.signedKeys }
    const fine = aNewAction()

    expect(await insertAll([reused, fine, stolen])).to.deep.equal([
      { outcome: 'keyReused' },
      { outcome: 'created' },
      { outcome: 'duplicateIntent', intentIndex: 0 },
    ])
    expect(await countOf('actions')).to.equal(2)
  })

  it('are stored once when the same comes twice at once with a key that has run out', async () => {
    for (let round = 0; round < 20; round++) {
      const first = aNewAction({ idempotencyKeyHash: randomHash() })
      await store.insertAction({ ...first, now: first.now - keyLifetimeMs })
      const later = aNewAction({ idempotencyKeyHash: first.idempotencyKeyHash })
      const outcomes = await insertAll([later, again(later)])
      expect(outcomes.map(({ outcome }) => outcome).sort()).to.deep.equal(['created', 'existing'])
      const key = await database.knex('idempotency_keys').where({ key_hash: first.idempotencyKeyHash })
      expect(key).to.have.length(1)
    }
  })

  it('may use a key again a day later, though nobody has swept it away', async () => {
    const first = aNewAction({ idempotencyKeyHash: randomHash() })
    await store.insertAction({ ...first, now: first.now - keyLifetimeMs })
    const later = aNewAction({ idempotencyKeyHash: first.idempotencyKeyHash })

    expect(await insertAll([later, aNewAction()])).to.deep.equal([{ outcome: 'created' }, { outcome: 'created' }])
    expect(await insertAll([again(later)])).to.deep.equal([
      { outcome: 'existing', actionId: later.action.actionId, by: 'key' },
    ])
  })

  it('are looked for first as long as known ones come', async () => {
    let looks = 0
    database.knex.on('query', ({ sql }: { sql: string }) => {
      if (/^select .*signed_key/m.test(sql)) looks += 1
    })
    const looksFor = async (entries: NewAction[]) => {
      looks = 0
      const outcomes = (await insertAll(entries)).map(({ outcome }) => outcome)
      return { looks, outcomes }
    }
    const anEntry = () => aNewAction({ intents: [aSignedIntent()] })
    const known = anEntry()

    expect(await looksFor([known, anEntry()])).to.deep.equal({ looks: 0, outcomes: ['created', 'created'] })
    // All of them together and the known one by itself.
    const mixed = { looks: 2, outcomes: ['existing', 'created'] }
    expect(await looksFor([again(known), anEntry()])).to.deep.equal(mixed)
    expect(await looksFor([again(known), anEntry()])).to.deep.equal(mixed)
    expect(await looksFor([anEntry(), anEntry()])).to.deep.equal({ looks: 1, outcomes: ['created', 'created'] })
    expect(await looksFor([anEntry(), anEntry()])).to.deep.equal({ looks: 0, outcomes: ['created', 'created'] })
  })

  it('of many steps are stored beside small ones', async () => {
    const large = () => {
      const batches = Array.from({ length: 16 }, () => aBatch({ hash: randomHash() }))
      return aNewAction({ intents: Array.from({ length: 16 }, () => aSignedIntent(batches)) })
    }
    const outcomes = await insertAll([aNewAction(), large(), aNewAction(), large()])

    expect(outcomes.map(({ outcome }) => outcome)).to.deep.equal(['created', 'created', 'created', 'created'])
    expect(await countOf('steps')).to.equal(2 * 2 + 2 * 256)
  })

  it('that are long do not make a statement longer than the smallest packet that a server may take', async () => {
    let longest = 0
    database.knex.on('query', ({ bindings }: { bindings?: readonly unknown[] }) => {
      longest = Math.max(longest, JSON.stringify(bindings ?? []).length)
    })
    const long = () => {
      const calls = [1, 2, 3].map(() => ({
        to: randomAddress(),
        value: 0n,
        data: `0x${'ab'.repeat(32 * 1024)}` as const,
      }))
      return aNewAction({ intents: [aSignedIntent([aBatch({ hash: randomHash(), calls })])] })
    }
    const outcomes = await insertAll([...Array.from({ length: 30 }, long), aNewAction(), aNewAction()])

    expect(outcomes).to.deep.equal(outcomes.map(() => ({ outcome: 'created' })))
    expect(longest).to.be.lessThan(4 * 1024 * 1024)
  })

  it('that are long come by several statements, since SQLite keeps what each of them has written last', async () => {
    let statements = 0
    database.knex.on('query', ({ sql }: { sql: string }) => {
      statements += sql.split('insert into `intents`').length - 1
    })
    const long = () => {
      const calls = [{ to: randomAddress(), value: 0n, data: `0x${'ab'.repeat(14 * 1024)}` as const }]
      return aNewAction({ intents: [aSignedIntent([aBatch({ hash: randomHash(), calls })])] })
    }
    const outcomes = await insertAll(Array.from({ length: 10 }, long))
    expect(outcomes).to.deep.equal(outcomes.map(() => ({ outcome: 'created' })))
    expect(statements).to.equal(3)
    statements = 0
    await insertAll(Array.from({ length: 30 }, () => aNewAction()))
    expect(statements).to.equal(1)
  })
})
