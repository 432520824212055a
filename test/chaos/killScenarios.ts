import { randomUUID } from 'node:crypto'
import { type Address, parseUnits } from 'viem'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import type { Api, Reply } from '../support/api.js'
import { until } from '../support/until.js'
import {
  authorization,
  fund,
  newUser,
  onDemandIntent,
  sendFrom,
  signedIntent,
  tokenOf,
  transferData,
} from '../support/wallets.js'
import type { KillWorld } from './killWorld.js'

/** What a client wants, and what has to be true once it is done. */
export type Scenario = {
  action: object
  /** The steps that the client asks for, in order, with the body of each request. */
  orders: ({ hash: string } | undefined)[]
  /** Accounts that nobody else uses, and what each holds in the end. */
  holdings: { who: string; chain: ChainConfig; token: Address; holder: Address; amount: bigint }[]
  /** How many transactions of its own the service needs on each chain. */
  transactions: Map<number, number>
}

/** How far the client has got: what it had an answer to, it does not ask for again. */
export type Progress = { idempotencyKey: string; actionId: string | null; accepted: number }

export const scenarios: Record<'7702' | 'on-demand', (world: KillWorld) => Promise<Scenario>> = {
  '7702': signedOnTwoChains,
  'on-demand': paymentAndPayout,
}

export function newProgress(): Progress {
  return { idempotencyKey: randomUUID(), actionId: null, accepted: 0 }
}

/** Carries on with a scenario from where the client has got. Throws when the service goes away meanwhile. */
export async function carryOut(api: Api, scenario: Scenario, progress: Progress): Promise<void> {
  if (progress.actionId === null) {
    const created = await api.request('POST', '/actions', scenario.action, {
      'idempotency-key': progress.idempotencyKey,
    })
    progress.actionId = accepted(created, 201).body.actionId as string
  }
  const { actionId } = progress
  while (progress.accepted < scenario.orders.length) {
    const index = progress.accepted
    accepted(await api.execute(actionId, 0, index, scenario.orders[index], 0), 200, 202)
    progress.accepted++
  }
  await until(
    async () => ['success', 'reverted', 'error'].includes((await api.get(`/actions/${actionId}`)).body.status),
    `action ${actionId} to end`,
    60_000,
  )
}

function accepted(reply: Reply, ...statuses: number[]): Reply {
  if (!statuses.includes(reply.status)) throw new Error(`${reply.status}: ${JSON.stringify(reply.body)}`)
  return reply
}

/**
 * A signed intent on two chains: the user pays the vault on one, which funds what the solver gives him on the other.
 */
async function signedOnTwoChains({ chains: [a, b] }: KillWorld): Promise<Scenario> {
  const [user, friend] = [newUser(), newUser().address]
  const [usdA, usdB] = [tokenOf(a, 'usd').address, tokenOf(b, 'usd').address]
  await fund(a, user.address, { usd: parseUnits('25', 6) })
  const intent = await signedIntent(user, [
    {
      chainId: a.chainId,
      tokenTransfers: [{ from: user.address, to: a.vault, token: usdA, amount: parseUnits('25', 6) }],
      calls: [{ to: usdA, value: 0n, data: transferData(a.vault, parseUnits('25', 6)) }],
    },
    {
      chainId: b.chainId,
      tokenTransfers: [{ from: 'solver', to: user.address, token: usdB, amount: parseUnits('20', 18) }],
      calls: [{ to: usdB, value: 0n, data: transferData(friend, parseUnits('15', 18)) }],
    },
  ])
  return {
    action: {
      user: user.address,
      chainAuthorizations: [await authorization(user, a), await authorization(user, b)],
      intents: [intent],
    },
    // The second is asked for while the first is under way, and waits for it.
    orders: [undefined, undefined],
    holdings: [
      { who: 'the user on the first chain', chain: a, token: usdA, holder: user.address, amount: 0n },
      { who: 'the friend', chain: b, token: usdB, holder: friend, amount: parseUnits('15', 18) },
      { who: 'the user on the second chain', chain: b, token: usdB, holder: user.address, amount: parseUnits('5', 18) },
    ],
    transactions: new Map([
      [a.chainId, 1],
      [b.chainId, 1],
    ]),
  }
}

/** The user pays by a transaction of his own; the solver's step follows by itself. */
async function paymentAndPayout({ chains: [a, b] }: KillWorld): Promise<Scenario> {
  const user = newUser()
  const [usdA, usdB] = [tokenOf(a, 'usd').address, tokenOf(b, 'usd').address]
  await fund(a, user.address, { usd: parseUnits('5', 6), native: parseUnits('1', 18) })
  const hash = await sendFrom(a, user, { to: usdA, data: transferData(a.vault, parseUnits('5', 6)) })
  const intent = onDemandIntent([
    {
      chainId: a.chainId,
      tokenTransfers: [{ from: user.address, to: a.vault, token: usdA, amount: parseUnits('5', 6) }],
    },
    {
      chainId: b.chainId,
      tokenTransfers: [{ from: 'solver', to: user.address, token: usdB, amount: parseUnits('5', 18) }],
    },
  ])
  return {
    action: { user: user.address, intents: [intent] },
    orders: [{ hash }],
    holdings: [{ who: 'the user', chain: b, token: usdB, holder: user.address, amount: parseUnits('5', 18) }],
    transactions: new Map([[b.chainId, 1]]),
  }
}
