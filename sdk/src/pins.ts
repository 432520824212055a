import type { Address } from 'viem'
import type { Chain } from './amounts.js'
import { asAddress, asObject } from './checkInput.js'
import { ChainMismatchError, IntentError } from './errors.js'

/**
 * The contracts that the caller trusts, by chain id. Where a list is given it is the whole list: a chain that it does
 * not name is refused.
 */
export type Expectation = {
  /** Whose code the user's account borrows. */
  delegates?: Readonly<Record<number, Address>> | undefined
  /** Whom users pay: the `solver` of `getChains`. */
  vaults?: Readonly<Record<number, Address>> | undefined
}

/** A slip in what is trusted, as in a name, would be no trust at all. */
export function checkExpectation(expect: unknown = {}): void {
  const { delegates = {}, vaults = {}, ...others } = asObject(expect, 'expect')
  for (const slip in others) throw new IntentError(`expect.${slip} is unknown.`)
  for (const chains of [delegates, vaults])
    for (const [chainId, address] of Object.entries(asObject(chains, 'expect'))) asAddress(address, `expect.${chainId}`)
}

/** The contracts of a chain as they were when an action was prepared. */
export type PinnedChain = { chainId: number; delegate: Address; vault: Address }

export function pin({ chainId, delegate, solver }: Pick<Chain, 'chainId' | 'delegate' | 'solver'>): PinnedChain {
  return { chainId, delegate, vault: solver }
}

/** The chains with these ids; refuses one that the service does not work on. */
export function findChains(chains: readonly Chain[], chainIds: readonly number[]): Chain[] {
  return [...new Set(chainIds)].map((chainId) => {
    const chain = chains.find((candidate) => candidate.chainId === chainId)
    if (chain) return chain
    const known = chains.map((candidate) => candidate.chainId).join(', ')
    throw new IntentError(`The service does not work on chain ${chainId}; its chains are ${known}.`)
  })
}

/**
 * Refuses contracts that are not those expected, or not those seen before. Without `seen` nothing is done with the
 * chains yet: those that are not named may be others than what is trusted.
 */
export function checkPins(
  chains: readonly (Partial<PinnedChain> & { chainId: number })[],
  { expect = {}, seen }: { expect?: Expectation | undefined; seen?: readonly PinnedChain[] },
): void {
  for (const { chainId, ...chain } of chains) {
    const before = seen?.find((candidate) => candidate.chainId === chainId)
    for (const part of ['delegate', 'vault'] as const) {
      const actual = chain[part]
      if (actual === undefined) continue
      const check = (reason: 'unexpected' | 'changed', expected: Address | undefined) => {
        if (!isSame(expected, actual)) {
          throw new ChainMismatchError({ reason, chainId, part, expected: expected ?? null, actual })
        }
      }
      const trusted = expect[`${part}s`]
      if (trusted && (seen || trusted[chainId])) check('unexpected', trusted[chainId])
      if (before) check('changed', before[part])
    }
  }
}

export function isSame(a: Address | undefined, b: Address): boolean {
  return a?.toLowerCase() === b.toLowerCase()
}
