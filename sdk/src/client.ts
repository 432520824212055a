import type { Address, Hash, Hex } from 'viem'
import {
  type Action,
  actionFrom,
  type ActionPage,
  type Intent,
  intentFrom,
  type ActionRequest,
  balanceFrom,
  type Chain,
  chainFrom,
  type DepositRecord,
  depositFrom,
  type DepositRequest,
  healthFrom,
  type HealthReport,
  inDigits,
  type LegacyTransactionRequest,
  type TokenBalance,
} from './amounts.js'
import { runAction, type RunOptions } from './runAction.js'
import { type Expectation, pin, type PinnedChain } from './pins.js'
import { checkedChains, prepareAction, type PreparedAction, type PrepareOptions, signAction } from './prepareAction.js'
import { randomKey } from './randomKey.js'
import { send, type SendOptions } from './send.js'
import type { SigningAccount } from './sign.js'
import { type WaitCalls, waitForStep, type WaitOptions } from './waitForStep.js'
import { type StepProgress, waitForAction, watchAction, type WatchOptions } from './watchAction.js'
import {
  type ActionCreated,
  type CallOptions,
  type ClientOptions,
  createWireClient,
  type Status,
  type Step,
  type StepRef,
  type VenueTxHash,
} from './wire.js'

export type ExecuteOptions = CallOptions & {
  /** For a step that the user pays: the transaction that he sent on the step's chain. */
  hash?: Hash
  /** The user's registration of that transaction, see `signRegistration`. */
  signature?: Hex
  /** How long the service holds the request open for the step to end, 0 to 60 seconds. 20 by default. */
  waitSeconds?: number
}

export type IntentClientOptions = ClientOptions & {
  /** The contracts that you trust. What `send` and `sendOnDemand` find to differ they refuse before anything is signed. */
  expect?: Expectation
}

export type IntentClient = ReturnType<typeof createIntentClient>

/**
 * A client of one service. Amounts are `bigint`; refusals are `IntentApiError`. Requests that failed for a passing
 * reason are repeated where that is safe.
 */
