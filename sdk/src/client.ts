import type { Address, Hash } from 'viem'
import {
  type Action,
  actionFrom,
  airdropFrom,
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
  type LegacyTransactionRequest,
  type TokenBalance,
} from './amounts.js'
import { naming } from './errors.js'
import type { ActionFilter, ExecuteOptions, IntentClientOptions } from './clientOptions.js'
import { runAction, type RunOptions } from './runAction.js'
import { checkExpectation, checkPins, type Expectation, pin, type PinnedChain } from './pins.js'
import {
  checkedChains,
  prepareAction,
  type PreparedAction,
  type PrepareOptions,
  signAction,
  type SignOptions,
} from './prepareAction.js'
import { keyOf } from './randomKey.js'
import { send, type SendOptions } from './send.js'
import { waitForStep, type WaitOptions } from './waitForStep.js'
import { type StepProgress, waitForAction, watchAction, type WatchOptions } from './watchAction.js'
import {
  type ActionCreated,
  type CallOptions,
  createWireClient,
  type Step,
  type StepRef,
  type VenueTxHash,
} from './wire.js'

export type IntentClient = ReturnType<typeof createIntentClient>

/**
 * A client of one service. Amounts are `bigint`; refusals are `IntentApiError`. Requests that failed for a passing
 * reason are repeated where that is safe.
 */
