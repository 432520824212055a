import type { CountFor } from '../domain/rateLimit.js'
import type { Operations } from './generated/operations.gen.js'
import type { Prepared } from './replies/prepared.js'

export type OperationId = keyof Operations

/** A request after routing and validation, in the types that the spec gives it. */
export type ApiRequest<K extends OperationId> = {
  path: Part<Operations[K]['request'], 'path'>
  query: Part<Operations[K]['request'], 'query'>
  /** The headers that the spec declares, by their names in lower case. */
  headers: LowerCase<Part<Operations[K]['request'], 'headers'>>
  body: Operations[K]['request']['body']
  requestId: string
  /** W3C Trace Context: the trace that the request belongs to, with the request's own span. */
  traceparent: string
  /** For the handler to call with the user, once he is known to have signed the request. Null: there is no limit. */
  countFor: CountFor | null
  /** Aborts when the client hangs up or the server shuts down. */
  signal: AbortSignal
}

/** A status that the spec gives the operation, with that status's body. Refusals are thrown as `ServiceError`. */
type ApiReply<K extends OperationId> = {
  [S in keyof Operations[K]['replies']]: Body<Operations[K]['replies'][S]> & {
    status: S
    headers?: Record<string, string>
    /** The body, compressed beforehand, where it is the same each time. */
    prepared?: Prepared
  }
}[keyof Operations[K]['replies']]

export type Handler<K extends OperationId> = (request: ApiRequest<K>) => Promise<ApiReply<K>>

/** One function for each operation: a missing operation, a wrong status or a wrong body does not compile. */
export type Handlers = { [K in OperationId]: Handler<K> }

/** One event of an event stream. */
export type StreamEvent<T> = { id: string | null; event: string; data: T }

type Body<T> = [T] extends [void]
  ? { body?: undefined }
  : T extends { stream: infer Data }
    ? { body: AsyncIterable<StreamEvent<Data>> }
    : { body: T }

type Part<Request, Name extends string> = Name extends keyof Request
  ? [Exclude<Request[Name], undefined>] extends [never]
    ? Record<string, never>
    : Exclude<Request[Name], undefined>
  : Record<string, never>

type LowerCase<T> = { [K in keyof T as K extends string ? Lowercase<K> : K]: T[K] }
