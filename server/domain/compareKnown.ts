import type { Address } from 'viem'
import { type ChainConfig, fundersOf, vaultsOf } from './chainConfig.js'

/**
 * A vault or a token of a chain that the service works with, or has worked with, or somebody
 * who gives a vault its inventory.
 */
export type AddressOfChain = { chainId: number; kind: 'vault' | 'token' | 'funder'; address: Address }

/** `isDropped`: an earlier start has found that the chains file does not name it any more, and has allowed that. */
export type KnownAddress = AddressOfChain & { isDropped: boolean }

/** What the chains file names and what is known from earlier starts, compared with each other. */
export type Comparison = {
  /** To be remembered: named now, and either not known yet or known as dropped. */
  fresh: AddressOfChain[]
  /** Vaults of configured chains that are named no more. */
  forgottenVaults: AddressOfChain[]
  /** Chains that are named no more. `isTold`: an earlier start has found that. */
  goneChains: { chainId: number; isTold: boolean }[]
  /** Tokens of configured chains that are named no more, which no earlier start has found. */
  goneTokens: AddressOfChain[]
  /** All tokens that are named no more, of whichever chain. */
  unnamedTokens: AddressOfChain[]
  /** Everybody who is named as a funder, or ever was. */
  funders: ReadonlySet<Address>
}

export function compareKnown(known: readonly KnownAddress[], chains: readonly ChainConfig[]): Comparison {
  const named = chains.flatMap((chain): AddressOfChain[] => {
    const { chainId } = chain
    return [
      ...vaultsOf(chain).map((address) => ({ chainId, kind: 'vault' as const, address })),
      ...chain.tokens.map(({ address }) => ({ chainId, kind: 'token' as const, address })),
      ...fundersOf(chain).map((address) => ({ chainId, kind: 'funder' as const, address })),
    ]
  })
  const namedKeys = new Set(named.map(keyOf))
  const inUse = new Set(known.filter(({ isDropped }) => !isDropped).map(keyOf))
  const unnamed = known.filter((address) => !namedKeys.has(keyOf(address)))
  const isConfigured = ({ chainId }: AddressOfChain) => chains.some((chain) => chain.chainId === chainId)
  const goneIds = new Set(unnamed.filter((address) => !isConfigured(address)).map(({ chainId }) => chainId))
  return {
    fresh: named.filter((address) => !inUse.has(keyOf(address))),
    forgottenVaults: unnamed.filter((address) => address.kind === 'vault' && isConfigured(address)),
    goneChains: [...goneIds].map((chainId) => ({
      chainId,
      isTold: known.every((address) => address.chainId !== chainId || address.isDropped),
    })),
    goneTokens: unnamed.filter((address) => address.kind === 'token' && isConfigured(address) && !address.isDropped),
    unnamedTokens: unnamed.filter(({ kind }) => kind === 'token'),
    funders: new Set([...named, ...known].filter(({ kind }) => kind === 'funder').map(({ address }) => address)),
  }
}

function keyOf({ chainId, kind, address }: AddressOfChain): string {
  return `${chainId} ${kind} ${address}`
}
