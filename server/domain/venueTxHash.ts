import type { Address, Hash } from 'viem'

/** Ties a user's transaction to what the user did by it, at which venue. */
export type VenueTxHash = { address: Address; txHash: Hash; actionType: string; venue: string; chainId: number }

/** Which records of an address are asked for, and how many at most. Null: whatever they say there. */
export type VenueTxHashQuery = {
  address: Address
  actionTypes: string[] | null
  venue: string | null
  count: number
}
