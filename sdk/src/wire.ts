import { type ActionRequest, type DepositRequest, inDigits, type LegacyTransactionRequest } from './amounts.js'
import { has, ofPlace, readJson, refusal } from './answers.js'
import { askedAt, IntentApiError, IntentConnectionError, IntentError, IntentTimeoutError } from './errors.js'
import * as operations from './generated/operations.gen.js'
import type * as Wire from './generated/types.gen.js'
import type { OpenEvents } from './followEvents.js'
import { untilAborted } from './abortable.js'
import { limitedSignal } from './limitedSignal.js'
import { NoEventStreamError, openEvents } from './openEvents.js'
import { createAsking } from './createAsking.js'
import { type GivenHeaders, readBaseUrl, readHeaders } from './checkOptions.js'
import { asIndex, asName } from './checkInput.js'
import { checkTimes } from './checkTimes.js'
import { sleep } from './sleep.js'
import {
  backoff,
  createSendRequest,
  type Fetch,
  longestRetryAfterMs,
  retryAfterMs,
  type Outgoing,
  type SendRequest,
  type TransportOptions,
} from './transport.js'
import type { Look } from './watchAction.js'

/**
 * The one file that touches the generated code: calls by operation, whose answers are in the types of the JSON, where
 * amounts are strings of digits; bodies get them so here.
 */

