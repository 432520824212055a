import type { Address, Hash, Hex } from 'viem'
import type { ChainConfig } from '../domain/chainConfig.js'
import type { SendKind } from '../domain/sendKind.js'
import type { ToldNonce } from '../domain/toldNonce.js'
import type { NodeHead } from './nodes/nodeHeads.js'
import type { OperatorRight } from './operatorRights.js'
import type { VaultLimits } from './vaultLimits.js'

/** Addresses and hashes are lower case throughout. */
export type Block = {
  number: bigint
  hash: Hash
  parentHash: Hash
  /** Unix seconds. */
  timestamp: bigint
  /** In wei; 0 where the chain has no base fee. */
  baseFeePerGas: bigint
  gasLimit: bigint
}

export type Log = { address: Address; topics: Hex[]; data: Hex; logIndex: number }

/**
 * The transaction that has logged something. Null: none among the newest blocks that are searched. `unsearched`: none
 * among the few of them that nodes let be searched.
 */
export type FoundLog = Hash | null | 'unsearched'

export type Receipt = {
  hash: Hash
  blockNumber: bigint
  blockHash: Hash
  status: 'success' | 'reverted'
  from: Address
  /** Null: the transaction created a contract. */
  to: Address | null
  gasUsed: bigint
  logs: Log[]
}

export type ChainTransaction = {
  hash: Hash
  from: Address
  to: Address | null
  value: bigint
  input: Hex
  /** Null while it is pending. */
  blockNumber: bigint | null
}

export type Account = {
  nonce: number
  /** In wei. */
  balance: bigint
  /** Whose code the account borrows (EIP-7702). Null: nobody's. */
  delegate: Address | null
  /** The account is a contract of its own. */
  hasForeignCode: boolean
}

/** A call as the service makes it: none of its transactions carries native currency of its signer's. */
export type TransactionRequest = { from: Address; to: Address; data: Hex }

export type SimulationOptions = {
  /** Lets the account borrow this delegate's code for the simulation. Null: all code stays as it is. */
  overrideDelegate: { account: Address; delegate: Address } | null
  /**
   * Whether it may share a request with others, each of which then runs on the state that those before it leave. If it
   * fails there, or can't be estimated, it is run again by itself before anything is said of it. A success may depend
   * on the others, as it may on any transaction that comes before it in a block.
   */
  inCompany: boolean
}

export type Simulation =
  | {
      outcome: 'success'
      /** With this much it has succeeded, which leaves no margin; `gasLimit` makes a limit of it. */
      gas: bigint
      /**
       * What the transaction would log, native transfers included (see `nativeLogAddress`). Null: the node can't tell.
       */
      logs: Log[] | null
    }
  | {
      outcome: 'reverted'
      /** Raw; `decodeRevert` explains it. */
      data: Hex
    }

/** What comes of a transaction that is run again. */
export type Rerun = { outcome: 'success' } | Extract<Simulation, { outcome: 'reverted' }>

/** What the nodes' answers to a raw transaction mean together. */
export type SendOutcome = {
  kind: SendKind
  /** The node's own words, without anything secret. */
  text: string
}

type BlockOptions = {
  /** The block may not be there yet, which nodes say in many ways: one is asked, and no refusal counts against it. */
  isGuess: boolean
}

/**
 * One chain as the service sees it. What is asked takes one round trip, but for searches of logs. Throws
 * `ChainUnavailable` where no node answers, unless a method says otherwise.
 */
