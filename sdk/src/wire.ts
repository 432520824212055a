import { IntentApiError, IntentConnectionError } from './errors.js'
import * as operations from './generated/operations.gen.js'
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
  ActionCreated,
  ErrorCode,
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

type Operation<Data, Reply> = operations.Operation<Data, Reply>
/** What an operation takes; values that are undefined are left out. */
type Given<Data> = Omit<Data, 'url'>
type Parts = { path?: object; query?: object; headers?: object; body?: unknown }

export function createWireClient(options: ClientOptions) {
  const baseUrl = options.baseUrl.replace(/\/+$/, '')
  const fetchOf = () => options.fetch ?? globalThis.fetch.bind(globalThis)
  const timeoutOf = (how: CallOptions) => how.timeoutMs ?? options.timeoutMs ?? defaultTimeoutMs

  function requestOf<Data>(operation: Operation<Data, unknown>, given: Given<Data>): Request {
    const { path = {}, query = {}, headers = {}, body } = given as Parts
    const [method, route] = operation.split(' ') as [string, string]
    const values = path as Record<string, string | number>
    const place = route.replace(/{(\w+)}/g, (_, name: string) => encodeURIComponent(values[name]!))
    const search = new URLSearchParams()
    for (const [name, value] of present(query)) for (const one of [value].flat()) search.append(name, String(one))
    const all = new Headers(options.headers)
    if (body !== undefined) all.set('Content-Type', 'application/json')
    for (const [name, value] of present(headers)) all.set(name, String(value))
    const ending = search.toString()
    return new Request(baseUrl + place + (ending && `?${ending}`), {
      method,
      headers: all,
      body: body === undefined ? null : JSON.stringify(body),
    })
  }

  const transportOf = (how: CallOptions, repeat: 'always' | 'refused') =>
    createFetch({
      fetch: fetchOf(),
      timeoutMs: timeoutOf(how),
      retries: how.retries ?? options.retries ?? defaultRetries,
      repeat,
      signal: how.signal,
    })

  /** Carries out an operation of the spec; rejects with its refusal, unless `accepts` takes that for an answer. */
  async function callFully<Data, Reply>(
    operation: Operation<Data, Reply>,
    given: Given<Data>,
    { signal, timeoutMs, retries }: CallOptions = {},
    { repeat = 'always', accepts }: { repeat?: 'always' | 'refused'; accepts?: (body: unknown) => boolean } = {},
  ): Promise<{ data: Reply; response: Response }> {
    const transport = transportOf({ signal, timeoutMs, retries }, repeat)
    const response = await transport(requestOf(operation, given))
    const data: unknown = await response.json().catch((reason: unknown) => {
      if (response.ok) throw new IntentConnectionError('The answer is not JSON.', reason)
    })
    if (response.ok || accepts?.(data)) return { data: data as Reply, response }
    throw refusal(response, data)
  }

  const call = async <Data, Reply>(
    operation: Operation<Data, Reply>,
    given: Given<Data>,
    how?: CallOptions,
  ): Promise<Reply> => (await callFully(operation, given, how)).data

  /** A resource, unless it is as it was at the ETag. */
  async function look<Data, Reply>(
    operation: Operation<Data, Reply>,
    given: Given<Data>,
    etag: string | null,
    how: CallOptions,
  ): Promise<Look<Reply> | null> {
    try {
      const headers = { 'If-None-Match': etag ?? undefined }
      const { data, response } = await callFully(operation, { ...given, headers }, how)
      return { data, etag: response.headers.get('etag') }
    } catch (error) {
      if (error instanceof IntentApiError && error.status === 304) return null
      throw error
    }
  }

  return {
    /** For what is read from a chain's node: as patient as the client is with the service, without its headers. */
    nodeFetch: (signal: AbortSignal | undefined) => transportOf({ signal }, 'always'),
    createAction: (body: Wire.ActionRequest, idempotencyKey: string, how?: CallOptions) =>
      call(operations.createAction, { body, headers: { 'Idempotency-Key': idempotencyKey } }, how),
    listActions: (query: Wire.ListActionsData['query'], how?: CallOptions) =>
      call(operations.listActions, { query }, how),
    getAction: (actionId: string, how?: CallOptions) => call(operations.getAction, { path: { actionId } }, how),
    lookAtAction: (actionId: string, etag: string | null, how: CallOptions) =>
      look(operations.getAction, { path: { actionId } }, etag, how),
    lookAtStep: (path: StepRef, etag: string | null, how: CallOptions) => look(operations.getStep, { path }, etag, how),
    openEvents: (actionId: string, { lastEventId, signal }: Parameters<OpenEvents>[1]) =>
      openEvents(
        async (connection) => {
          const headers = { Accept: 'text/event-stream', 'Last-Event-ID': lastEventId ?? undefined }
          const request = requestOf(operations.streamActionEvents, { path: { actionId }, headers })
          const response = await fetchOf()(request, { signal: connection })
          if (response.ok) return response
          throw refusal(response, await response.json().catch(() => null))
        },
        { signal, timeoutMs: Math.min(timeoutOf({}), longestConnectMs) },
      ),
    getIntent: (path: { actionId: string; intentIndex: number }, how?: CallOptions) =>
      call(operations.getIntent, { path }, how),
    getStep: (path: StepRef, how?: CallOptions) => call(operations.getStep, { path }, how),
    executeStep: (path: StepRef, body: Wire.StepRequest, waitSeconds: number | undefined, how: CallOptions) =>
      call(
        operations.executeStep,
        { path, body, headers: { Prefer: waitSeconds === undefined ? undefined : `wait=${Math.ceil(waitSeconds)}` } },
        { ...how, timeoutMs: timeoutOf(how) + (waitSeconds ?? defaultWaitSeconds) * 1000 },
      ),
    recordVenueTxHash: (body: Wire.VenueTxHashRequest, how?: CallOptions) =>
      call(operations.recordVenueTxHash, { body }, how),
    queryVenueTxHashes: (query: Wire.QueryVenueTxHashesData['query'], how?: CallOptions) =>
      call(operations.queryVenueTxHashes, { query }, how),
    verifyVenueTxHash: (txHash: Wire.Hash, query: Wire.VerifyVenueTxHashData['query'], how?: CallOptions) =>
      call(operations.verifyVenueTxHash, { path: { txHash }, query }, how),
    recordDeposit: (body: Wire.DepositRequest, how?: CallOptions) => call(operations.recordDeposit, { body }, how),
    getBalances: (address: Wire.Address, how?: CallOptions) => call(operations.getBalances, { path: { address } }, how),
    // Repeated after a lost answer it would be refused as a second one.
    requestAirdrop: (path: Wire.RequestAirdropData['path'], body: Wire.AirdropRequest, how?: CallOptions) =>
      callFully(operations.requestAirdrop, { path, body }, how, { repeat: 'refused' }),
    listChains: (how?: CallOptions) => call(operations.listChains, {}, how),
    /** The report comes with 503 too, so that status is an answer here. */
    getHealth: async (how?: CallOptions) => {
      const accepts = (body: unknown) => Boolean((body as Partial<Wire.GetHealthResponse> | null | undefined)?.data)
      return (await callFully(operations.getHealth, {}, { ...how, retries: 0 }, { accepts })).data.data
    },
    submitTransaction: (body: Wire.LegacyTransactionRequest, how?: CallOptions) =>
      call(operations.submitTransaction, { body }, how),
    getLegacyStepStatus: (path: Wire.GetLegacyStepStatusData['path'], how?: CallOptions) =>
      call(operations.getLegacyStepStatus, { path }, how),
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

function present(values: object): [name: string, value: unknown][] {
  return Object.entries(values).filter(([, value]) => value !== undefined)
}
