import { expect } from 'chai'
import type { Database } from '../../server/store/connection/database.js'
import { createVenueTxHashStore, type VenueTxHashStore } from '../../server/store/venueTxHashes.js'
import { randomAddress, randomHash } from '../support/builders.js'
import { planOf } from '../support/queryPlans.js'
import { useStore } from './useStore.js'

describe('lookups of venue records', () => {
  let database: Database
  let store: VenueTxHashStore
  const address = randomAddress()
  const txHash = randomHash()
  const types = ['deposit', 'withdraw', 'swap']
  const venues = ['here', 'there']

  /** 120 records, the later the higher their chain's id, of which every sixth has the same labels. */
  useStore(async (fresh) => {
    database = fresh.database
    store = createVenueTxHashStore(database)
    const records = Array.from({ length: 120 }, (_, index) => ({
      address,
      tx_hash: txHash,
      action_type: types[index % 3],
      venue: venues[index % 2],
      chain_id: index,
      created_at: Math.floor(index / 10),
    }))
    await database.knex.batchInsert('venue_tx_hashes', records, 60)
  })

  const filters = {
    'any label': { actionTypes: null, venue: null, first: [119, 118, 117] },
    'a venue': { actionTypes: null, venue: 'here', first: [118, 116, 114] },
    'an action type': { actionTypes: ['deposit'], venue: null, first: [117, 114, 111] },
    'a venue and an action type': { actionTypes: ['deposit'], venue: 'there', first: [117, 111, 105] },
    'several action types': { actionTypes: ['swap', 'deposit', 'swap', 'none'], venue: null, first: [119, 117, 116] },
    'a venue and several action types': { actionTypes: ['deposit', 'swap'], venue: 'there', first: [119, 117, 113] },
  } as const

  for (const [what, { actionTypes, venue, first }] of Object.entries(filters)) {
    const labels = { venue, actionTypes: actionTypes && [...actionTypes] }

    it(`find a user’s newest with ${what}, and read none that has another`, async () => {
      const { answer, plan } = await planOf(database, 'venue_tx_hashes', () =>
        store.find({ address, ...labels, count: 3 }),
      )
      expect(answer.map(({ chainId }) => chainId)).to.deep.equal(first)
      expectInOrder(plan, 'address', labels)
    })

    if (actionTypes && actionTypes.length > 1) continue
    it(`find a hash’s newest with ${what} likewise`, async () => {
      const like = { venue, actionType: actionTypes?.[0] ?? null }
      const { answer, plan } = await planOf(database, 'venue_tx_hashes', () => store.findByHash(txHash, like))
      expect(answer?.chainId).to.equal(first[0])
      expectInOrder(plan, 'tx_hash', labels)
    })
  }

  it('find nothing of no action type, and nothing of others', async () => {
    expect(await store.find({ address, actionTypes: [], venue: null, count: 3 })).to.deep.equal([])
    expect(await store.find({ address: randomAddress(), actionTypes: types, venue: null, count: 3 })).to.deep.equal([])
    expect(await store.findByHash(randomHash(), { venue: null, actionType: null })).to.equal(null)
  })

  /**
   * That every search of the table has all that is equal before the order, so that it ends
   * after as many as are asked for.
   */
  function expectInOrder(
    plan: string,
    subject: 'address' | 'tx_hash',
    { venue, actionTypes }: { venue: string | null; actionTypes: string[] | null },
  ): void {
    const equal = [subject, ...(venue === null ? [] : ['venue']), ...(actionTypes === null ? [] : ['action_type'])]
    const searches =
      database.kind === 'sqlite'
        ? [...plan.matchAll(/^SEARCH venue_tx_hashes USING .*\((.*)\)$/gm)].map(([, terms]) =>
            terms!.split(' AND ').map((term) => term.replace('=?', '')),
          )
        : [...plan.matchAll(/"used_key_parts":(\[[^\]]*\])/g)].map(([, parts]) => JSON.parse(parts!) as string[])
    const ofEach = new Set(actionTypes ?? [null]).size
    expect(searches, plan).to.deep.equal(Array.from({ length: ofEach }, () => equal))
    expect(plan).not.to.match(/SCAN venue_tx_hashes/)
    // What was found of several types is brought in order; that is as much as is asked for of each.
    if (ofEach === 1) expect(plan).not.to.match(/filesort|TEMP B-TREE/)
  }
})
