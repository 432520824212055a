import type { Address } from 'viem'
import type { ChainBatch, TokenTransfer } from './action.js'
import type { ChainConfig, TokenConfig } from './chainConfig.js'
import type { FundingNeed } from './funding.js'
import type { Settings } from './settings.js'

/** A transfer out of the vault and the tokens whose credit may fund it. */
export type SolverNeed = FundingNeed & {
  chainId: number
  token: Address
  /** The tokens of its group on every chain, itself included. */
  members: { chainId: number; token: Address; decimals: number }[]
  /** How much the solver gives a user per day without credit; null: nothing. */
  openCapPerDay: bigint | null
}

/** The transfers of a batch that the solver pays. */
export function solverTransfers(batch: ChainBatch): TokenTransfer[] {
  return batch.tokenTransfers.filter((transfer) => transfer.from === 'solver')
}

/** What the solver has paid where it has paid a batch's transfers. */
export function payoutsOf(batch: ChainBatch): { chainId: number; token: Address; amount: bigint }[] {
  return solverTransfers(batch).map(({ token, amount }) => ({ chainId: batch.chainId, token, amount }))
}

/**
 * What a batch's solver transfers take of the user's credit. A token without a group is worth only itself. Null: one of
 * the tokens, which were checked when the action was created, is gone from the configuration since.
 */
export function solverNeeds(batch: ChainBatch, settings: Settings): SolverNeed[] | null {
  const chain = settings.chains.get(batch.chainId)
  const needs: SolverNeed[] = []
  for (const transfer of solverTransfers(batch)) {
    const token = chain && findToken(chain, transfer.token)
    if (!token) return null
    needs.push({
      chainId: batch.chainId,
      token: transfer.token,
      amount: transfer.amount,
      decimals: token.decimals,
      feeBps: feeBpsOf(token, settings.groups),
      members: groupMembers(batch.chainId, token, settings),
      openCapPerDay: token.openCapPerDay,
    })
  }
  return needs
}

export function findToken(chain: ChainConfig, address: Address): TokenConfig | undefined {
  return chain.tokens.find((token) => token.address === address)
}

function groupMembers(chainId: number, token: TokenConfig, settings: Settings): SolverNeed['members'] {
  if (token.group === null) return [{ chainId, token: token.address, decimals: token.decimals }]
  return [...settings.chains.values()].flatMap((chain) =>
    chain.tokens
      .filter((member) => member.group === token.group)
      .map((member) => ({ chainId: chain.chainId, token: member.address, decimals: member.decimals })),
  )
}

/** What the solver keeps of what it pays, in hundredths of a percent. */
export function feeBpsOf({ group }: { group: string | null }, groups: Settings['groups']): number {
  return group === null ? 0 : (groups[group]?.feeBps ?? 0)
}