export function createIntentClient(options: IntentClientOptions) {
  const wire = createWireClient(options)
  /** The contracts as the caller has last seen them. */
  let seen: PinnedChain[] = []
  const readChains = async (how?: CallOptions): Promise<Chain[]> =>
    (await wire.listChains(how)).data.chains.map(chainFrom)

  const ask = (
    action: 'execute' | 'register',
    step: StepRef,
    { hash, signature, waitSeconds, ...how }: ExecuteOptions,
  ): Promise<Step> => wire.executeStep(step, { action, hash, signature }, waitSeconds, how)

  const calls = {
    /**
     * Stores an action; nothing is executed yet. It carries an idempotency key, your own or a random one, so that it
     * is stored once however often it is sent.
     */
    async createAction(
      request: ActionRequest,
      { idempotencyKey = randomKey(), ...how }: CallOptions & { idempotencyKey?: string } = {},
    ): Promise<ActionCreated> {
      return wire.createAction(inDigits(request), idempotencyKey, how)
    },

    /** A page of actions, newest first. `nextCursor` of a page is the `cursor` of the next. */
    async listActions(
      filter: { user?: Address; status?: Status; transactionHash?: Hash; limit?: number; cursor?: string } = {},
      how?: CallOptions,
    ): Promise<ActionPage> {
      const page = await wire.listActions(filter, how)
      return { ...page, actions: page.actions.map(actionFrom) }
    },

    /** An action with its intents and their steps. */
    async getAction(actionId: string, how?: CallOptions): Promise<Action> {
      return actionFrom(await wire.getAction(actionId, how))
    },

    /** An intent with its steps. */
    async getIntent(intent: { actionId: string; intentIndex: number }, how?: CallOptions): Promise<Intent> {
      return intentFrom(await wire.getIntent(intent, how))
    },

    /** A step as it is now. */
    async getStep(step: StepRef, how?: CallOptions): Promise<Step> {
      return wire.getStep(step, how)
    },

    /**
     * Asks for a step to be carried out, and resolves with the step: ended, or as it is after the wait. For a step that
     * the user pays, `hash` names his transaction; the solver's steps that follow are then carried out too. Asking
     * again does no harm.
     */
    executeStep: (step: StepRef, how: ExecuteOptions = {}): Promise<Step> => ask('execute', step, how),

    /** Has the user's transaction verified as the payment of a step, and no more. */
    registerStep: (step: StepRef, how: ExecuteOptions & { hash: Hash }): Promise<Step> => ask('register', step, how),

    /** Stores a venue transaction hash. The same record is stored once. */
    async recordVenueTxHash(record: VenueTxHash, how?: CallOptions): Promise<void> {
      await wire.recordVenueTxHash(record, how)
    },

    /** Up to `count` (1 by default) venue records of an address, newest first. */
    async findVenueTxHashes(
      query: { address: Address; actionTypes?: string[]; venue?: string; count?: number },
      how?: CallOptions,
    ): Promise<VenueTxHash[]> {
      return (await wire.queryVenueTxHashes(query, how)).data.txHashes
    },

    /** The venue record of a hash. Rejects with `not_found` when there is none, or none with the expected values. */
    async verifyVenueTxHash(
      txHash: Hash,
      expected: { actionType?: string; venue?: string } = {},
      how?: CallOptions,
    ): Promise<VenueTxHash> {
      return (await wire.verifyVenueTxHash(txHash, expected, how)).data
    },

    /** Records a deposit or a withdrawal that took place on a chain; `status` tells whether it is confirmed yet. */
    async recordDeposit(deposit: DepositRequest, how?: CallOptions): Promise<DepositRecord> {
      return depositFrom((await wire.recordDeposit(inDigits(deposit), how)).data.record)
    },

    /** What is recorded for a user, token by token, and how much of it can fund solver transfers. */
    async getBalances(address: Address, how?: CallOptions): Promise<TokenBalance[]> {
      return (await wire.getBalances(address, how)).data.tokens.map(balanceFrom)
    },

    /** Asks for test tokens. `arrived` is false while the transaction is under way. */
    async requestAirdrop(
      airdrop: { chainId: number; tokenId: string; wallet: Address; amount?: bigint },
      how?: CallOptions,
    ): Promise<{ txHash: Hash | null; amount: bigint; arrived: boolean }> {
      const { chainId, tokenId, wallet, amount } = airdrop
      const body = { wallet, amount: amount?.toString() }
      const { data, response } = await wire.requestAirdrop({ chainId, tokenId }, body, how)
      return { txHash: data.data.txHash, amount: BigInt(data.data.amount), arrived: response.status === 200 }
    },

    /**
     * The chains with their delegate (which users authorize), their solver (which users pay) and their tokens. Actions
     * are then prepared for these contracts, and refused when they have changed, until this is called again.
     */
    async getChains(how?: CallOptions): Promise<Chain[]> {
      const chains = await readChains(how)
      seen = chains.map(pin)
      return chains
    },

    /** How the service is. Also when it is `down`, as long as it can tell. */
    async getHealth(how?: CallOptions): Promise<HealthReport> {
      return healthFrom(await wire.getHealth(how))
    },

    /** @deprecated Use `createAction` and `executeStep`, or `send`. */
    async submitTransaction(
      request: LegacyTransactionRequest,
      how?: CallOptions,
    ): Promise<{ intentId: string; actionId: string }> {
      return (await wire.submitTransaction(inDigits(request), how)).data
    },

    /** @deprecated Use `getStep`. */
    async getTransactionStepStatus(
      step: { intentId: string; stepId: number },
      how?: CallOptions,
    ): Promise<Pick<Step, 'status' | 'transactionHash' | 'error'>> {
      return (await wire.getLegacyStepStatus(step, how)).data
    },
  }

  const watchCalls: WaitCalls = {
    ...wire,
    async lookAtAction(actionId, etag, how) {
      const seen = await wire.lookAtAction(actionId, etag, how)
      return seen && { ...seen, data: actionFrom(seen.data) }
    },
  }
  const sendCalls = {
    ...calls,
    waitForStep: (step: StepRef, how: WaitOptions) => waitForStep(watchCalls, step, how),
    getChains: readChains,
    seen: () => seen,
    expect: options.expect,
    fetch: options.fetch ?? globalThis.fetch.bind(globalThis),
  }

  return {
    ...calls,

    /** Follows a step until it has ended, as `success`, `reverted` or `error`, and resolves with it. */
    waitForStep: (step: StepRef, how: WaitOptions = {}): Promise<Step> => waitForStep(watchCalls, step, how),

    /**
     * Follows an action until it is over, and resolves with it, however it ended. Asks for nothing: `runAction` does
     * that, or whoever else carries the action out.
     */
    waitForAction: (
      actionId: string,
      how: WatchOptions & { onProgress?: (progress: StepProgress) => void } = {},
    ): Promise<Action> => waitForAction(watchCalls, actionId, how),

    /**
     * The changes of an action's steps as they come, from the first on, for `for await`; ends when the action is over.
     * Listens to the service's event stream, resumes it where it broke off, and looks where there is none.
     */
    watchAction: (actionId: string, how: WatchOptions = {}): AsyncGenerator<StepProgress, Action> =>
      watchAction(watchCalls, actionId, how),

    /**
     * Carries out what is left of an action, step by step, and resolves with the finished action. Rejects with
     * `StepFailedError`; call it again to go on after a failure that is `retryable`. A step that the user pays has to
     * be asked for by `executeStep` first, since it needs his transaction's hash.
     */
    runAction: (actionId: string, how: RunOptions = {}): Promise<Action> => runAction(sendCalls, actionId, how),

    /**
     * Signs intents of mode `7702` with a local account, together with the authorizations that it still needs, creates
     * the action, carries out its steps in order and resolves with the finished action.
     */
    send: (what: SendOptions): Promise<Action> => send(sendCalls, what),

    /** Refuses chains whose contracts are not those expected, or not those that `getChains` has last given. */
    checkChains: (chainIds: readonly number[], how: CallOptions & { expect?: Expectation } = {}): Promise<Chain[]> =>
      checkedChains(sendCalls, chainIds, how),

    /** What `send` would sign for these intents. Signs nothing. */
    prepareAction: (what: PrepareOptions): Promise<PreparedAction> => prepareAction(sendCalls, what),

    /**
     * Signs what was prepared, and gives the body for `createAction`. Refuses what was altered since, and delegates and
     * vaults that the service has exchanged since.
     */
    signAction: (
      prepared: PreparedAction,
      how: { account: SigningAccount; signal?: AbortSignal },
    ): Promise<ActionRequest> => signAction(sendCalls, prepared, how),
  }
}
