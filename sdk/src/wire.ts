import { IntentApiError, IntentConnectionError } from './errors.js'
import { type Client, createClient, createConfig } from './generated/client/index.js'
import * as operations from './generated/sdk.gen.js'
import type * as Wire from './generated/types.gen.js'
import type { OpenEvents } from './followEvents.js'
import { openEvents } from './openEvents.js'
import { createFetch, retryAfterMs } from './transport.js'
import type { Look } from './watchAction.js'

/**
 * The one file that touches the generated code: calls by operation, in the types of the JSON, where amounts are
 * strings of digits.
 */

export type { Wire }
export type {
  Action,
  ActionCreated,
  ActionPage,
  ErrorCode,
  Intent,
  Issue,
  IssueCode,
  Mode,
  Status,
  Step,
  StepError,
  StepErrorCode,
  VenueTxHash,
} from './generated/types.gen.js'

export type ClientOptions = {
  /** Where the service is, such as `https://intents.example.org`. */
  baseUrl: string
  /** Another `fetch` than the platform's. */
  fetch?: typeof fetch
  /** Sent with every request. */
  headers?: Record<string, string>
  /** How long one try of a request may take, in milliseconds. 30,000 by default. */
  timeoutMs?: number
  /** How often a request that failed for a passing reason is repeated. 2 by default. */
  retries?: number
}

/** What every call takes besides what it is about. */
export type CallOptions = {
  /** Ends the call, which then rejects with the signal's reason. What was asked for may still happen. */
  signal?: AbortSignal
  /** Instead of the client's, for this call. */
  timeoutMs?: number
  /** Instead of the client's, for this call. */
  retries?: number
}

/** A step's place. Every `Step` is one. */
export type StepRef = Pick<Wire.Step, 'actionId' | 'intentIndex' | 'stepIndex'>

const defaultTimeoutMs = 30_000
const defaultRetries = 2
/** How long the service holds a step's request open when it is told nothing. */
const defaultWaitSeconds = 20
/** An event stream begins at once, or something on the way holds it back. */
const longestConnectMs = 10_000

type Answer<T> =
  | { data: T; error: undefined; response: Response }
  | { data: undefined; error: unknown; response: Response | undefined }
type Common = { client: Client; fetch: typeof fetch }

export type WireClient = ReturnType<typeof createWireClient>

