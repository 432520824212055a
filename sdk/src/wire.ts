import { IntentApiError, IntentConnectionError, IntentError } from './errors.js'
import * as operations from './generated/operations.gen.js'
import type * as Wire from './generated/types.gen.js'
import type { OpenEvents } from './followEvents.js'
import { NoEventStreamError, openEvents } from './openEvents.js'
import { createSend, type Fetch, type Outgoing, retryAfterMs, type Send } from './transport.js'
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
  baseUrl: string | URL
  /** Another `fetch` than the platform's, for the service. It is given an address and plain values. */
  fetch?: Fetch | undefined
  /** The same for the chains' nodes, which are others' and hear nothing that is meant for the service. */
  nodeFetch?: Fetch | undefined
  /** Sent with every request to the service; a function is asked anew for each call, say for a token that expires. */
  headers?: RequestHeaders | (() => RequestHeaders | Promise<RequestHeaders>) | undefined
  /** How long one try of a request may take, in milliseconds. 30,000 by default. */
  timeoutMs?: number | undefined
  /** How often a request that failed for a passing reason is repeated. 2 by default. */
  retries?: number | undefined
}

export type RequestHeaders = Record<string, string>

/** What every call takes besides what it is about. */
export type CallOptions = {
  /** Ends the call, which then rejects with the signal's reason. What was asked for may still happen. */
  signal?: AbortSignal | undefined
  /** Instead of the client's, for this call. */
  timeoutMs?: number | undefined
  /** Instead of the client's, for this call. */
  retries?: number | undefined
}

/** A step's place. Every `Step` is one. */
export type StepRef = Pick<Wire.Step, 'actionId' | 'intentIndex' | 'stepIndex'>

const defaultTimeoutMs = 30_000
const defaultRetries = 2
/** How long the service holds a step's request open when it is told nothing. */
const defaultWaitSeconds = 20
/** The first bytes of an event stream come at once, or something on the way holds them back. */
const longestConnectMs = 5_000
/** For how long no stream is tried where there was none: each step would wait for it again. */
const withoutStreamsMs = 300_000

type Operation<Data, Reply> = operations.Operation<Data, Reply>
/** What an operation takes; values that are undefined are left out. */
type Given<Data> = Omit<Data, 'url'>
type Parts = { path?: object; query?: object; headers?: object; body?: unknown }

