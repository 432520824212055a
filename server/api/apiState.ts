import type { OperationId } from './handlerTypes.js'

/** What a request is about, as far as it says so itself. */
export type Subject = { actionId?: string; intentIndex?: number; stepIndex?: number; chainId?: number }

/** What the middlewares and the router tell each other of a request: Koa's `ctx.state`. */
export type ApiState = {
  requestId: string
  /** Null until the request has been routed, and where there is no route. */
  operationId: OperationId | null
  /** W3C Trace Context: the trace that the request belongs to, with the request's own span. */
  traceparent: string
  /** The same, as the log names it. */
  trace: { traceId: string; spanId: string }
  /** The caller's span; null where the trace has begun here. */
  parentSpanId: string | null
  /** Empty until the request's path is known to be valid. */
  subject: Subject
}
