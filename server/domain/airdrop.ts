import type { Address, Hash } from 'viem'

/** A wallet's airdrop of one token; each round is paid once. */
export type AirdropKey = { chainId: number; token: Address; wallet: Address }

export type Airdrop = AirdropKey & {
  /** 1 for the first, one more for each that follows. */
  round: number
  /** In the token's smallest unit. */
  amount: bigint
  status: 'executing' | 'success' | 'error'
  /** Null until it is signed. */
  transactionHash: Hash | null
  /** Why it failed; null unless it did. */
  message: string | null
  /** Unix milliseconds. */
  askedAt: number
}
