import { randomFillSync } from 'node:crypto'
import type { Middleware } from 'koa'
import { formatTraceparent, parseTraceparent } from '../domain/traceContext.js'
import type { ApiState } from './apiState.js'

/**
 * Takes part in the caller's trace, or begins one: the request gets a span of its own in it, which its log lines, the
 * steps that it asks for and their transactions are named by. Nothing is answered with it, since no standard says how,
 * and the request id is there; no node is told of it. `tracestate` is other systems' own and is not looked at.
 */
export const traceContext: Middleware<ApiState> = async (ctx, next) => {
  // Several headers come joined by commas, which is malformed as it should be.
  const given = parseTraceparent(ctx.get('traceparent'))
  const spanId = takeRandom(8)
  const traceId = given?.traceId ?? takeRandom(16)
  ctx.state.trace = { traceId, spanId }
  ctx.state.traceparent = formatTraceparent({ traceId, spanId, isSampled: given?.isSampled ?? false })
  ctx.state.parentSpanId = given?.spanId ?? null
  ctx.state.subject = {}
  await next()
}

/** Filled for many requests at once: to ask the system for each was 3 % of a plain read's work. */
const stock = Buffer.alloc(4_096)
let taken = stock.length

/** As many random bytes, in hex. */
function takeRandom(bytes: number): string {
  if (taken + bytes > stock.length) {
    randomFillSync(stock)
    taken = 0
  }
  taken += bytes
  return stock.toString('hex', taken - bytes, taken)
}
