import type { Context } from 'koa'
import { ServiceError } from '../domain/errors.js'
import type { CountFor, RateShare } from '../domain/rateLimit.js'
import { askingClient } from './connections/clientOf.js'
import type { OperationId } from './handlerTypes.js'
import { costOf, isProbe } from './operationTraits.js'

/** Takes points from what a subject has in a window of time; null where the deployment sets no limit. */
export type RateLimits = { take(subject: string, cost: number): Promise<RateShare> } | null

/** Counts a request against its client's address. */
export async function limitClient(limits: RateLimits, ctx: Context, operationId: OperationId): Promise<void> {
  if (!limits || isProbe(operationId)) return
  await take(limits, ctx, `ip:${askingClient(ctx)}`, costOf(operationId))
}

/**
 * Counts a request against a user too, whatever addresses he calls from, once he is known to have signed what it asks
 * for: if it were enough to name him, anyone could use up his share. Null: the deployment sets no limit.
 */
export function userLimit(limits: RateLimits, ctx: Context, operationId: OperationId): CountFor | null {
  return limits && ((user) => take(limits, ctx, `user:${user}`, costOf(operationId)))
}

async function take(limits: NonNullable<RateLimits>, ctx: Context, subject: string, cost: number): Promise<void> {
  const share = await limits.take(subject, cost)
  tell(ctx, share)
  if (share.allowed) return
  const retryAfter = Math.max(share.resetSeconds, 1)
  throw new ServiceError('rate_limited', `Too many requests; try again in ${retryAfter} seconds`, { retryAfter })
}

/** The share that the headers of each reply tell so far. */
const told = new WeakMap<Context, RateShare>()

/** Of the shares that a request counts against, its reply tells the one that is used up first. */
function tell(ctx: Context, share: RateShare): void {
  const other = told.get(ctx)
  if (other && !isScarcer(share, other)) return
  told.set(ctx, share)
  ctx.set('RateLimit-Policy', `"default";q=${share.limit};w=${share.windowSeconds}`)
  ctx.set('RateLimit', `"default";r=${share.remaining};t=${share.resetSeconds}`)
}

function isScarcer(one: RateShare, other: RateShare): boolean {
  if (one.remaining !== other.remaining) return one.remaining < other.remaining
  return one.resetSeconds > other.resetSeconds
}
