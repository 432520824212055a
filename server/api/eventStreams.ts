import type { Context } from 'koa'
import { ServiceError } from '../domain/errors.js'
import { askingClient } from './connections/clientOf.js'
import { retryAfterSeconds } from './replies/problem.js'

/**
 * Counts the event streams that each client has open, until their connections are closed, and refuses one that is too
 * many: streams stay for hours, cost their client nothing, and take connections that nobody else can have then.
 */
export function createEventStreams(most: number): (ctx: Context) => void {
  const open = new Map<string, number>()

  return (ctx) => {
    // A response that is closed emits no further `close`, and would be counted for ever.
    if (ctx.res.closed) return
    const client = askingClient(ctx)
    const count = open.get(client) ?? 0
    if (count >= most) {
      ctx.set('RateLimit-Policy', `"streams";q=${most}`)
      ctx.set('RateLimit', `"streams";r=0;t=${retryAfterSeconds}`)
      const message = `Too many event streams are open; at most ${most} may be at a time`
      throw new ServiceError('rate_limited', message, { retryAfter: retryAfterSeconds })
    }
    open.set(client, count + 1)
    ctx.res.once('close', () => {
      const left = open.get(client)! - 1
      if (left > 0) open.set(client, left)
      else open.delete(client)
    })
  }
}
