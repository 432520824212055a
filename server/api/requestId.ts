import { randomUUID } from 'node:crypto'
import type { Middleware } from 'koa'
import type { ApiState } from './router.js'

const acceptable = /^[A-Za-z0-9._-]{1,128}$/

/** Takes the client's request id if it has a sound one, else makes one, and puts it on the reply before all else. */
export const requestId: Middleware<ApiState> = async (ctx, next) => {
  const given = ctx.get('x-request-id')
  ctx.state.requestId = acceptable.test(given) ? given : randomUUID()
  ctx.state.operationId = null
  ctx.set('x-request-id', ctx.state.requestId)
  await next()
}
