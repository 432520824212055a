import type { Address } from 'viem'
import type { Intent, StepRef } from '../../server/domain/action.js'
import type { SolverNeed } from '../../server/domain/solverNeeds.js'
import type { Payout } from '../../server/store/journal/bookResult.js'
import type { NewAction } from '../../server/store/actions/newActions.js'
import { aBatch, aNewAction, aSignedIntent, aTransfer, stepOf, usdOn1, usdOn2 } from '../support/builders.js'
import type { Random } from '../support/random.js'

/** The actions that users create, and what each of their steps does to the vault when it is carried out. */

export type ModelStep = {
  ref: StepRef
  /** Which action of the run, and which step of it. */
  name: string
  user: Address
  /** What the vault pays out in it. */
  pays: bigint
  /** What it brings into the vault. */
  brings: bigint
}

/** How much of open funding a user gets per day, where there is any. */
const openCapPerDay = 120n

const members = [
  { chainId: 1, token: usdOn1, decimals: 6 },
  { chainId: 2, token: usdOn2, decimals: 6 },
]

export const amounts = [50n, 100n] as const

/** What a step moves out of the vault and into it. */
type Money = Pick<ModelStep, 'pays' | 'brings'>

export function randomAction(
  random: Random,
  { user, index, now }: { user: Address; index: number; now: number },
): { entry: NewAction; steps: ModelStep[] } {
  const { intent, moves } = randomIntent(random, user)
  const entry = aNewAction({ user, intents: [intent], now })
  const steps = moves.map((money, stepIndex) => ({
    ref: stepOf(entry, 0, stepIndex),
    name: `${index}.${stepIndex}`,
    user,
    ...money,
  }))
  return { entry, steps }
}

function randomIntent(random: Random, user: Address): { intent: Intent; moves: Money[] } {
  if (random.chance(0.7)) return onDemand(random, user)
  if (random.chance(0.6)) return bringing(random, user)
  const amount = random.pick(amounts)
  return { intent: aSignedIntent([payoutBatch(user, amount)]), moves: [paying(amount)] }
}

/** A payment on chain 1, and one payout on it or two. */
function onDemand(random: Random, user: Address): { intent: Intent; moves: Money[] } {
  const amount = random.pick(amounts)
  const parts = random.chance(0.3) ? [amount / 2n, amount / 2n] : [amount]
  const payment = aBatch({ chainId: 1, tokenTransfers: [aTransfer({ from: user, token: usdOn1, amount })] })
  const payouts = parts.map((part) => payoutBatch(user, part))
  const intent: Intent = { mode: 'non-7702:on-demand', chainBatches: [payment, ...payouts] }
  return { intent, moves: [{ pays: 0n, brings: 0n }, ...parts.map(paying)] }
}

/** Signed batches that pay the vault; the second may have it pay out instead. */
function bringing(random: Random, user: Address): { intent: Intent; moves: Money[] } {
  const isLong = random.chance(0.5)
  const paysBack = random.chance(0.4)
  const first = { batch: aBatch({ chainId: 2 }), money: { pays: 0n, brings: 50n } }
  const back = { batch: payoutBatch(user, 50n), money: paying(50n) }
  const again = { batch: aBatch({ chainId: 2 }), money: { pays: 0n, brings: 50n } }
  const parts = isLong ? [first, paysBack ? back : again] : [first]
  return { intent: aSignedIntent(parts.map(({ batch }) => batch)), moves: parts.map(({ money }) => money) }
}

function payoutBatch(user: Address, amount: bigint) {
  return aBatch({ chainId: 2, tokenTransfers: [aTransfer({ to: user, amount })] })
}

function paying(amount: bigint): Money {
  return { pays: amount, brings: 0n }
}

export function needsOf({ pays }: ModelStep, hasOpenFunding: boolean): SolverNeed[] {
  if (pays === 0n) return []
  const terms = { decimals: 6, feeBps: 0, members, openCapPerDay: hasOpenFunding ? openCapPerDay : null }
  return [{ chainId: 2, token: usdOn2, amount: pays, ...terms }]
}

export function payoutsOf({ pays }: ModelStep): Payout[] {
  return pays === 0n ? [] : [{ chainId: 2, token: usdOn2, amount: pays }]
}
