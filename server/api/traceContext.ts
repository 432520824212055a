import { randomFillSync } from 'node:crypto'
import type { Middleware } from 'koa'
import { formatTraceparent, parseTraceparent } from '../domain/traceContext.js'
import type { ApiState } from './apiState.js'

/**
 * Takes part in the caller's trace, or begins one: the request gets a span of its own in it, by which its
 * log lines, the steps that it asks for and their transactions are named. Replies do not tell the trace,
 * since no standard says how, and they have the request id; nodes are not told of it. `tracestate` belongs
 * to other systems and is not looked at.
 */
export const traceContext: Middleware<ApiState> = async (ctx, next) => {
  // Koa gives several headers joined by commas, which is malformed, as it should be.
  const given = parseTraceparent(ctx.get('traceparent'))
  const spanId = takeRandom(8)
  const traceId = given?.traceId ?? takeRandom(16)
  ctx.state.trace = { traceId, spanId }
  ctx.state.traceparent = formatTraceparent({ traceId, spanId, isSampled: given?.isSampled ?? false })
  ctx.state.parentSpanId = given?.spanId ?? null
  ctx.state.subject = {}
  await next()
}

/** Random bytes for many requests: to ask the system for those of each was 3 % of a plain read's work. */
const stock = Buffer.alloc(4_096)
let taken = stock.length

/** So many random bytes, in hex. */
function takeRandom(bytes: number): string {
  if (taken + bytes > stock.length) {
    randomFillSync(stock)
    taken = 0
  }
  taken += bytes
  return stock.toString('hex', taken - bytes, taken)
}
