import { randomUUID } from 'node:crypto'
import { randomAddress, randomHash } from '../../test/support/builders.js'
import type { SeededAction } from './finishAction.js'
import type { Grown } from './grow.js'
import type { Load } from './load.js'
import { createActions } from './steps.js'

/** A service on a database that has grown. */
export type GrownService = {
  grown: Grown
  url: string
  chainId: number
  /** Signed bodies of actions that it has not seen yet. */
  bodies: string[]
}

export const bodiesPerRound = { posted: 400, stepped: 100 }

type Requests = Load['requests']

const post = (path: string, bodies: readonly object[]): Requests =>
  bodies.map((body) => ({
    method: 'POST',
    path,
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  }))

/** So that a page of a list that has thousands begins somewhere else each time. */
const cursor = ({ actionId }: SeededAction) => Buffer.from(actionId).toString('base64url')

const get = (paths: readonly string[]): Requests => paths.map((path) => ({ method: 'GET', path }))

const ofEach = (path: (action: SeededAction) => string) => (grown: Grown) => get(grown.seeded.map(path))

/** Of the actions that have a transaction. */
const ofHashes = (path: (action: SeededAction) => string) => (grown: Grown) =>
  get(grown.seeded.filter(({ hash }) => hash !== null).map(path))

const ofEnded = (path: (action: SeededAction) => string) => (grown: Grown) =>
  get(grown.seeded.filter(({ state }) => state === 'ended').map(path))

/** The same over and over, for a while. */
export const reads: Record<string, (grown: Grown) => Requests> = {
  'GET step': ofEach(({ actionId }) => `/actions/${actionId}/intents/0/steps/0`),
  'GET intent': ofEach(({ actionId }) => `/actions/${actionId}/intents/0`),
  'GET action': ofEach(({ actionId }) => `/actions/${actionId}`),
  'GET events': ofEnded(({ actionId }) => `/actions/${actionId}/events`),
  'GET actions, newest': ofEach(() => '/actions'),
  'GET actions, a page': ofEach((action) => `/actions?cursor=${cursor(action)}`),
  'GET actions by user': ofEach(({ user }) => `/actions?user=${user}`),
  'GET actions by status': ofEach((action) => `/actions?status=success&cursor=${cursor(action)}`),
  'GET actions by hash': ofHashes(({ hash }) => `/actions?transactionHash=${hash}`),
  'GET actions by user, status': ofEach(({ user }) => `/actions?user=${user}&status=success`),
  'GET actions by user, hash': ofHashes(({ user, hash }) => `/actions?user=${user}&transactionHash=${hash}`),
  'GET actions by status, hash': ofHashes(({ hash }) => `/actions?status=success&transactionHash=${hash}`),
  'GET actions by all': ofHashes(
    (action) => `/actions?user=${action.user}&status=success&transactionHash=${action.hash}&cursor=${cursor(action)}`,
  ),
  'GET balances': ofEach(({ user }) => `/coredeposit/${user}`),
  'GET venue records': ofEach(({ user }) => `/venue-tx-hashes?address=${user}`),
  'GET venue records by venue': ofEach(({ user }) => `/venue-tx-hashes?address=${user}&venue=somewhere`),
  'GET venue records by type': ofEach(({ user }) => `/venue-tx-hashes?address=${user}&actionTypes=trade,deposit`),
  'GET venue record, verified': ofEach(
    ({ venueHash }) => `/venue-tx-hashes/verify/${venueHash}?actionType=trade&venue=somewhere`,
  ),
  'GET step, legacy': ofEach(({ actionId }) => `/intent/${actionId}-0/step/0/status`),
  'GET health': ofEach(() => '/health'),
  'GET readyz': ofEach(() => '/readyz'),
}

/** Each once, since the same again is only read. */
export const writes: Record<string, (service: GrownService) => Requests | Promise<Requests>> = {
  'POST action': ({ bodies }) =>
    bodies.splice(0, bodiesPerRound.posted).map((body) => ({
      method: 'POST',
      path: '/actions',
      body,
      headers: { 'content-type': 'application/json', 'idempotency-key': randomUUID() },
    })),
  'POST step, until it succeeds': async ({ url, bodies }) =>
    (await createActions(url, bodies.splice(0, bodiesPerRound.stepped))).map((path) => ({
      method: 'POST',
      path,
      headers: { prefer: 'wait=20' },
    })),
  'POST venue record': ({ chainId }) =>
    post(
      '/venue-tx-hashes',
      each(400, () => ({
        address: randomAddress(),
        txHash: randomHash(),
        actionType: 'trade',
        venue: 'somewhere',
        chainId,
      })),
    ),
  'POST airdrop, until it succeeds': ({ chainId }) =>
    post(
      `/airdrop/${chainId}/usd`,
      each(100, () => ({ wallet: randomAddress(), amount: '1' })),
    ),
}

function each<T>(count: number, make: () => T): T[] {
  return Array.from({ length: count }, make)
}
