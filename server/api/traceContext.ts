import { randomBytes } from 'node:crypto'
import type { Middleware } from 'koa'
import { formatTraceparent, parseTraceparent } from '../domain/traceContext.js'
import type { ApiState } from './router.js'

/**
 * Takes part in the caller's trace, or begins one: the request gets a span of its own in it, which its log lines, the
 * steps that it asks for and their transactions are named by. Nothing is answered with it, since no standard says how,
 * and the request id is there; no node is told of it. `tracestate` is other systems' own and is not looked at.
 */
export const traceContext: Middleware<ApiState> = async (ctx, next) => {
  // Several headers come joined by commas, which is malformed as it should be.
  const given = parseTraceparent(ctx.get('traceparent'))
  const random = randomBytes(24).toString('hex')
  ctx.state.traceparent = formatTraceparent({
    traceId: given?.traceId ?? random.slice(16),
    spanId: random.slice(0, 16),
    isSampled: given?.isSampled ?? false,
  })
  ctx.state.parentSpanId = given?.spanId ?? null
  ctx.state.subject = {}
  await next()
}