export type { Wire }
export type {
  ActionCreated,
  ErrorCode,
  Finding,
  FindingCode,
  HealthStatus,
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
  /** Where the service is, such as `https://intents.example.org`. What is no address is an `IntentError` at once. */
  baseUrl: string | URL
  /** Another `fetch` than the platform's, for the service. It is given an address and plain values. */
  fetch?: Fetch | undefined
  /** The same for the chains' nodes, which are others' and hear nothing that is meant for the service. */
  nodeFetch?: Fetch | undefined
  /**
   * Sent with every request to the service; a function is asked anew for each call, say for a token that expires. What
   * no request can carry is an `IntentError`, at once, or from the call whose function gave it.
   */
  headers?: GivenHeaders | (() => GivenHeaders | Promise<GivenHeaders>) | undefined
  /**
   * How long one try of a request may take, in milliseconds. 30,000 by default; that of `executeStep` may take as long
   * besides as the service holds it open (`waitSeconds`).
   */
  timeoutMs?: number | undefined
  /**
   * How often a request that failed for a passing reason is repeated. 2 by default. For what is signed or under way a
   * service that is away is waited for besides: by `send`, `sendOnDemand` and `runAction` 60 seconds for the action and
   * `stepTimeoutMs` for each step, by the waits `timeoutMs`.
   */
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
const longestWaitSeconds = 60
/** The first bytes of an event stream come at once, or something on the way holds them back. */
const longestConnectMs = 5_000
/** For how long no stream is tried where there was none: each step would wait for it again. */
const withoutStreamsMs = 300_000
/** The same after a refusal that does not say when to come back. */
const afterRefusalMs = 10_000

/** What every answer to an operation has: a member, with `[]` a list, and where that is `data` a member of it. */
type Member<Reply> = `${keyof Reply & string}${'' | '[]' | `.${string}`}`

type Operation<Data, Reply> = operations.Operation<Data, Reply>
/** What an operation takes; headers and parts of a query that are undefined or null are left out. */
type Given<Data> = Omit<Data, 'url' | 'body' | 'headers'> & { body?: object; headers?: object }
type Parts = { path?: object; query?: object; headers?: object; body?: unknown }

export function createWireClient(options: ClientOptions) {
  const baseUrl = readBaseUrl(options.baseUrl)
  const platformFetch: Fetch = (url, init) => globalThis.fetch(url, init)
  const ownFetch = options.fetch ?? platformFetch
  const timeoutOf = (how: CallOptions) => {
    const timeoutMs = how.timeoutMs ?? options.timeoutMs ?? defaultTimeoutMs
    checkTimes({ timeoutMs })
    return timeoutMs
  }
  const retriesOf = (how: CallOptions) => asIndex(how.retries ?? options.retries ?? defaultRetries, 'retries')
  let noStreamsUntil = 0
  timeoutOf({})
  retriesOf({})
  if (typeof options.headers !== 'function') readHeaders(options.headers)

  /** The caller's own; a function that does not give them in time is given up as a service is. */
  async function ownHeaders(how: CallOptions): Promise<Headers> {
    if (typeof options.headers !== 'function') return readHeaders(options.headers)
    const timeoutMs = timeoutOf(how)
    const limited = limitedSignal(timeoutMs, how.signal)
    try {
      return readHeaders(await untilAborted(options.headers(), limited.signal), 'headers()')
    } catch (error) {
      return limited.fail(error, () => new IntentTimeoutError(`headers() has not answered within ${timeoutMs} ms.`))
    } finally {
      limited.close()
    }
  }

  async function requestOf<Data>(
    operation: Operation<Data, unknown>,
    given: Given<Data>,
    how: CallOptions,
  ): Promise<Outgoing> {
    const { path = {}, query = {}, headers = {}, body } = given as Parts
    const [method, route] = operation.split(' ') as [string, string]
    const values = path as Record<string, string | number>
    const place = route.replace(/{(\w+)}/g, (_, name: string) => {
      const value = values[name]
      // One of another type names a step that the answer is not held to be.
      if (/Index$/.test(name)) asIndex(value, name)
      return encodeURIComponent(asName(value, name))
    })
    const search = new URLSearchParams()
    for (const [name, value] of present(query)) for (const one of [value].flat()) search.append(name, String(one))
    const all = await ownHeaders(how)
    if (body !== undefined) all.set('content-type', 'application/json')
    for (const [name, value] of present(headers)) all.set(name, String(value))
    const ending = search.toString()
    return {
      url: baseUrl + place + (ending && `?${ending}`),
      method,
      headers: Object.fromEntries(all),
      body: (JSON.stringify(body, inDigits) as string | undefined) ?? null,
    }
  }

  const transportOf = (
    how: CallOptions,
    { fetch = ownFetch, ...rest }: Pick<TransportOptions, 'repeat' | 'check'> & { fetch?: Fetch | undefined },
  ): SendRequest =>
    createSendRequest({
      ...rest,
      fetch,
      timeoutMs: timeoutOf(how),
      retries: retriesOf(how),
      signal: how.signal,
    })

  /**
   * Carries out an operation of the spec; rejects with its refusal, unless `accepts` takes that for an answer. What
   * lacks the member that all its answers have is none of the service's.
   */
  async function callFully<Data, Reply>(
    operation: Operation<Data, Reply>,
    member: Member<Reply>,
    given: Given<Data>,
    how: CallOptions = {},
    { repeat = 'always', accepts }: { repeat?: 'always' | 'refused'; accepts?: (body: unknown) => boolean } = {},
  ): Promise<{ data: Reply; response: Response }> {
    let data: unknown
    // Where it can be asked again, what can't be read is an answer lost.
    const check = async (answer: Response) => void (data = await readJson(answer, operation))
    const response = await transportOf(how, { repeat, check })(await requestOf(operation, given, how))
    if (!response.ok && !accepts?.(data)) throw refusal(operation, response, data)
    if (has(data, member)) return { data: data as Reply, response }
    throw new IntentConnectionError(`The answer to ${operation} lacks ${member}; ${askedAt}`)
  }

  const call = async <Data, Reply>(
    operation: Operation<Data, Reply>,
    member: Member<Reply>,
    given: Given<Data>,
    how?: CallOptions,
  ): Promise<Reply> => (await callFully(operation, member, given, how)).data

  /** A resource as it reads, unless it is as it was at the ETag. */
  async function look<Data, Reply, Read>(
    operation: Operation<Data, Reply>,
    member: Member<Reply>,
    given: Given<Data>,
    { etag, how, read }: { etag: string | null; how: CallOptions; read: (reply: Reply) => Read },
  ): Promise<Look<Read> | null> {
    try {
      const headers = { 'If-None-Match': etag }
      const { data, response } = await callFully(operation, member, { ...given, headers }, how)
      return { data: read(data), etag: response.headers.get('etag') }
    } catch (error) {
      if (error instanceof IntentApiError && error.status === 304) return null
      throw error
    }
  }

  const getStep = async (ref: StepRef, how?: CallOptions): Promise<Wire.Step> =>
    ofPlace(await call(operations.getStep, 'status', { path: ref }, how), ref)

  return {
    /** For what is read from a chain's node: as patient as the client is with the service, without its headers. */
    nodeSend: (signal: AbortSignal | undefined) =>
      transportOf({ signal }, { repeat: 'always', fetch: options.nodeFetch ?? platformFetch }),
    createAction: (body: ActionRequest, idempotencyKey: string, how?: CallOptions) =>
      call(operations.createAction, 'actionId', { body, headers: { 'Idempotency-Key': idempotencyKey } }, how),
    listActions: (query: Wire.ListActionsData['query'], how?: CallOptions) =>
      call(operations.listActions, 'actions[]', { query }, how),
    getAction: (actionId: string, how?: CallOptions) =>
      call(operations.getAction, 'intents[]', { path: { actionId } }, how),
    lookAtAction: <Read>(
      actionId: string,
      etag: string | null,
      how: CallOptions,
      read: (action: Wire.Action) => Read,
    ) => look(operations.getAction, 'intents[]', { path: { actionId } }, { etag, how, read }),
    lookAtStep: (ref: StepRef, etag: string | null, how: CallOptions) =>
      look(operations.getStep, 'status', { path: ref }, { etag, how, read: (step) => ofPlace(step, ref) }),
    async *openEvents(actionId: string, { lastEventId, signal }: Parameters<OpenEvents>[1]) {
      if (Date.now() < noStreamsUntil) throw new NoEventStreamError()
      let forMs = withoutStreamsMs
      const connect = async (connection: AbortSignal): Promise<Response> => {
        const headers = { Accept: 'text/event-stream', 'Last-Event-ID': lastEventId }
        const { url, ...init } = await requestOf(
          operations.streamActionEvents,
          { path: { actionId }, headers },
          { signal: connection },
        )
        const asked = ownFetch(url, { ...init, signal: connection })
        const response = await untilAborted(asked, connection)
        if (response.ok) return response
        forMs = retryAfterMs(response.headers) ?? afterRefusalMs
        throw new NoEventStreamError()
      }
      try {
        yield* openEvents(connect, { signal, timeoutMs: Math.min(timeoutOf({}), longestConnectMs) })
      } catch (error) {
        if (error instanceof NoEventStreamError) noStreamsUntil = Date.now() + forMs
        throw error
      }
    },
    getIntent: (path: { actionId: string; intentIndex: number }, how?: CallOptions) =>
      call(operations.getIntent, 'steps[]', { path }, how),
    getStep,
    /**
     * Repeated only once the step has been looked at, but for a payment, which is registered
     * once however often it is named.
     */
    async executeStep(
      ref: StepRef,
      body: Wire.StepRequest,
      waitSeconds: number | undefined,
      how: CallOptions,
    ): Promise<Wire.Step> {
      checkTimes({ waitSeconds })
      const wait = Math.min(Math.ceil(waitSeconds ?? defaultWaitSeconds), longestWaitSeconds)
      // Told nothing, the service does not wait for what is under way already.
      const headers = { Prefer: waitSeconds === undefined ? undefined : `wait=${wait}` }
      const timeoutMs = timeoutOf(how) + wait * 1000
      const repeat = body.hash ? 'always' : 'refused'
      const ask = async () => {
        const given = { path: ref, body, headers }
        const { data } = await callFully(operations.executeStep, 'status', given, { ...how, timeoutMs }, { repeat })
        // Where the request became another one on its way, as behind a redirect, nothing was asked for.
        if (data.status !== 'created') return ofPlace(data, ref)
        throw new IntentConnectionError('The service has not taken the request.')
      }
      if (body.hash) return ask()
      const asking = createAsking(ref, { ask, look: () => getStep(ref, how) })
      for (let tries = 0; ; tries++) {
        try {
          return await asking()
        } catch (error) {
          // 429 has been waited for where it was met.
          const { status, retryAfterMs: wantedMs } = Object(error) as Partial<IntentApiError>
          const isLost = error instanceof IntentError && error.retryable && status !== 429
          if (!isLost || !(tries < retriesOf(how)) || (wantedMs ?? 0) > longestRetryAfterMs) throw error
          await sleep(wantedMs ?? backoff(tries), how.signal)
        }
      }
    },
    recordVenueTxHash: (body: Wire.VenueTxHashRequest, how?: CallOptions) =>
      call(operations.recordVenueTxHash, 'data', { body }, how),
    queryVenueTxHashes: (query: Wire.QueryVenueTxHashesData['query'], how?: CallOptions) =>
      call(operations.queryVenueTxHashes, 'data.txHashes[]', { query }, how),
    verifyVenueTxHash: (txHash: Wire.Hash, query: Wire.VerifyVenueTxHashData['query'], how?: CallOptions) =>
      call(operations.verifyVenueTxHash, 'data.txHash', { path: { txHash }, query }, how),
    recordDeposit: (body: DepositRequest, how?: CallOptions) =>
      call(operations.recordDeposit, 'data.record', { body }, how),
    getBalances: (address: Wire.Address, how?: CallOptions) =>
      call(operations.getBalances, 'data.tokens[]', { path: { address } }, how),
    // Repeated after a lost answer it would be refused as a second one.
    requestAirdrop: (
      path: Wire.RequestAirdropData['path'],
      body: { wallet: Wire.Address; amount: bigint | undefined },
      how?: CallOptions,
    ) => callFully(operations.requestAirdrop, 'data.amount', { path, body }, how, { repeat: 'refused' }),
    listChains: (how?: CallOptions) => call(operations.listChains, 'data.chains[]', {}, how),
    /** The report comes with 503 too, so that status is an answer here. */
    getHealth: async (how?: CallOptions) => {
      const accepts = (body: unknown) => Boolean((body as Partial<Wire.GetHealthResponse> | null | undefined)?.data)
      return (await callFully(operations.getHealth, 'data.chains[]', {}, { ...how, retries: 0 }, { accepts })).data.data
    },
    submitTransaction: (body: LegacyTransactionRequest, how?: CallOptions) =>
      call(operations.submitTransaction, 'data.actionId', { body }, how),
    getLegacyStepStatus: (path: Wire.GetLegacyStepStatusData['path'], how?: CallOptions) =>
      call(operations.getLegacyStepStatus, 'data.status', { path }, how),
  }
}

function present(values: object): [name: string, value: unknown][] {
  return Object.entries(values).filter(([, value]) => value !== undefined && value !== null)
}