export function createIntentClient(options: IntentClientOptions) {
  const { expect } = options
  checkExpectation(expect)
  const wire = createWireClient(options)
  /** The contracts as the caller has last seen them. */
  let seen: PinnedChain[] = []
  const readChains = async (how?: CallOptions): Promise<Chain[]> =>
    (await wire.listChains(how)).data.chains.map(chainFrom)

  const ask = (
    action: 'execute' | 'register',
    step: StepRef,
    { hash, signature, waitSeconds, ...how }: ExecuteOptions = {},
  ): Promise<Step> => wire.executeStep(step, { action, hash, signature }, waitSeconds, how)

  const calls = {
    /**
     * Create an action. Checks and stores an action with one or more intents, each of its own mode. Nothing is
     * executed: ask for the steps with `POST /actions/{actionId}/intents/{intentIndex}/steps/{stepIndex}`.
     *
     * It carries an idempotency key, your own or a random one, so that it is stored once however often it is sent.
     * What it rejects with names it as `idempotencyKey`, unless it was aborted: the same call with it is the same
     * action.
     */
    async createAction(
      request: ActionRequest,
      { idempotencyKey, ...how }: CallOptions & { idempotencyKey?: string | undefined } = {},
    ): Promise<ActionCreated> {
      const key = keyOf(idempotencyKey)
      return naming({ idempotencyKey: key }, () => wire.createAction(request, key, how))
    },

    /**
     * List actions. Newest first, a page at a time. Pass `nextCursor` of one page as `cursor` to get the next; it is
     * null on the last page. Keep the filters the same from page to page. A page of large actions ends before it has
     * `limit` of them.
     */
    async listActions(
      filter: ActionFilter & { limit?: number | undefined; cursor?: string | undefined } = {},
      how?: CallOptions,
    ): Promise<ActionPage> {
      const page = await wire.listActions(filter, how)
      return { ...page, actions: page.actions.map(actionFrom) }
    },

    /**
     * Get an action. The action with its intents and their steps.
     */
    async getAction(actionId: string, how?: CallOptions): Promise<Action> {
      return actionFrom(await wire.getAction(actionId, how))
    },

    /**
     * Get an intent of an action. The intent with its steps.
     */
    async getIntent(intent: { actionId: string; intentIndex: number }, how?: CallOptions): Promise<Intent> {
      return intentFrom(await wire.getIntent(intent, how))
    },

    /**
     * Get a step of an intent. The step as it is now, with its transaction, its confirmations, and what went wrong if
     * something did.
     */
    getStep: (step: StepRef, how?: CallOptions): Promise<Step> => wire.getStep(step, how),

    /**
     * Execute a step of an intent. Asks for a step to be carried out, and waits a while for its end. The work does not
     * depend on the connection; a client may hang up and look again later.
     *
     * Resolves with the step: ended, or as it is after the wait. For a step that the user pays, `hash` names his
     * transaction; the solver's steps that follow are then carried out too. Asking again for what is under way or done
     * does no harm; a step that has failed is tried anew, as long as its `error` is `retryable`.
     *
     * Rejects with `IntentApiError`, `IntentConnectionError` or `IntentTimeoutError`; not for a step that has failed.
     */
    executeStep: (step: StepRef, how?: ExecuteOptions): Promise<Step> => ask('execute', step, how),

    /** Has the user's transaction verified as the payment of a step, and no more. */
    registerStep: (step: StepRef, how: ExecuteOptions & { hash: Hash }): Promise<Step> => ask('register', step, how),

    /**
     * Follows a step until it has ended, as `success`, `reverted` or `error`, and resolves with it. Rejects with
     * `IntentTimeoutError` after `timeoutMs`, and with `IntentApiError` where the service refuses to tell of it.
     */
    waitForStep: (step: StepRef, how?: WaitOptions): Promise<Step> => waitForStep(wire, step, how),

    /**
     * Record a venue transaction hash. Stores the record. The same record again is stored once and answered alike. The
     * transaction is not looked up on the chain.
     */
    async recordVenueTxHash(record: VenueTxHash, how?: CallOptions): Promise<void> {
      await wire.recordVenueTxHash(record, how)
    },

    /**
     * Query venue transaction hashes of a user. Up to `count` records of an address that pass the filters, newest
     * first; the first is the latest.
     *
     * `count` is 1 by default.
     */
    async findVenueTxHashes(
      query: {
        address: Address
        actionTypes?: readonly string[] | undefined
        venue?: string | undefined
        count?: number | undefined
      },
      how?: CallOptions,
    ): Promise<VenueTxHash[]> {
      // The service takes an empty list for no filter.
      const { actionTypes, ...rest } = query
      if (actionTypes?.length === 0) return []
      const all = { ...rest, actionTypes: actionTypes && [...actionTypes] }
      return (await wire.queryVenueTxHashes(all, how)).data.txHashes
    },

    /**
     * Verify a venue transaction hash. Checks that a record of this hash exists and, if given, that its `actionType`
     * and `venue` are the expected ones. Of several records that match, the newest.
     *
     * Rejects with `not_found` when there is none, or none with the expected values.
     */
    async verifyVenueTxHash(
      txHash: Hash,
      expected: { actionType?: string | undefined; venue?: string | undefined } = {},
      how?: CallOptions,
    ): Promise<VenueTxHash> {
      return (await wire.verifyVenueTxHash(txHash, expected, how)).data
    },

    /**
     * Record a deposit or a withdrawal. Verifies on the chain that the transaction moved `amount` of the token as
     * told, and records it.
     *
     * `status` tells whether it is confirmed yet. The service waits for that for up to 5 seconds; a `timeoutMs` below
     * ends the call, and not what was reported.
     */
    async recordDeposit(deposit: DepositRequest, how?: CallOptions): Promise<DepositRecord> {
      return depositFrom((await wire.recordDeposit(deposit, how)).data.record)
    },

    /**
     * Get a user's balances. What is recorded for a user, token by token, and how much of it can fund solver transfers
     * now. An address without records has an empty list.
     */
    async getBalances(address: Address, how?: CallOptions): Promise<TokenBalance[]> {
      return (await wire.getBalances(address, how)).data.tokens.map(balanceFrom)
    },

    /**
     * Request tokens on a test chain. Sends test tokens to a wallet: only on chains marked `testnet`, only tokens with
     * `airdrop` in `GET /chains`, at most the amount given there, and one for each wallet, token and period.
     *
     * `arrived` is false while the transaction is under way, for which the service waits for up to 5 seconds.
     */
    async requestAirdrop(
      airdrop: {
        chainId: number
        tokenId: string
        wallet: Address
        /** In the token's smallest unit. */
        amount?: bigint | undefined
      },
      how?: CallOptions,
    ): Promise<{ txHash: Hash | null; amount: bigint; arrived: boolean }> {
      const { chainId, tokenId, wallet, amount } = airdrop
      const { data, response } = await wire.requestAirdrop({ chainId, tokenId }, { wallet, amount }, how)
      return { txHash: data.data.txHash, amount: airdropFrom(data.data.amount), arrived: response.status === 200 }
    },

    /**
     * List the chains and tokens. The chains that the service works with, the contracts and addresses that users need
     * there, and the tokens it knows.
     *
     * Each has its `delegate`, which users authorize, and its `solver`, which users pay. Actions are then prepared for
     * these contracts, and refused when they have changed, until this is called again. Rejects with
     * `ChainMismatchError` where a chain that the client's `expect` names has others.
     */
    async getChains(how?: CallOptions): Promise<Chain[]> {
      const chains = await readChains(how)
      const pins = chains.map(pin)
      checkPins(pins, { expect })
      seen = pins
      return chains
    },

    /**
     * Health of the service. How the service and its chains are. `findings` says what an operator should look at and
     * what to do; that makes it `degraded`, which is not a failure.
     *
     * Resolves also when it is `down`, as long as it can tell.
     */
    async getHealth(how?: CallOptions): Promise<HealthReport> {
      return healthFrom(await wire.getHealth(how))
    },

    /**
     * Submit a cross-chain transaction. Legacy; use `POST /actions` and the step requests instead. Becomes an action
     * with one intent of mode `7702`, all of whose steps are asked for at once. It is signed like any `7702` intent,
     * with the defaults `ecdsa`, `nbf` 0 and `exp` 9007199254740991.
     *
     * @deprecated Use `createAction` and `executeStep`, or `send`.
     */
    async submitTransaction(
      request: LegacyTransactionRequest,
      how?: CallOptions,
    ): Promise<{ intentId: string; actionId: string }> {
      return (await wire.submitTransaction(request, how)).data
    },

    /**
     * Get the status of an intent's step. Legacy; use `GET
     * /actions/{actionId}/intents/{intentIndex}/steps/{stepIndex}` instead.
     *
     * @deprecated Use `getStep`.
     */
    async getTransactionStepStatus(
      step: { intentId: string; stepId: number },
      how?: CallOptions,
    ): Promise<Pick<Step, 'status' | 'transactionHash' | 'error'>> {
      return (await wire.getLegacyStepStatus(step, how)).data
    },
  }

  const sendCalls = {
    ...calls,
    readChains,
    seen: () => seen,
    expect,
    nodeSend: wire.nodeSend,
  }

  return {
    ...calls,

    /** All actions that `listActions` gives, for `for await`; the next page is asked for when it is needed. */
    async *allActions(filter: ActionFilter = {}, how?: CallOptions): AsyncGenerator<Action, void> {
      for (let cursor: string | undefined; ;) {
        const { actions, nextCursor } = await calls.listActions({ ...filter, cursor }, how)
        yield* actions
        if (!nextCursor) return
        cursor = nextCursor
      }
    },

    /**
     * Follows an action until it is over, and resolves with it, however it ended. Asks for nothing: `runAction` does
     * that, or whoever else carries the action out.
     */
    waitForAction: (
      actionId: string,
      how?: WatchOptions & { onProgress?: ((progress: StepProgress) => unknown) | undefined },
    ): Promise<Action> => waitForAction(wire, actionId, how),

    /**
     * The changes of an action's steps as they come, from the first on, for `for await`; ends when the action is over.
     * Listens to the service's event stream, resumes it where it broke off, and looks where there is none.
     */
    watchAction: (actionId: string, how?: WatchOptions): AsyncGenerator<StepProgress, Action> =>
      watchAction(wire, actionId, how),

    /**
     * Carries out what is left of an action, step by step, and resolves with the finished action. Rejects with
     * `StepFailedError`; call it again to go on after a failure that is `retryable`. It ends there: intents after it
     * are not asked for, though they need not wait for it; ask for their steps with `executeStep`. A step that the user
     * pays has to be registered first, with `executeStep` and the `hash` of his transaction.
     */
    runAction: (actionId: string, how?: RunOptions): Promise<Action> => runAction(sendCalls, actionId, how),

    /**
     * Signs intents of mode `7702` by the account or wallet given, together with the authorizations that it still
     * needs, creates the action, carries out its steps in order and resolves with the finished action.
     * Rejects with `StepFailedError`, `ChainMismatchError`, `CannotAuthorizeError`, or what a request is refused with.
     */
    send: (what: SendOptions): Promise<Action> => send(sendCalls, what),

    /** Refuses chains whose contracts are not those expected, or not those that `getChains` has last given. */
    checkChains: (
      chainIds: readonly number[],
      how: CallOptions & { expect?: Expectation | undefined } = {},
    ): Promise<Chain[]> => checkedChains(sendCalls, chainIds, how),

    /** What `send` would sign for these intents. Signs nothing. */
    prepareAction: (what: PrepareOptions): Promise<PreparedAction> => prepareAction(sendCalls, what),

    /**
     * Signs what was prepared, and gives the body for `createAction`. Refuses what was altered since, and delegates and
     * vaults that the service has exchanged since or that are not those expected.
     */
    signAction: (prepared: PreparedAction, how: SignOptions): Promise<ActionRequest> =>
      signAction(sendCalls, prepared, how),
  }
}