export type Chain = {
  config: ChainConfig
  /** Never lower than another node has told a moment ago. */
  head(): Promise<Block>
  /** Null: the node has no such block (yet). */
  blockByNumber(number: bigint): Promise<Block | null>
  /** Null: the node does not have the block, or not its receipts. */
  blockReceipts(number: bigint, options?: BlockOptions): Promise<{ block: Block; receipts: Receipt[] } | null>
  receipts(hashes: readonly Hash[]): Promise<(Receipt | null)[]>
  /**
   * The same from whichever node has them, by their hashes or with their blocks: for transactions whose blocks are the
   * chain's, though the node that was asked has no receipt of them. Null: none tells one.
   */
  missingReceipts(places: readonly { hash: Hash; blockNumber: number }[]): Promise<(Receipt | null)[]>
  /**
   * Whether none of these transactions is mined or waiting to be, by every node that answers, of which there have to be
   * as many as `agreement` asks for.
   */
  areUnknown(hashes: readonly Hash[]): Promise<boolean>
  /**
   * Which of these transactions any node has a receipt of. Throws `ChainUnavailable` where fewer answer than
   * `agreement` asks for.
   */
  seenMined(hashes: readonly Hash[]): Promise<boolean[]>
  /**
   * Whether the receipt's block is the chain's, by as many nodes as `agreement` asks for, each of which has `depth`
   * blocks from that block on, itself included. If that is more than one, they have to give this very receipt too; and
   * with `transaction`, where what that says is judged, one that says the same.
   */
  isCertain(receipt: Receipt, depth: number, transaction?: ChainTransaction): Promise<boolean>
  /**
   * Whether each block is not the chain's any more: as many nodes as `agreement` asks for name another one at its
   * height. Null: too few do, but one names another one or has none (yet), so that it can't be said.
   */
  goneBlocks(blocks: readonly { number: number; hash: Hash }[]): Promise<(boolean | null)[]>
  /** Every node by itself, in the order of `rpcUrls`: its newest block, or why it tells none. */
  nodes(): Promise<NodeHead[]>
  /** Whether a node knows the transaction, mined or not. */
  knows(hash: Hash): Promise<boolean>
  /**
   * The transaction, its receipt and the head, all from one node. If the first node names a block of the transaction
   * but has no receipt, a node that has both is looked for. `asksAll`: also if the first node does not know the
   * transaction, since the chain is known to have it or it is about to be given up.
   */
  transaction(
    hash: Hash,
    options?: { asksAll: boolean },
  ): Promise<{ transaction: ChainTransaction | null; receipt: Receipt | null; head: Block }>
  /**
   * As of the latest block. A `pending` nonce counts what waits in the node's pool as well; balances and code do not,
   * since some nodes build the pending block anew for each question.
   */
  accounts(addresses: readonly Address[], nonceOf: 'latest' | 'pending'): Promise<Account[]>
  /** The nonce of each address as every node tells it, if in time; at least one does. */
  nonces(addresses: readonly Address[], nonceOf: 'latest' | 'pending'): Promise<ToldNonce[]>
  /** Of ERC-20 tokens and, at the zero address, the native currency. */
  balances(holder: Address, tokens: readonly Address[]): Promise<bigint[]>
  /**
   * What each ERC-20 token says of its decimals, by node, in the order of `rpcUrls`; null: the token says nothing that
   * is a number of them, or the node does not answer in time: while `waits`, in all the time that a read has, else a
   * moment after the first. At least one does.
   */
  decimals(tokens: readonly Address[], options?: { waits: boolean }): Promise<(number | null)[][]>
  /**
   * Whether each is a vault, by node, in the order of `rpcUrls`; null: the node does not say,
   * or not in time, as `decimals`.
   */
  areVaults(addresses: readonly Address[], options?: { waits: boolean }): Promise<(boolean | null)[][]>
  vaultLimits(tokens: readonly Address[]): Promise<VaultLimits>
  /**
   * Whether the vault, or a former one, has paid under this key, by a node that has these vaults and, with `since`,
   * this block.
   */
  isFulfilled(stepKey: Hash, since?: bigint): Promise<boolean>
  /** Which of the signers the vault lets pay; all of them where it does not say. */
  areOperators(signers: readonly Address[]): Promise<boolean[]>
  /**
   * Whether each vault, former ones too, lets one account pay, by every node: now and as of the newest block that is
   * final.
   */
  operatorRights(operator: Address): Promise<OperatorRight[]>
  /**
   * Whether the account has run this batch, by its storage as the delegate reads it, whatever code it has by now.
   * `since`: by a node that has this block.
   */
  isChainBatchProcessed(account: Address, chainBatchId: Hash, since?: bigint): Promise<boolean>
  /** The same as of the pending block. False where no node has one. */
  isChainBatchPending(account: Address, chainBatchId: Hash): Promise<boolean>
  /**
   * The transaction in which the vault paid under this key, as it is known to have: each node
   * is asked before none is found.
   */
  findFulfilment(stepKey: Hash): Promise<FoundLog>
  /**
   * The transaction in which the account's delegate ran this batch. `isThere`: it is known that it did, so that each
   * node is asked before none is found; it is taken for known by default.
   */
  findExecution(account: Address, chainBatchId: Hash, options?: { isThere: boolean }): Promise<FoundLog>
  /** What has really reached the vaults of what a block's logs say, in the order given; see `createArrivalMeter`. */
  measureArrivals(
    logged: readonly { token: Address; to: Address; amount: bigint }[],
    block: bigint,
  ): Promise<(bigint | null)[]>
  /**
   * What a transaction of an account to itself needs, which moves nothing: 21,000, or
   * more where data costs gas besides.
   */
  gasOfTransfer(account: Address): Promise<bigint>
  /** What a node suggests as a tip by what blocks have taken lately, in wei per gas. */
  suggestedTip(): Promise<bigint>
  /** At the pending block. */
  simulate(request: TransactionRequest, options: SimulationOptions): Promise<Simulation>
  /**
   * Runs a mined transaction once more on the newest block: its receipt does not say why it reverted. With all the gas
   * that the node allows, so that a transaction that had too little does not fail of that again; and without an
   * estimate, for which a node runs the same a dozen times.
   */
  rerun(request: TransactionRequest): Promise<Rerun>
  /** Hands a signed transaction to every node of the chain. Never throws. */
  send(signed: { raw: Hex; hash: Hash }): Promise<SendOutcome>
}

/** No node of the chain gave a usable answer. It tells nothing about the chain's state. */
export class ChainUnavailable extends Error {
  override readonly name = 'ChainUnavailable'

  constructor(
    readonly chainId: number,
    readonly method: string,
    /** Without addresses of nodes, which may hold credentials. */
    readonly reason: string,
    /** Whether a node has taken too long, as it may again. */
    readonly isLate = false,
  ) {
    super(`Chain ${chainId} is unavailable: ${method} failed (${reason})`)
  }
}
