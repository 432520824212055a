import type { Address } from 'viem'

/** A token that the service knows on one chain. */
export type TokenConfig = {
  /** Short name in URLs, unique on its chain: `usd`. */
  id: string
  symbol: string
  name: string
  /** Lower case; the zero address is the native currency. */
  address: Address
  /** Decimals of its smallest unit. */
  decimals: number
  /** The group of tokens of equal worth that it belongs to. Null: worth only itself. */
  group: string | null
  /** What `POST /airdrop` gives. Null: nothing. */
  airdrop: {
    /** At most, in the smallest unit; one for each wallet and period. */
    amount: bigint
    periodSeconds: number
  } | null
  /**
   * Open funding: what the solver gives a user per day without credit, in the smallest unit (test chains only). Null:
   * the solver pays only against a user's credit.
   */
  openCapPerDay: bigint | null
  /** The vault should hold this much at least, in the smallest unit; less is a finding in /health. */
  minInventory: bigint
  /** More confirmations for larger amounts than the chain asks for: from `amount` on, in the smallest unit. */
  confirmations: { amount: bigint; confirmations: number }[]
  /**
   * What the vault lets operators pay of it per day, in the smallest unit; 0 is no limit. For deploying and checking
   * only: the vault enforces its own. Undefined: whatever the vault says is right.
   */
  outflowCapPerDay?: bigint
}

/** A chain that the service works on. */
export type ChainConfig = {
  chainId: number
  name: string
  /** True where tokens are worth nothing: plain keys, airdrops and open funding are allowed only there. */
  testnet: boolean
  nativeCurrency: { name: string; symbol: string; decimals: number }
  /** Asked in this order; may hold credentials, so they are never shown. At least one. */
  rpcUrls: string[]
  /** What `GET /chains` shows. Null: none. */
  publicRpcUrl: string | null
  /** A block explorer's address without a trailing slash. Null: none. */
  explorerUrl: string | null
  /** How many blocks, the including one among them, make a transaction final. */
  confirmations: number
  /**
   * How many blocks back what has been final is still compared with the chain, to notice
   * deeper reorganisations; 0: none.
   */
  reorganisationBlocks: number
  /** How many of the nodes have to say the same of a transaction before money moves on it. */
  agreement: number
  /** Delegate contracts that users may authorize; the first is the current one. Lower case. */
  delegates: Address[]
  /** The SolverVault that pays, and that users are told to pay. Lower case. */
  vault: Address
  /**
   * Vaults that it has replaced, lower case: they pay nothing any more, but what reaches them is credit, and what they
   * have paid stays paid. Undefined: none.
   */
  formerVaults?: Address[]
  /** The first block that can hold a movement of the vault or of a former one. Undefined: it has to be looked for. */
  vaultBlock?: number
  /** Who has to own the vault, lower case. Undefined: whoever does is right. */
  vaultOwner?: Address
  /** From whom else the vault gets inventory, lower case. Undefined: nobody. */
  inventoryFrom?: Address[]
  /** How often the chain's head is asked for, in milliseconds. */
  pollIntervalMs: number
  /** The service never signs a higher fee per gas, in wei; for what carries steps see `stepFeeCap`. */
  maxFeePerGasCap: bigint
  /** The tip per gas that transactions begin with, in wei, until blocks are seen to ask for more. */
  priorityFeePerGas: bigint
  /** The highest gas limit of one step, with its authorization. Undefined: what a block has. */
  maxStepGas?: bigint
  /** After how many milliseconds without inclusion a transaction is sent again with higher fees. */
  replaceAfterMs: number
  /** The native currency is among them, at the zero address, when it belongs to a group. */
  tokens: TokenConfig[]
}

/** Whose payments to the vault are inventory. */
export function fundersOf({ vaultOwner, inventoryFrom = [] }: ChainConfig): Address[] {
  return vaultOwner === undefined ? inventoryFrom : [vaultOwner, ...inventoryFrom]
}

/** All vaults whose events and holdings count: first the one that pays, then former ones. */
export function vaultsOf({ vault, formerVaults = [] }: Pick<ChainConfig, 'vault' | 'formerVaults'>): Address[] {
  return [vault, ...formerVaults]
}

export function isVault(address: Address | null, config: Pick<ChainConfig, 'vault' | 'formerVaults'>): boolean {
  return address !== null && vaultsOf(config).includes(address)
}
