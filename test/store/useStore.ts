import { expect } from 'chai'
import type { Database } from '../../server/store/connection/database.js'
import { checkBalances } from '../../server/store/money/reconciliation.js'
import { createStore, type Store } from '../../server/store/store.js'
import { freshDatabase } from '../support/database.js'

/** A fresh store for every test of a `describe`; its balances have to agree with its ledger when the test is over. */
export function useStore(prepare: (fresh: { database: Database; store: Store }) => unknown): void {
  let fresh: Awaited<ReturnType<typeof freshDatabase>>

  beforeEach(async () => {
    fresh = await freshDatabase()
    await prepare({ database: fresh.database, store: createStore(fresh.database) })
  })
  afterEach(async () => {
    const faults = await checkBalances(fresh.database)
    await fresh.drop()
    expect(faults).to.deep.equal([])
  })
}
