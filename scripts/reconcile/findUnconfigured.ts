import type { Address } from 'viem'
import { sum } from '../../server/domain/bigints.js'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import type { Books } from './compareVaults.js'

/**
 * What the ledger says of a token that the chains file does not name, in its smallest
 * unit: no vault is compared with it.
 */
export type NotLookedAt = { chainId: number; token: Address; recorded: bigint; paid: bigint; owed: bigint }

/** Of what nothing has moved, and nothing is owed, nothing is to be looked at. */
export function findUnconfigured(books: Books, chains: readonly ChainConfig[]): NotLookedAt[] {
  const configured = new Set(
    chains.flatMap(({ chainId, tokens }) => tokens.map(({ address }) => `${chainId}:${address}`)),
  )
  const places = new Set([...books.arrivals.keys(), ...books.paid.keys(), ...books.owed.keys()])
  return [...places]
    .filter((place) => !configured.has(place))
    .map((place) => {
      const [chainId, token] = place.split(':')
      const arrivals = [...(books.arrivals.get(place)?.values() ?? [])]
      const { available, reserved } = books.owed.get(place) ?? { available: 0n, reserved: 0n }
      return {
        chainId: Number(chainId),
        token: token as Address,
        recorded: sum(arrivals),
        paid: books.paid.get(place) ?? 0n,
        owed: available + reserved,
      }
    })
    .filter(({ recorded, paid, owed }) => recorded !== 0n || paid !== 0n || owed !== 0n)
}
