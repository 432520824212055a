import { type Address, type Hash, keccak256, stringToHex } from 'viem'
import type { Database } from '../../server/store/connection/database.js'
import { createStore, type Store } from '../../server/store/store.js'
import { createRandom, type Random } from '../support/random.js'
import type { ModelStep } from './actions.js'
import { type Chains, createChains, type StepTransaction, type Transfer } from './chain.js'

/** What is rare and has to happen all the same, or the test would prove nothing. */
export const rareThings = [
  'a takeover',
  'a reorganisation that undid something',
  'an exposure',
  'a bundle of several steps',
  'a late transaction',
  'a payout that was adopted',
  'a payout whose batch was not run',
  'a stranger’s transaction',
  'a lost transaction that was found again',
] as const

export type RareThing = (typeof rareThings)[number]

/** A transfer or a step's transaction that somebody has reported as a deposit or a withdrawal. */
export type Report = { id: number; transfer: Transfer } | { id: number; transaction: StepTransaction; step: ModelStep }

/** One run's state: the service's store, and beside it what its users and chains have done. */
export type World = {
  database: Database
  store: Store
  random: Random
  chains: Chains
  now: number
  signer: Address
  users: readonly Address[]
  hasOpenFunding: boolean
  steps: ModelStep[]
  transfers: Transfer[]
  /** Those of the journal. */
  transactions: StepTransaction[]
  strangers: StepTransaction[]
  reports: Report[]
  met: Set<RareThing>
  /** Nothing new happens any more, and nothing comes between. */
  isEnding: boolean
  /** From where the node that is asked counts a transaction's logs: one does so through the block, the other from 0. */
  countsFrom: () => number
  nextHash: (subject: string) => Hash
  note: (text: string) => void
}

export async function createWorld(
  database: Database,
  { seed, hasOpenFunding, log }: { seed: number; hasOpenFunding: boolean; log: string[] },
): Promise<World> {
  let hashes = 0
  let asked = 0
  const nextHash = (subject: string) => keyOf(`${seed} ${subject} ${(hashes += 1)}`)
  const store = createStore(database)
  const signer: Address = `0x${'9'.repeat(40)}`
  // The same at every time of the day, since open funding is given per day.
  const now = Date.UTC(2026, 5, 1, 12)
  await store.openLane({ chainId: 2, signer, chainNonce: 0, ifLedgerIsNew: null }, now)
  return {
    database,
    store,
    random: createRandom(seed),
    chains: createChains(nextHash),
    now,
    signer,
    users: [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`],
    hasOpenFunding,
    steps: [],
    transfers: [],
    transactions: [],
    strangers: [],
    reports: [],
    met: new Set(),
    isEnding: false,
    countsFrom: () => (++asked % 2 === 0 ? 0 : 1),
    nextHash,
    note: (text) => log.push(text),
  }
}

/** The same for the same subject. */
export function keyOf(subject: string): Hash {
  return keccak256(stringToHex(subject))
}

/** One of them at random; undefined where there is none. */
export function anyOf<T>({ random }: World, items: readonly T[]): T | undefined {
  return items.length === 0 ? undefined : random.pick(items)
}

/** The journal's transactions that are open. */
export async function openTransactions({ database, transactions }: World): Promise<StepTransaction[]> {
  const rows = await database
    .knex<{ id: number; status: string }>('transactions')
    .where({ status: 'open' })
    .select('id')
  const open = new Set(rows.map(({ id }) => id))
  return transactions.filter(({ id }) => id !== null && open.has(id))
}

/**
 * What would be booked rests on a block before which another one has to be undone: the store refuses, and the engine
 * comes back later. Undefined: so it is.
 */
export async function unlessEarly<T>(booking: () => Promise<T>): Promise<T | undefined> {
  try {
    return await booking()
  } catch (error) {
    if (!String(error).includes('has not been undone')) throw error
    return undefined
  }
}
