import { expect } from 'chai'
import type { Database } from '../../../server/store/connection/database.js'
import type { Store } from '../../../server/store/store.js'
import { aBatch, aNewAction, aSignedIntent, randomAddress, randomHash } from '../../support/builders.js'
import { planOf } from '../../support/queryPlans.js'
import { useStore } from '../useStore.js'

describe('lists of actions', () => {
  let database: Database
  let store: Store
  const user = randomAddress()
  const nothing = { user: null, status: null, transactionHash: null, before: null }

  useStore(async (fresh) => {
    ;({ database, store } = fresh)
    for (let index = 0; index < 40; index++) await store.insertAction(aNewAction({ user, now: index }))
  })

  const filters = {
    'a user’s': { user },
    'a status’s': { status: 'created' },
    'both’s': { user, status: 'created' },
  } as const
  for (const [whose, filter] of Object.entries(filters)) {
    it(`go on from the cursor, and not from ${whose} newest action on`, async () => {
      const list = (before: string | null) => store.listActions({ ...nothing, ...filter, before, limit: 10 })
      const first = await list(null)
      const asked = () => list(first.actions.at(-1)!.actionId)
      const { answer: page, plan } = await planOf(database, 'actions', asked)
      expect(page.actions.map(({ createdAt }) => createdAt)).to.deep.equal(
        Array.from({ length: 10 }, (_, index) => 29 - index),
      )
      expect(plan).to.match(
        database.kind === 'mysql' ? /"used_key_parts":\["(user|status)",.*"id"\]/ : /^SEARCH actions .*AND id<\?\)$/,
      )
      expect(plan).not.to.match(/filesort|TEMP B-TREE/)
    })
  }

  it('hold what a transaction has to do with, whatever else they are asked for', async () => {
    const transactionHash = randomHash()
    const { actionId } = (await store.listActions({ ...nothing, user, limit: 1 })).actions[0]!
    await database.knex('steps').where({ action_id: actionId }).update({ transaction_hash: transactionHash })
    for (const filter of Object.values({ none: {}, ...filters })) {
      const { actions } = await store.listActions({ ...nothing, ...filter, transactionHash, limit: 10 })
      expect(actions.map((action) => action.actionId)).to.deep.equal([actionId])
    }
  })

  it('read no further than a page goes, however many actions name a transaction', async () => {
    const transactionHash = randomHash()
    const { actions } = await store.listActions({ ...nothing, user, limit: 20 })
    const ids = actions.map(({ actionId }) => actionId)
    await database.knex('steps').whereIn('action_id', ids).update({ transaction_hash: transactionHash })
    for (const filter of Object.values({ none: {}, ...filters })) {
      const list = (before: string | null) =>
        store.listActions({ ...nothing, ...filter, transactionHash, before, limit: 8 })
      const { answer: page, plan } = await planOf(database, 'steps', () => list(ids[9]!))
      expect(page).to.have.property('hasMore', true)
      expect(page.actions.map(({ actionId }) => actionId)).to.deep.equal(ids.slice(10, 18))
      expect(plan).not.to.match(/filesort|TEMP B-TREE FOR ORDER|temporary/i)
      expect((await list(ids[17]!)).actions.map(({ actionId }) => actionId)).to.deep.equal(ids.slice(18))
    }
  })

  it('end before their limit where actions are large, and go on with what is left, each once', async () => {
    const large = randomAddress()
    const ids: string[] = []
    for (let index = 0; index < 30; index++) {
      const batches = Array.from({ length: 200 }, () => aBatch({ hash: randomHash() }))
      const entry = aNewAction({ user: large, now: index, intents: [aSignedIntent(batches)] })
      await store.insertAction(entry)
      ids.unshift(entry.action.actionId)
    }
    const pages: string[][] = []
    for (let before: string | null = null; ;) {
      const { actions, hasMore } = await store.listActions({ ...nothing, user: large, before, limit: 100 })
      pages.push(actions.map(({ actionId }) => actionId))
      before = actions.at(-1)!.actionId
      if (!hasMore) break
    }
    expect(pages.flat()).to.deep.equal(ids)
    expect(Math.max(...pages.map((page) => page.length))).to.be.below(15)
  })
})
