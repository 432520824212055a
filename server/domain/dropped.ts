import type { Address } from 'viem'
import { type ChainConfig, fundersOf, vaultsOf } from './chainConfig.js'

/** A vault or a token of a chain that the service works with, or has worked with, or who gives a vault its inventory. */
export type ContractOfChain = { chainId: number; kind: 'vault' | 'token' | 'funder'; address: Address }

/** `isDropped`: an earlier start has found that the chains file does not name it any more, and has allowed that. */
export type KnownContract = ContractOfChain & { isDropped: boolean }

/** What the chains file names and what is known from earlier starts, held against each other. */
export type Comparison = {
  /** To be remembered: named now, and either not known yet or known as dropped. */
  fresh: ContractOfChain[]
  /** Vaults of configured chains that are named no more. */
  forgottenVaults: ContractOfChain[]
  /** Chains that are named no more. `isTold`: an earlier start has found that. */
  goneChains: { chainId: number; isTold: boolean }[]
  /** Tokens of configured chains that are named no more, which no earlier start has found. */
  goneTokens: ContractOfChain[]
  /** All tokens that are named no more, of whichever chain. */
  unnamedTokens: ContractOfChain[]
  /** Everybody who is named as a funder, or ever was. */
  funders: ReadonlySet<Address>
}

export function compareContracts(known: readonly KnownContract[], chains: readonly ChainConfig[]): Comparison {
  const named = chains.flatMap((chain): ContractOfChain[] => {
    const { chainId } = chain
    return [
      ...vaultsOf(chain).map((address) => ({ chainId, kind: 'vault' as const, address })),
      ...chain.tokens.map(({ address }) => ({ chainId, kind: 'token' as const, address })),
      ...fundersOf(chain).map((address) => ({ chainId, kind: 'funder' as const, address })),
    ]
  })
  const namedKeys = new Set(named.map(keyOf))
  const inUse = new Set(known.filter(({ isDropped }) => !isDropped).map(keyOf))
  const unnamed = known.filter((contract) => !namedKeys.has(keyOf(contract)))
  const isConfigured = ({ chainId }: ContractOfChain) => chains.some((chain) => chain.chainId === chainId)
  const goneIds = new Set(unnamed.filter((contract) => !isConfigured(contract)).map(({ chainId }) => chainId))
  return {
    fresh: named.filter((contract) => !inUse.has(keyOf(contract))),
    forgottenVaults: unnamed.filter((contract) => contract.kind === 'vault' && isConfigured(contract)),
    goneChains: [...goneIds].map((chainId) => ({
      chainId,
      isTold: known.every((contract) => contract.chainId !== chainId || contract.isDropped),
    })),
    goneTokens: unnamed.filter(
      (contract) => contract.kind === 'token' && isConfigured(contract) && !contract.isDropped,
    ),
    unnamedTokens: unnamed.filter(({ kind }) => kind === 'token'),
    funders: new Set([...named, ...known].filter(({ kind }) => kind === 'funder').map(({ address }) => address)),
  }
}

function keyOf({ chainId, kind, address }: ContractOfChain): string {
  return `${chainId} ${kind} ${address}`
}
