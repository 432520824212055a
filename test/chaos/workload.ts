import { type Address, encodeFunctionData, type Hash, parseUnits, toHex } from 'viem'
import { devTokenAbi } from '../../server/chain/generated/contracts.js'
import { rpc } from '../../server/devnet/anvil.js'
import { devAccount } from '../../server/devnet/accounts.js'
import type { StepRef } from '../../server/domain/action.js'
import { authorization, onDemandIntent, signedIntent, tokenOf, transferData } from '../support/wallets.js'
import { randomOf } from '../support/random.js'
import { addressOf, seed, sendAll, type Sending, userOf, type World } from './world.js'

export type PlanKind = 'calls' | 'sponsored' | 'onDemand'

/** One step that a service is to carry out by a transaction of its own, and what has to come of it. */
export type Plan = {
  name: string
  kind: PlanKind
  /** What is posted to /actions. */
  action: unknown
  /** What is posted to /coredeposit before, if the step spends a deposit of the user's. */
  deposit: unknown
  /** The user's payment, if it has to be registered as the step before. */
  payment: Hash | null
  /** The position of the step among those of the intent. */
  stepIndex: number
  /** The fresh address that has nothing before and exactly this afterwards. */
  payout: { chainIndex: 0 | 1; recipient: Address; amount: bigint }
  /** Whether the payout leaves the vault. */
  fromVault: boolean
  /** Known once the action is accepted. */
  ref: StepRef | null
}

const kinds: readonly PlanKind[] = ['calls', 'sponsored', 'onDemand']
/** How many plans of kind `calls` each of their users has; they wait for each other at his account. */
const callsPerUser = 4

/**
 * Makes plans of both modes, with users who have what they need: tokens, deposits in the vault, payments made. All of
 * it follows from the seed and the name, past the proxies.
 */
export async function makePlans(world: World, count: number, name = 'plan'): Promise<Plan[]> {
  const drafts = Array.from({ length: count }, (_, index) => draft(`${name}-${index}`, index))
  await fundUsers(world, drafts)
  return Promise.all(drafts.map((entry) => complete(world, entry)))
}

type Draft = ReturnType<typeof draft>

function draft(name: string, index: number) {
  const random = randomOf(seed, name)
  const kind = kinds[index % kinds.length]!
  const family = name.slice(0, name.lastIndexOf('-'))
  const owner = kind === 'calls' ? `${family}-caller-${Math.floor(index / kinds.length / callsPerUser)}` : name
  return {
    name,
    kind,
    user: userOf(owner),
    /** Where a payment is made, or where the calls run. */
    from: random.below(2) as 0 | 1,
    cents: 1 + random.below(5_000),
    signatureType: random.pick(['eip712', 'ecdsa'] as const),
    index,
  }
}

async function fundUsers(world: World, drafts: readonly Draft[]): Promise<void> {
  await Promise.all(
    ([0, 1] as const).map(async (chainIndex) => {
      const chain = world.chains[chainIndex]
      const usd = tokenOf(chain, 'usd').address
      // The caller sends nothing itself, but calls may run on either chain.
      const here = drafts.filter((entry) => entry.from === chainIndex)
      const mints: Sending[] = here.map((entry) => ({
        to: usd,
        data: encodeFunctionData({
          abi: devTokenAbi,
          functionName: 'mint',
          args: [entry.user.address, units(world, chainIndex, entry.cents)],
        }),
      }))
      await Promise.all(
        here
          .filter((entry) => entry.kind !== 'calls')
          .map(({ user }) => rpc(chain.rpcUrls[0]!, 'anvil_setBalance', [user.address, toHex(parseUnits('1', 18))])),
      )
      await sendAll(chain, devAccount(0), mints)
    }),
  )
}

async function complete(world: World, entry: Draft): Promise<Plan> {
  const { name, kind, user, from, cents } = entry
  const [chain, other] = [world.chains[from], world.chains[(1 - from) as 0 | 1]]
  const usd = tokenOf(chain, 'usd').address
  const amount = units(world, from, cents)
  const common = { name, kind, deposit: null, payment: null, stepIndex: 0, ref: null }
  if (kind === 'calls') {
    const recipient = addressOf(name)
    const calls = [{ to: usd, value: 0n, data: transferData(recipient, amount) }]
    const batch = { chainId: chain.chainId, tokenTransfers: [], calls }
    return {
      ...common,
      action: {
        user: user.address,
        chainAuthorizations: [await authorization(user, chain)],
        intents: [await signedIntent(user, [batch], { signatureType: entry.signatureType, nbf: entry.index })],
      },
      payout: { chainIndex: from, recipient, amount },
      fromVault: false,
    }
  }
  const payment = { to: usd, data: transferData(chain.vault, amount) }
  const [hash] = await sendAll(chain, user, [payment])
  const target = (1 - from) as 0 | 1
  const paid = units(world, target, cents)
  const token = tokenOf(other, 'usd').address
  if (kind === 'onDemand') {
    return {
      ...common,
      action: {
        user: user.address,
        intents: [
          onDemandIntent([
            {
              chainId: chain.chainId,
              tokenTransfers: [{ from: user.address, to: chain.vault, token: usd, amount }],
            },
            {
              chainId: other.chainId,
              tokenTransfers: [{ from: 'solver', to: user.address, token, amount: paid }],
            },
          ]),
        ],
      },
      payment: hash!,
      stepIndex: 1,
      payout: { chainIndex: target, recipient: user.address, amount: paid },
      fromVault: true,
    }
  }
  const recipient = addressOf(name)
  // Something of the user's own runs with it, so that vault, account and authorization are all in one transaction.
  const calls = [{ to: token, value: 0n, data: transferData(recipient, 0n) }]
  const tokenTransfers = [{ from: 'solver' as const, to: recipient, token, amount: paid }]
  return {
    ...common,
    action: {
      user: user.address,
      chainAuthorizations: [await authorization(user, other)],
      intents: [await signedIntent(user, [{ chainId: other.chainId, tokenTransfers, calls }])],
    },
    deposit: {
      user: user.address,
      txHash: hash,
      sender: user.address,
      tokenAddress: usd,
      chainId: chain.chainId,
      amount: amount.toString(),
    },
    payout: { chainIndex: target, recipient, amount: paid },
    fromVault: true,
  }
}

/** Cents of the dollar token; its decimals differ between the chains. */
function units(world: World, chainIndex: 0 | 1, cents: number): bigint {
  return BigInt(cents) * 10n ** BigInt(tokenOf(world.chains[chainIndex], 'usd').decimals - 2)
}
