import { expect } from 'chai'
import type { Database } from '../../server/store/database.js'
import type { Store } from '../../server/store/store.js'
import { aNewAction, randomAddress, randomHash } from '../support/builders.js'
import { useStore } from './useStore.js'

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
      const { rows, plan } = await planOf(() => list(first.at(-1)!.actionId))
      expect(rows.map(({ createdAt }) => createdAt)).to.deep.equal(Array.from({ length: 10 }, (_, index) => 29 - index))
      expect(plan).to.match(
        database.kind === 'mysql' ? /"used_key_parts":\["(user|status)",.*"id"\]/ : /^SEARCH actions .*AND id<\?\)$/,
      )
      expect(plan).not.to.match(/filesort|TEMP B-TREE/)
    })
  }

  it('hold what a transaction has to do with, whatever else they are asked for', async () => {
    const transactionHash = randomHash()
    const { actionId } = (await store.listActions({ ...nothing, user, limit: 1 }))[0]!
    await database.knex('steps').where({ action_id: actionId }).update({ transaction_hash: transactionHash })
    for (const filter of Object.values({ none: {}, ...filters })) {
      const found = await store.listActions({ ...nothing, ...filter, transactionHash, limit: 10 })
      expect(found.map((action) => action.actionId)).to.deep.equal([actionId])
    }
  })

  /** How the database goes about the statement on actions, in its own words. */
  async function planOf<T>(list: () => Promise<T>): Promise<{ rows: T; plan: string }> {
    const seen: { sql: string; bindings: string[] }[] = []
    const note = (query: { sql: string; bindings: string[] }) => void seen.push(query)
    database.knex.on('query', note)
    const rows = await list()
    database.knex.removeListener('query', note)
    const { sql, bindings } = seen.find((query) => query.sql.includes('from `actions`'))!
    if (database.kind === 'sqlite') {
      const plan: { detail: string }[] = await database.knex.raw(`EXPLAIN QUERY PLAN ${sql}`, bindings)
      return { rows, plan: plan.map(({ detail }) => detail).join('\n') }
    }
    const [[explained]] = (await database.knex.raw(`EXPLAIN FORMAT=JSON ${sql}`, bindings)) as [[{ EXPLAIN: string }]]
    return { rows, plan: JSON.stringify(JSON.parse(explained.EXPLAIN)) }
  }
})
