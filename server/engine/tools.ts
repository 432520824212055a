import type { Address, Hash } from 'viem'
import type { Logger } from 'pino'
import type { Block, Chain } from '../chain/chain.js'
import type { Signer } from '../chain/keys/signer.js'
import type { KeyedMutex } from '../concurrency/keyedMutex.js'
import type { StepErrorCode } from '../domain/errors.js'
import type { Settings } from '../domain/settings.js'
import type { Unopened } from '../domain/toldNonce.js'
import type { StepView } from '../domain/views.js'
import type { Store } from '../store/store.js'
import type { Accounts } from './steps/accounts.js'
import type { Bundles } from './steps/bundles.js'
import type { createUnknownTransactions } from './outcomes/unknownTransactions.js'
import type { LateSimulations } from './steps/lateSimulations.js'
import type { SeldomLog } from './seldomLog.js'
import type { LanesChecked } from './lanes/lanesChecked.js'
import type { GasBalances } from './lanes/gasBalances.js'
import type { SendWindow } from './lanes/sendWindow.js'
import type { Tips } from './lanes/tips.js'

/** Encoding for and decoding from the chain: the pure functions of `chain/`, handed in by compose. */
type Codec = typeof import('../chain/bundles.js') &
  typeof import('../chain/contracts.js') &
  typeof import('../chain/failure.js') &
  typeof import('../chain/fees.js') &
  typeof import('../chain/gas.js') &
  typeof import('../chain/transfers.js') &
  typeof import('../chain/verifyPayment.js')

/** The kinds of rows that become due. */
export type QueueName = 'steps' | 'deposits' | 'airdrops'

/** When a signer gave no signature, in unix ms, and why. */
type SignerFault = { at: number; reason: string }

/** What the engine is given. */
export type EngineGiven = {
  store: Store
  settings: Settings
  /** By chain id. */
  chains: Map<number, Chain>
  codec: Codec
  /** Operators, by address; each has a lane on every chain. */
  signers: Map<Address, Signer>
  /** Why an operator's last signature failed; no entry where it went well, or none was asked for. */
  signerFaults: Map<Address, SignerFault>
  /** Keys that have no lane on a chain yet, by chain id, as of the last attempt to open them. */
  unopenedLanes: Map<number, ReadonlyMap<Address, Unopened>>
  log: Logger
  /** Unix milliseconds. */
  now: () => number
  /** Whether an error only says that the database or a chain is away for now. */
  isOutage: (error: unknown) => boolean
  /** Whether an error says that nodes took too long to answer, as they may again. */
  isLate: (error: unknown) => boolean
  /**
   * Tells those of this process who wait for a topic (`domain/topics.ts`) that it has changed; `steps`: the steps that
   * have, as they are stored now.
   */
  changed: (topic: string, steps?: readonly StepView[]) => void
  /** Counts a step that has come to its end; `code` says why it failed. */
  countStep: (chainId: number, status: string, code?: StepErrorCode) => void
  /** Counts a transaction that has been signed and stored, by how many steps it carries. */
  observeTransaction: (chainId: number, steps: number) => void
  /** Counts what a reorganisation deeper than the confirmations has undone. */
  countReorganised: (chainId: number, kind: string) => void
}

/** What every part of the engine works with. */
export type EngineTools = EngineGiven & {
  /** Sends steps that are ready, several in one transaction where they come together. */
  bundles: Bundles
  /** Users' accounts, each of which one step at a time has. */
  accounts: Accounts
  /** Steps whose simulations nodes don't finish in time. */
  lateSimulations: LateSimulations
  /** Transactions that clients have named and no node knows. */
  unknownTransactions: ReturnType<typeof createUnknownTransactions>
  /** Tells the log of what shows at every look. */
  tellSeldom: SeldomLog
  /** Has each lane record one transaction at a time. */
  laneMutex: KeyedMutex
  /** How many unmined transactions of a lane the nodes are to have at once. */
  sendWindow: SendWindow
  /** The tip that recent blocks have asked for. */
  tips: Tips
  /** What the operators hold of each chain's native currency, of which they pay gas. */
  gasBalances: GasBalances
  /** The newest head that was seen of each chain. */
  heads: Map<number, Block>
  /** The chains whose lanes were checked since the start; nothing is signed on a chain before. */
  lanesChecked: LanesChecked
  /** Operators that a chain's vault does not know, by chain id, as of when it was last asked. */
  refusedOperators: Map<number, ReadonlySet<Address>>
  /** Has a kind of row looked at at once; without a kind, all rows. */
  wake: (kind?: QueueName) => void
  /** Tells the watcher of a chain what was sent. */
  look: (chainId: number, sent: Hash) => void
}
