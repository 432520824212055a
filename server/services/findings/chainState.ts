import type { Address } from 'viem'
import type { Block } from '../../chain/chain.js'
import type { VaultLimits } from '../../chain/vaultLimits.js'
import type { ChainConfig, TokenConfig } from '../../domain/chainConfig.js'
import type { Unopened } from '../../domain/toldNonce.js'
import type { Store } from '../../store/store.js'

export type HealthStatus = 'ok' | 'degraded' | 'down'

export type ChainHealth = {
  chainId: number
  status: HealthStatus
  /** Null: the chain does not answer. */
  blockNumber: number | null
  /** What the vault holds, by the token's id, in its smallest unit. Null: the chain does not answer. */
  solverBalance: Record<string, bigint> | null
  lanes: LaneHealth[]
  /** How long ago the chain was seen like this. Null: it could not be seen. */
  ageMs: number | null
}

export type LaneHealth = {
  signer: Address
  status: 'active' | 'paused'
  /** The chain's nonce is higher than the journal's: payouts on credit are held on all chains until that is seen to. */
  isAhead: boolean
  /** Paused for good. */
  isRetired: boolean
  /** Why it is paused. Null: it is not, or nobody has said. */
  reason: string | null
  /** Why its signer gave no signature when it was last asked. Null: it gave one, or the lane is paused. */
  signerFault: string | null
  nextNonce: number
  /** In wei. Null: the chain does not answer. */
  balance: bigint | null
}

/** What is known of a chain when a report is made. */
export type ChainState = {
  config: ChainConfig
  /** Null: no node answers. */
  head: Block | null
  /**
   * How many blocks each node is behind the others, in the order of `rpcUrls`. `behind` null: it gives no usable
   * answer, for the reason in `fault` if that is known.
   */
  nodes: { behind: number | null; fault: string | null }[]
  /** What the vault holds. Null: no node answers. */
  inventory: (TokenConfig & { amount: bigint })[] | null
  /** Whether the vault is paused, and its daily caps by token, in the order of `config`. Null: no node answers. */
  limits: VaultLimits | null
  lanes: LaneHealth[]
  /** Signers that the vault does not know as operators. */
  refused: Address[]
  /** Configured keys that have no lane yet. */
  unopened: ReadonlyMap<Address, Unopened>
  /** How many open transactions signers have. */
  open: ReadonlyMap<Address, number>
  /** Transactions that are not mined in time. Null: the database does not answer. */
  stuck: Awaited<ReturnType<Store['readStuck']>> | null
  /** Transactions that are final and not settled in time. Null: the database or the chain does not answer. */
  unsettled: { count: number; lowestBlock: number | null } | null
}

/**
 * Users' credit in a token that is configured no more: how many of them have some, and all of it in its smallest unit.
 */
export type UnconfiguredCredit = { chainId: number; address: Address; users: number; amount: bigint }

type FindingCode =
  | 'database_down'
  | 'database_readonly'
  | 'chain_down'
  | 'exposure_open'
  | 'lane_paused'
  | 'lane_unopened'
  | 'signer_missing'
  | 'signer_silent'
  | 'operator_refused'
  | 'vault_paused'
  | 'signer_low_on_gas'
  | 'vault_empty'
  | 'credit_unconfigured'
  | 'outflow_cap_low'
  | 'transactions_stuck'
  | 'transactions_unsettled'
  | 'steps_waiting'
  | 'node_down'
  | 'node_lagging'

/** Something that an operator should look at, and what to do about it. */
export type Finding = { code: FindingCode; chainId: number | null; message: string; remedy: string }
