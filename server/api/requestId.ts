import { randomUUID } from 'node:crypto'
import type { Middleware } from 'koa'
import type { ApiState } from './apiState.js'

const acceptable = /^[A-Za-z0-9._-]{1,128}$/

/** The id that the client has given if it has the right form, or else a new one. */
export function requestIdOf(given: unknown): string {
  return typeof given === 'string' && acceptable.test(given) ? given : randomUUID()
}

/** Gives the request an id, and puts it on the reply first of all, so that every refusal has it. */
export const requestId: Middleware<ApiState> = async (ctx, next) => {
  ctx.state.requestId = requestIdOf(ctx.req.headers['x-request-id'])
  ctx.state.operationId = null
  ctx.set('x-request-id', ctx.state.requestId)
  await next()
}
