import type { Address, Hash, PrivateKeyAccount } from 'viem'
import type { ChainBatch, TokenTransfer } from '../../../sdk/src/signing.js'
import type { ErrorCode, Status, StepErrorCode } from '../../../server/api/generated/types.gen.js'
import { randomOf } from '../../support/random.js'
import { authorization, signedIntent, transferData } from '../../support/wallets.js'
import { addressOf, load, type LoadWorld, units, usdOf, userOf } from './loadWorld.js'

export type ChainIndex = 0 | 1

/** How a step may end; one of them. `created`: refused when it was asked for. */
export type End = { status: Status; code?: StepErrorCode }

export type PlannedStep = {
  intentIndex: number
  stepIndex: number
  /** What it is asked for with. */
  order?: object
  ends: End[]
  /** Asking for it may be refused so. */
  refusal?: ErrorCode
}

export type Payout = { chainIndex: ChainIndex; recipient: Address; amount: bigint }

/** An action, what its client does with it, and what has to come of it. */
export type Plan = {
  name: string
  shape: string
  user: PrivateKeyAccount
  /** What is posted to /actions. */
  action: { user: Address; intents: unknown[]; chainAuthorizations?: unknown[] }
  /** What is posted to /coredeposit before. */
  deposit: object | null
  /** In the order in which they are asked for. */
  steps: PlannedStep[]
  /** Fresh recipients and what each gets in all. */
  payouts: Payout[]
  /** What of it leaves the vaults. */
  paid: [bigint, bigint]
}

/**
 * What a plan needs before it is made: tokens of its user, by chain, and a payment of his
 * own into the vault of the first.
 */
export type Draft = {
  name: string
  shape: string
  user: PrivateKeyAccount
  cents: [number, number]
  payment: bigint | null
  finish(payment: Hash | null): Promise<Omit<Plan, 'name' | 'shape' | 'user'>>
}

type Batch = ChainBatch
export type Made = Partial<Pick<Plan, 'deposit' | 'payouts' | 'paid'>> & Pick<Plan, 'action' | 'steps'>
export type Shape = (to: Scene) => {
  cents?: [number, number]
  payment?: bigint
  make(payment: Hash | null): Promise<Made>
}
export type Scene = ReturnType<typeof sceneOf>

export const success: End[] = [{ status: 'success' }]
export const reverted: End[] = [{ status: 'reverted', code: 'execution_reverted' }]

/** One user has as many actions as all of these in a hundred. */
const busyShare = 0.15

/** What a shape is made of: who, where, and calls and transfers whose effects can be told from all others. */
export function sceneOf(world: LoadWorld, name: string, index: number) {
  const random = randomOf(load.seed, name)
  const busy = random.chance(busyShare)
  const shared = userOf(busy ? 'busy' : `user-${random.below(load.users)}`)
  const own = userOf(name)
  const chainIndex = random.below(2) as ChainIndex
  const usd = (at: ChainIndex) => usdOf(world, at)
  const chainId = (at: ChainIndex) => world.chains[at].chainId
  const vault = (at: ChainIndex) => world.chains[at].vault
  let recipients = 0
  const fresh = (at: ChainIndex, cents: number): Payout => ({
    chainIndex: at,
    recipient: addressOf(`${name}-${recipients++}`),
    amount: units(world, at, cents),
  })
  /** Whose own transactions are no hindrance to anybody's authorizations. */
  const userFor = (pays: boolean) => (pays ? own : shared)
  const pass = ({ chainIndex: at, recipient, amount }: Payout) => ({
    to: usd(at),
    value: 0n,
    data: transferData(recipient, amount),
  })
  const fromSolver = ({ chainIndex: at, recipient, amount }: Payout): TokenTransfer => ({
    from: 'solver',
    to: recipient,
    token: usd(at),
    amount,
  })
  const batch = (at: ChainIndex, calls: Batch['calls'], tokenTransfers: TokenTransfer[] = []): Batch => ({
    chainId: chainId(at),
    tokenTransfers,
    calls,
  })
  const signatureType = random.pick(['eip712', 'ecdsa'] as const)
  /** Distinct for each intent, as the same calls under the same times would be the same intent. */
  const sign = (user: PrivateKeyAccount, batches: Batch[], options: Parameters<typeof signedIntent>[2] = {}) =>
    signedIntent(user, batches, { signatureType, nbf: 1 + index, ...options })
  const allow = (user: PrivateKeyAccount, nonce = 0) =>
    Promise.all(world.chains.map((chain) => authorization(user, chain, nonce)))
  /** One signed intent by the shared user, and all its steps. */
  const signed = async (batches: Batch[], ends: End[][] = batches.map(() => success), options = {}) => ({
    action: {
      user: shared.address,
      chainAuthorizations: await allow(shared),
      intents: [await sign(shared, batches, options)],
    },
    steps: ends.map((possible, stepIndex) => ({ intentIndex: 0, stepIndex, ends: possible })),
  })
  /** Of the user himself, who authorizes nothing. */
  const ownAction = async (...intents: ReturnType<typeof sign>[]) => ({
    user: own.address,
    chainAuthorizations: [],
    intents: await Promise.all(intents),
  })
  /** By the user himself, of what he has paid with his own transaction on the first chain. */
  const depositOf = (txHash: Hash | null, amount: bigint) => ({
    ...{ user: own.address, sender: own.address, txHash, tokenAddress: usd(0), chainId: chainId(0) },
    amount: amount.toString(),
  })
  return {
    world,
    name,
    random,
    shared,
    own,
    chainIndex,
    usd,
    chainId,
    vault,
    fresh,
    userFor,
    pass,
    fromSolver,
    batch,
    sign,
    allow,
    signed,
    ownAction,
    depositOf,
    units: (at: ChainIndex, cents: number) => units(world, at, cents),
  }
}

export function inCents(at: ChainIndex, cents: number): [number, number] {
  return at === 0 ? [cents, 0] : [0, cents]
}
