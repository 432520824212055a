import type { Address } from 'viem'
import type { Chain } from './amounts.js'
import { ChainMismatchError, IntentError } from './errors.js'

/**
 * The contracts that the caller trusts, by chain id. Where a list is given it is the whole list: a chain that it does
 * not name is refused.
 */
export type Expectation = {
  /** Whose code the user's account borrows. */
  delegates?: Readonly<Record<number, Address>>
  /** Whom users pay: the `solver` of `getChains`. */
  vaults?: Readonly<Record<number, Address>>
}

/** The contracts of a chain as they were when an action was prepared. */
export type PinnedChain = { chainId: number; delegate: Address; vault: Address }

export function pin({ chainId, delegate, solver }: Pick<Chain, 'chainId' | 'delegate' | 'solver'>): PinnedChain {
  return { chainId, delegate, vault: solver }
}

/** The chains with these ids, pinned; refuses one that the service does not work on. */
export function pinChains(chains: readonly Chain[], chainIds: Iterable<number>): PinnedChain[] {
  return [...new Set(chainIds)].map((chainId) => {
    const chain = chains.find((candidate) => candidate.chainId === chainId)
    if (chain) return pin(chain)
    const known = chains.map((candidate) => candidate.chainId).join(', ')
    throw new IntentError(`The service does not work on chain ${chainId}; its chains are ${known}.`)
  })
}

/** Refuses contracts that are not those expected, or not those seen before. */
export function checkPins(
  chains: readonly PinnedChain[],
  { expect = {}, seen }: { expect: Expectation | undefined; seen: readonly PinnedChain[] },
): void {
  for (const chain of chains) {
    const { chainId } = chain
    const before = seen.find((candidate) => candidate.chainId === chainId)
    for (const part of ['delegate', 'vault'] as const) {
      const actual = chain[part]
      const expected = expect[`${part}s`]
      if (expected && !isSame(expected[chainId], actual)) {
        throw new ChainMismatchError({
          reason: 'unexpected',
          chainId,
          part,
          expected: expected[chainId] ?? null,
          actual,
        })
      }
      if (before && !isSame(before[part], actual)) {
        throw new ChainMismatchError({ reason: 'changed', chainId, part, expected: before[part], actual })
      }
    }
  }
}

export function isSame(a: Address | undefined, b: Address): boolean {
  return a?.toLowerCase() === b.toLowerCase()
}