export function createWireClient(options: ClientOptions) {
  const client = createClient(
    createConfig({
      baseUrl: options.baseUrl.replace(/\/+$/, ''),
      headers: options.headers ?? {},
      parseAs: 'json',
    }),
  )

  const fetchOf = () => options.fetch ?? globalThis.fetch.bind(globalThis)
  const timeoutOf = (how: CallOptions) => how.timeoutMs ?? options.timeoutMs ?? defaultTimeoutMs

  async function call<T>(
    { signal, timeoutMs, retries }: CallOptions,
    operation: (common: Common) => Promise<Answer<T>>,
    repeat: 'always' | 'refused' = 'always',
  ): Promise<{ data: T; response: Response }> {
    const transport = createFetch({
      fetch: fetchOf(),
      timeoutMs: timeoutOf({ timeoutMs }),
      retries: retries ?? options.retries ?? defaultRetries,
      repeat,
      signal,
    })
    const answer = await operation({ client, fetch: transport }).catch((error: unknown) => {
      // The body is parsed out of the transport's sight.
      if (error instanceof SyntaxError) throw new IntentConnectionError('The answer is not JSON.', error)
      throw error
    })
    if (answer.response === undefined) throw answer.error
    if (answer.error === undefined) return { data: answer.data as T, response: answer.response }
    throw refusal(answer.response, answer.error)
  }

  /** A resource, unless it is as it was at the ETag. */
  async function look<T>(
    etag: string | null,
    how: CallOptions,
    operation: (common: Common & { headers: { 'If-None-Match'?: string } }) => Promise<Answer<T>>,
  ): Promise<Look<T> | null> {
    try {
      const headers = etag === null ? {} : { 'If-None-Match': etag }
      const { data, response } = await call(how, (common) => operation({ ...common, headers }))
      return { data, etag: response.headers.get('etag') }
    } catch (error) {
      if (error instanceof IntentApiError && error.status === 304) return null
      throw error
    }
  }

  return {
    createAction: (body: Wire.ActionRequest, idempotencyKey: string, how: CallOptions) =>
      call(how, (common) =>
        operations.createAction({ ...common, body, headers: { 'Idempotency-Key': idempotencyKey } }),
      ),
    listActions: (query: Wire.ListActionsData['query'], how: CallOptions) =>
      call(how, (common) => operations.listActions({ ...common, query })),
    getAction: (actionId: string, how: CallOptions) =>
      call(how, (common) => operations.getAction({ ...common, path: { actionId } })),
    lookAtAction: (actionId: string, etag: string | null, how: CallOptions) =>
      look(etag, how, (common) => operations.getAction({ ...common, path: { actionId } })),
    lookAtStep: ({ actionId, intentIndex, stepIndex }: StepRef, etag: string | null, how: CallOptions) =>
      look(etag, how, (common) => operations.getStep({ ...common, path: { actionId, intentIndex, stepIndex } })),
    openEvents: (actionId: string, { lastEventId, signal }: Parameters<OpenEvents>[1]) =>
      openEvents(
        (reader) =>
          operations.streamActionEvents({
            ...reader,
            client,
            path: { actionId },
            headers: {
              Accept: 'text/event-stream',
              ...(lastEventId !== null && { 'Last-Event-ID': lastEventId }),
            } as Wire.StreamActionEventsData['headers'],
          }),
        async (response) => refusal(response, await response.json().catch(() => null)),
        { fetch: fetchOf(), signal, timeoutMs: Math.min(timeoutOf({}), longestConnectMs) },
      ),
    getIntent: (path: Wire.GetIntentData['path'], how: CallOptions) =>
      call(how, (common) => operations.getIntent({ ...common, path })),
    getStep: (path: StepRef, how: CallOptions) => call(how, (common) => operations.getStep({ ...common, path })),
    executeStep: (path: StepRef, body: Wire.StepRequest, waitSeconds: number | undefined, how: CallOptions) =>
      call({ ...how, timeoutMs: timeoutOf(how) + (waitSeconds ?? defaultWaitSeconds) * 1000 }, (common) =>
        operations.executeStep({
          ...common,
          path,
          body,
          ...(waitSeconds !== undefined && { headers: { Prefer: `wait=${waitSeconds}` } }),
        }),
      ),
    recordVenueTxHash: (body: Wire.VenueTxHashRequest, how: CallOptions) =>
      call(how, (common) => operations.recordVenueTxHash({ ...common, body })),
    queryVenueTxHashes: (query: Wire.QueryVenueTxHashesData['query'], how: CallOptions) =>
      call(how, (common) => operations.queryVenueTxHashes({ ...common, query })),
    verifyVenueTxHash: (txHash: Wire.Hash, query: Wire.VerifyVenueTxHashData['query'], how: CallOptions) =>
      call(how, (common) => operations.verifyVenueTxHash({ ...common, path: { txHash }, query })),
    recordDeposit: (body: Wire.DepositRequest, how: CallOptions) =>
      call(how, (common) => operations.recordDeposit({ ...common, body })),
    getBalances: (address: Wire.Address, how: CallOptions) =>
      call(how, (common) => operations.getBalances({ ...common, path: { address } })),
    // Repeated after a lost answer it would be refused as a second one.
    requestAirdrop: (path: Wire.RequestAirdropData['path'], body: Wire.AirdropRequest, how: CallOptions) =>
      call(how, (common) => operations.requestAirdrop({ ...common, path, body }), 'refused'),
    listChains: (how: CallOptions) => call(how, (common) => operations.listChains(common)),
    /** The report comes with 503 too, so that status is an answer here. */
    async getHealth(how: CallOptions): Promise<Wire.HealthReport> {
      let down: Wire.HealthReport | null = null
      const { data } = await call({ ...how, retries: 0 }, async (common) => {
        const answer = await operations.getHealth(common)
        if (answer.error && 'data' in answer.error && answer.error.data) down = answer.error.data
        return answer
      }).catch((error: unknown) => {
        if (down) return { data: { data: down } }
        throw error
      })
      return data.data
    },
    submitTransaction: (body: Wire.LegacyTransactionRequest, how: CallOptions) =>
      call(how, (common) => operations.submitTransaction({ ...common, body })),
    getLegacyStepStatus: (path: Wire.GetLegacyStepStatusData['path'], how: CallOptions) =>
      call(how, (common) => operations.getLegacyStepStatus({ ...common, path })),
  }
}

function refusal(response: Response, body: unknown): IntentApiError {
  const { status, headers } = response
  return new IntentApiError({
    status,
    body,
    requestId: headers.get('x-request-id'),
    retryAfterMs: retryAfterMs(headers),
  })
}
