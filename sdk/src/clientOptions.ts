import type { Address, Hash, Hex } from 'viem'
import type { Expectation } from './pins.js'
import type { CallOptions, ClientOptions, Status } from './wire.js'

export type ExecuteOptions = CallOptions & {
  /** For a step that the user pays: the transaction that he sent on the step's chain. */
  hash?: Hash | undefined
  /** The user's registration of that transaction, see `signRegistration`. */
  signature?: Hex | undefined
  /**
   * How long the service holds the request open for the step to end, in seconds, of which a part counts as a whole one
   * and more than 60 as 60. By default 20, or not at all where the step is under way already.
   */
  waitSeconds?: number | undefined
}

/** Which actions `listActions` gives. */
export type ActionFilter = {
  user?: Address | undefined
  status?: Status | undefined
  /** Those with a step that this transaction carries, or that it pays. */
  transactionHash?: Hash | undefined
}

export type IntentClientOptions = ClientOptions & {
  /**
   * The contracts that you trust. What `send` and `sendOnDemand` find to differ they refuse before anything is signed.
   */
  expect?: Expectation | undefined
}