export function createWireClient(options: ClientOptions) {
  const baseUrl = readBaseUrl(options.baseUrl)
  const platformFetch: Fetch = (url, init) => globalThis.fetch(url, init)
  const timeoutOf = (how: CallOptions) => how.timeoutMs ?? options.timeoutMs ?? defaultTimeoutMs
  let noStreamsUntil = 0

  async function requestOf<Data>(operation: Operation<Data, unknown>, given: Given<Data>): Promise<Outgoing> {
    const { path = {}, query = {}, headers = {}, body } = given as Parts
    const [method, route] = operation.split(' ') as [string, string]
    const values = path as Record<string, string | number>
    const place = route.replace(/{(\w+)}/g, (_, name: string) => {
      const value = String(values[name] ?? '')
      // Without it the path would be another one.
      if (value === '') throw new IntentError(`${name} is missing.`)
      return encodeURIComponent(value)
    })
    const search = new URLSearchParams()
    for (const [name, value] of present(query)) for (const one of [value].flat()) search.append(name, String(one))
    const own = typeof options.headers === 'function' ? await options.headers() : options.headers
    const all = new Headers(own)
    if (body !== undefined) all.set('Content-Type', 'application/json')
    for (const [name, value] of present(headers)) all.set(name, String(value))
    const ending = search.toString()
    return {
      url: baseUrl + place + (ending && `?${ending}`),
      method,
      headers: Object.fromEntries(all),
      body: body === undefined ? null : JSON.stringify(body),
    }
  }

  const transportOf = (how: CallOptions, repeat: 'always' | 'refused', fetch = options.fetch): Send =>
    createSend({
      fetch: fetch ?? platformFetch,
      timeoutMs: timeoutOf(how),
      retries: how.retries ?? options.retries ?? defaultRetries,
      repeat,
      signal: how.signal,
    })

  /**
   * Carries out an operation of the spec; rejects with its refusal, unless `accepts` takes that for an answer. What
   * lacks the member that all its answers have is none of the service's.
   */
  async function callFully<Data, Reply>(
    operation: Operation<Data, Reply>,
    member: keyof Reply & string,
    given: Given<Data>,
    { signal, timeoutMs, retries }: CallOptions = {},
    { repeat = 'always', accepts }: { repeat?: 'always' | 'refused'; accepts?: (body: unknown) => boolean } = {},
  ): Promise<{ data: Reply; response: Response }> {
    const transport = transportOf({ signal, timeoutMs, retries }, repeat)
    const response = await transport(await requestOf(operation, given))
    const data: unknown = await response.json().catch((reason: unknown) => {
      if (response.ok) throw new IntentConnectionError('The answer is not JSON.', reason)
    })
    if (!response.ok && !accepts?.(data)) throw refusal(response, data)
    if (typeof data === 'object' && data && member in data) return { data: data as Reply, response }
    throw new IntentConnectionError(`The answer to ${operation} lacks ${member}; is this the service's address?`)
  }

  const call = async <Data, Reply>(
    operation: Operation<Data, Reply>,
    member: keyof Reply & string,
    given: Given<Data>,
    how?: CallOptions,
  ): Promise<Reply> => (await callFully(operation, member, given, how)).data

  /** A resource, unless it is as it was at the ETag. */
  async function look<Data, Reply>(
    operation: Operation<Data, Reply>,
    member: keyof Reply & string,
    given: Given<Data>,
    etag: string | null,
    how: CallOptions,
  ): Promise<Look<Reply> | null> {
    try {
      const headers = { 'If-None-Match': etag ?? undefined }
      const { data, response } = await callFully(operation, member, { ...given, headers }, how)
      return { data, etag: response.headers.get('etag') }
    } catch (error) {
      if (error instanceof IntentApiError && error.status === 304) return null
      throw error
    }
  }

  return {
    /** For what is read from a chain's node: as patient as the client is with the service, without its headers. */
    nodeSend: (signal: AbortSignal | undefined) =>
      transportOf({ signal }, 'always', options.nodeFetch ?? platformFetch),
    createAction: (body: Wire.ActionRequest, idempotencyKey: string, how?: CallOptions) =>
      call(operations.createAction, 'actionId', { body, headers: { 'Idempotency-Key': idempotencyKey } }, how),
    listActions: (query: Wire.ListActionsData['query'], how?: CallOptions) =>
      call(operations.listActions, 'actions', { query }, how),
    getAction: (actionId: string, how?: CallOptions) =>
      call(operations.getAction, 'intents', { path: { actionId } }, how),
    lookAtAction: (actionId: string, etag: string | null, how: CallOptions) =>
      look(operations.getAction, 'intents', { path: { actionId } }, etag, how),
    lookAtStep: (path: StepRef, etag: string | null, how: CallOptions) =>
      look(operations.getStep, 'status', { path }, etag, how),
    async *openEvents(actionId: string, { lastEventId, signal }: Parameters<OpenEvents>[1]) {
      if (Date.now() < noStreamsUntil) throw new NoEventStreamError()
      const connect = async (connection: AbortSignal) => {
        const headers = { Accept: 'text/event-stream', 'Last-Event-ID': lastEventId ?? undefined }
        const { url, ...init } = await requestOf(operations.streamActionEvents, { path: { actionId }, headers })
        const response = await (options.fetch ?? platformFetch)(url, { ...init, signal: connection })
        if (response.ok) return response
        throw refusal(response, await response.json().catch(() => null))
      }
      try {
        yield* openEvents(connect, { signal, timeoutMs: Math.min(timeoutOf({}), longestConnectMs) })
      } catch (error) {
        if (error instanceof NoEventStreamError) noStreamsUntil = Date.now() + withoutStreamsMs
        throw error
      }
    },
    getIntent: (path: { actionId: string; intentIndex: number }, how?: CallOptions) =>
      call(operations.getIntent, 'steps', { path }, how),
    getStep: (path: StepRef, how?: CallOptions) => call(operations.getStep, 'status', { path }, how),
    executeStep: (path: StepRef, body: Wire.StepRequest, waitSeconds: number | undefined, how: CallOptions) =>
      call(
        operations.executeStep,
        'status',
        { path, body, headers: { Prefer: waitSeconds === undefined ? undefined : `wait=${Math.ceil(waitSeconds)}` } },
        { ...how, timeoutMs: timeoutOf(how) + (waitSeconds ?? defaultWaitSeconds) * 1000 },
      ),
    recordVenueTxHash: (body: Wire.VenueTxHashRequest, how?: CallOptions) =>
      call(operations.recordVenueTxHash, 'data', { body }, how),
    queryVenueTxHashes: (query: Wire.QueryVenueTxHashesData['query'], how?: CallOptions) =>
      call(operations.queryVenueTxHashes, 'data', { query }, how),
    verifyVenueTxHash: (txHash: Wire.Hash, query: Wire.VerifyVenueTxHashData['query'], how?: CallOptions) =>
      call(operations.verifyVenueTxHash, 'data', { path: { txHash }, query }, how),
    recordDeposit: (body: Wire.DepositRequest, how?: CallOptions) =>
      call(operations.recordDeposit, 'data', { body }, how),
    getBalances: (address: Wire.Address, how?: CallOptions) =>
      call(operations.getBalances, 'data', { path: { address } }, how),
    // Repeated after a lost answer it would be refused as a second one.
    requestAirdrop: (path: Wire.RequestAirdropData['path'], body: Wire.AirdropRequest, how?: CallOptions) =>
      callFully(operations.requestAirdrop, 'data', { path, body }, how, { repeat: 'refused' }),
    listChains: (how?: CallOptions) => call(operations.listChains, 'data', {}, how),
    /** The report comes with 503 too, so that status is an answer here. */
    getHealth: async (how?: CallOptions) => {
      const accepts = (body: unknown) => Boolean((body as Partial<Wire.GetHealthResponse> | null | undefined)?.data)
      return (await callFully(operations.getHealth, 'data', {}, { ...how, retries: 0 }, { accepts })).data.data
    },
    submitTransaction: (body: Wire.LegacyTransactionRequest, how?: CallOptions) =>
      call(operations.submitTransaction, 'data', { body }, how),
    getLegacyStepStatus: (path: Wire.GetLegacyStepStatusData['path'], how?: CallOptions) =>
      call(operations.getLegacyStepStatus, 'data', { path }, how),
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

function readBaseUrl(baseUrl: unknown): string {
  const url = String(baseUrl ?? '')
  if (!/^https?:\/\//i.test(url)) {
    throw new IntentError(
      `baseUrl has to be the service's address, such as https://intents.example.org; it is ${url || 'missing'}.`,
    )
  }
  return url.replace(/\/+$/, '')
}

function present(values: object): [name: string, value: unknown][] {
  return Object.entries(values).filter(([, value]) => value !== undefined)
}
