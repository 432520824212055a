import type { Database } from '../../server/store/connection/database.js'
import type { Store } from '../../server/store/store.js'
import type { Grown } from './grow.js'

/** What a look of the engine needs of the database that it looks into. */
export type Look = { database: Database; store: Store; grown: Grown; chainId: number }

const block = 10_000

/** What the engine and the health report ask the database for again and again; straight from the store. */
export const looks: Record<string, (look: Look) => Promise<unknown>> = {
  "the engine's claim, nothing due": ({ store }) => store.claimDueSteps({ limit: 10, leaseMs: 1_000 }),
  'claims of deposits and airdrops': ({ store }) =>
    Promise.all([
      store.claimDueDeposits({ limit: 10, leaseMs: 1_000 }),
      store.claimDueAirdrops({ limit: 10, leaseMs: 1_000 }),
    ]),
  'receipts of a block, by hash': ({ store, grown }) =>
    store.findOpenByHash(some(grown.seeded.flatMap(({ hash }) => hash ?? []))),
  'transactions due and mined': async ({ store, chainId }) => {
    await store.hasOpenTransactions(chainId)
    const due = await store.readDueTransactions(chainId, 100, Date.now())
    await store.readUnminedOf(due.map(({ id }) => id))
    for await (const _page of store.readMinedTransactions(chainId, { from: 0, to: block }, 100)) continue
    for await (const _page of store.readMinedPlaces(chainId, { from: 0, to: block }, 100)) continue
  },
  'lanes and their nonces': async ({ store, chainId, grown }) => {
    await store.readLanes(chainId)
    await store.countOpenOf(chainId)
    await store.lowestUnminedNonce(chainId, grown.signer)
    await store.unminedNonces(chainId, grown.signer, 65)
    await store.standsForNonce(chainId, grown.signer, 0)
    await store.readUsedUp({ chainId, signer: grown.signer, chainNonce: Number.MAX_SAFE_INTEGER })
  },
  'settled blocks near the head': ({ store, chainId }) =>
    store.readSettledBlocks(chainId, { from: block - 128, to: Number.MAX_SAFE_INTEGER }, 256),
  'what health reads': async ({ store, chainId }) => {
    await store.readDraining()
    await store.readWaiting()
    await store.readOpenExposures()
    await store.readStuck(chainId, Date.now())
    await store.readUnsettled(chainId, { since: Date.now(), block })
  },
  'an intent by its signature': ({ store, grown }) =>
    store.findIntentBySignature(some(grown.seeded.flatMap(({ signatureHash }) => signatureHash ?? []))[0]!),
  'a sweep': ({ store }) => store.sweep(Date.now()),
}

/** Twenty that follow each other, from anywhere. */
function some<T>(items: readonly T[]): T[] {
  const from = Math.floor(Math.random() * (items.length - 20))
  return items.slice(from, from + 20)
}

/** Ten steps at a time, which stay due. */
export const claim = ({ store }: Look) => store.claimDueSteps({ limit: 10, leaseMs: 0 })

/** Has the engine asked for the steps that nobody had asked for. */
export async function makeDue({ database, grown }: Look): Promise<void> {
  const open = grown.seeded.filter(({ state }) => state === 'open').map(({ actionId }) => actionId)
  await database.knex('steps').whereIn('action_id', open).update({ due_at: 1 })
}
