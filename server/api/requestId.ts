import { randomUUID } from 'node:crypto'
import type { Middleware } from 'koa'
import type { ApiState } from './apiState.js'

const acceptable = /^[A-Za-z0-9._-]{1,128}$/

/** The client's own if it is sound, else a new one. */
export function requestIdOf(given: unknown): string {
  return typeof given === 'string' && acceptable.test(given) ? given : randomUUID()
}

/** Names the request, and puts that on the reply before all else. */
export const requestId: Middleware<ApiState> = async (ctx, next) => {
  ctx.state.requestId = requestIdOf(ctx.req.headers['x-request-id'])
  ctx.state.operationId = null
  ctx.set('x-request-id', ctx.state.requestId)
  await next()
}
