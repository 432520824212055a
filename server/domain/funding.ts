import { type Address, getAddress } from 'viem'

/** Unspent credit of a user: what arrived in the vault for him and is not reserved. */
export type OpenCredit = {
  creditId: number
  chainId: number
  token: Address
  /** Of the credit's own token. */
  decimals: number
  /** In the credit token's smallest unit. */
  available: bigint
  actionId: string | null
}

/** What a solver transfer needs, in the paid token's smallest unit. */
export type FundingNeed = {
  amount: bigint
  decimals: number
  /** Hundredths of a percent on top of `amount`, kept by the solver. */
  feeBps: number
}

export type Draw = { creditId: number; /** In the credit token's smallest unit. */ amount: bigint }

type FundingPlan =
  | { outcome: 'funded'; draws: Draw[] }
  | {
      outcome: 'insufficient'
      /** In the paid token's smallest unit, fee included. */ required: bigint
      available: bigint
    }

/** What a solver transfer lacks. Amounts are in the paid token's smallest unit, `required` with the fee. */
export type CreditLack = {
  token: Address
  required: bigint
  available: bigint
  /** Whether the intent is, so that any credit of the user's would do. */
  signed: boolean
}

/** Tells a user that his credit does not suffice, and which of it counts. */
export function creditLacks({ token, required, available, signed }: CreditLack): string {
  const needs = `A solver transfer needs a credit of ${required} of ${getAddress(token)} in its smallest unit; `
  if (signed) return `${needs}${available} of the user's is left for it.`
  return `${needs}${available} of what was paid in this action is left for it. Other credit pays in signed intents only.`
}

/**
 * On how many credits the solver transfers of a step draw at most. Each payment to the vault is one credit, and one
 * call may make a thousand small payments; while a step draws on them, other steps wait.
 */
export const mostDraws = 1_000

/**
 * Takes what is needed from credits of one token group: in the given order, or, where that would take more than
 * `most` of them, from the largest. Tokens of a group have equal worth; amounts are compared at the finest
 * decimals among them, and whatever does not divide is rounded in the solver's favour: up where credit is taken,
 * down where the user is told what he has.
 */
export function planFunding(need: FundingNeed, credits: readonly OpenCredit[], most = mostDraws): FundingPlan {
  const finest = credits.reduce((digits, { decimals }) => Math.max(digits, decimals), need.decimals)
  const unit = (decimals: number) => 10n ** BigInt(finest - decimals)
  const worth = (credit: OpenCredit) => credit.available * unit(credit.decimals)
  const withFee = ceilDivide(need.amount * BigInt(10_000 + need.feeBps), 10_000n)
  const some = credits.filter(({ available }) => available > 0n)

  const drawn = (from: readonly OpenCredit[]): Draw[] | null => {
    let open = withFee * unit(need.decimals)
    const draws: Draw[] = []
    for (const credit of from) {
      if (open <= 0n) break
      const wanted = ceilDivide(open, unit(credit.decimals))
      const amount = wanted < credit.available ? wanted : credit.available
      draws.push({ creditId: credit.creditId, amount })
      open -= amount * unit(credit.decimals)
    }
    return open <= 0n ? draws : null
  }
  const inOrder = drawn(some.slice(0, most))
  if (inOrder) return { outcome: 'funded', draws: inOrder }
  const isTooMany = some.length > most
  const largest = isTooMany ? [...some].sort((a, b) => compare(worth(b), worth(a))).slice(0, most) : some
  const ofLargest = isTooMany ? drawn(largest) : null
  if (ofLargest) return { outcome: 'funded', draws: ofLargest }

  const total = largest.reduce((sum, credit) => sum + worth(credit), 0n)
  return { outcome: 'insufficient', required: withFee, available: total / unit(need.decimals) }
}

/**
 * The order in which credit is used: what was earned in the same action, then, for a signed intent,
 * the user's other credit, same chain first, then oldest first. An unsigned intent has only the first.
 */
export function orderCredits<Credit extends Pick<OpenCredit, 'creditId' | 'chainId' | 'actionId'>>(
  credits: readonly Credit[],
  spender: { actionId: string; chainId: number; signed: boolean },
): Credit[] {
  const own = (credit: Credit) => credit.actionId === spender.actionId
  return credits
    .filter((credit) => spender.signed || own(credit))
    .sort(
      (a, b) =>
        Number(own(b)) - Number(own(a)) ||
        Number(b.chainId === spender.chainId) - Number(a.chainId === spender.chainId) ||
        a.creditId - b.creditId,
    )
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : Number(a > b)
}

function ceilDivide(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by
}
