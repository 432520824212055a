import type { Address } from 'viem'
import type { ChainConfig } from './chainConfig.js'

/**
 * How many confirmations make a transaction final that moves these amounts, in each token's smallest unit: the chain's
 * own number, or more where a token asks for it from some amount on. Amounts of one token count together.
 */
export function requiredConfirmations(
  chain: Pick<ChainConfig, 'confirmations' | 'tokens'>,
  movements: readonly { token: Address; amount: bigint }[],
): number {
  const sums = new Map<Address, bigint>()
  for (const { token, amount } of movements) sums.set(token, (sums.get(token) ?? 0n) + amount)
  const asked = chain.tokens.flatMap((token) => {
    const sum = sums.get(token.address)
    return sum === undefined ? [] : token.confirmations.filter(({ amount }) => sum >= amount)
  })
  return Math.max(chain.confirmations, ...asked.map(({ confirmations }) => confirmations))
}

/** How many confirmations a transaction needs at most, whatever it moves. */
export function mostConfirmations(chain: Pick<ChainConfig, 'confirmations' | 'tokens'>): number {
  const asked = chain.tokens.flatMap((token) => token.confirmations.map(({ confirmations }) => confirmations))
  return Math.max(chain.confirmations, ...asked)
}

/** How many confirmations a block has, itself among them; 0 where a lagging node tells a head before it. */
export function depthOf(blockNumber: bigint | number, head: bigint): number {
  return Math.max(Number(head) - Number(blockNumber) + 1, 0)
}
