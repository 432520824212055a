import type { Context } from 'koa'
import { ServiceError } from '../domain/errors.js'
import type { OperationId } from './handlers.js'

/** Points per window and subject; null where the deployment sets no limit. */
export type RateLimits = {
  take(
    subject: string,
    cost: number,
  ): Promise<{ allowed: boolean; limit: number; remaining: number; windowSeconds: number; resetSeconds: number }>
} | null

/** What a request costs beyond 1: signatures to check, rows to write, transactions to send. */
const costs: Partial<Record<OperationId, number>> = {
  createAction: 5,
  submitTransaction: 5,
  executeStep: 3,
  recordDeposit: 3,
  requestAirdrop: 5,
}

/** Probes are asked for often, and by those who decide whether the service lives. */
const free: readonly OperationId[] = ['getHealth', 'getLiveness', 'getReadiness']

/** Whom a body speaks for, so that one user has one share however many addresses he calls from. */
const userFields = ['user', 'address', 'wallet'] as const

/** Counts a request against its client's address. */
export async function limitClient(limits: RateLimits, ctx: Context, operationId: OperationId): Promise<void> {
  if (!limits || free.includes(operationId)) return
  await take(limits, ctx, `ip:${ctx.ip}`, costs[operationId] ?? 1)
}

/** Counts a writing request against the user that it names. */
export async function limitUser(
  limits: RateLimits,
  ctx: Context,
  operationId: OperationId,
  body: unknown,
): Promise<void> {
  if (!limits || typeof body !== 'object' || body === null) return
  const named = userFields.map((field) => (body as Record<string, unknown>)[field]).find((user) => user !== undefined)
  if (typeof named === 'string') await take(limits, ctx, `user:${named.toLowerCase()}`, costs[operationId] ?? 1)
}

async function take(limits: NonNullable<RateLimits>, ctx: Context, subject: string, cost: number): Promise<void> {
  const state = await limits.take(subject, cost)
  ctx.set('RateLimit-Policy', `"default";q=${state.limit};w=${state.windowSeconds}`)
  ctx.set('RateLimit', `"default";r=${state.remaining};t=${state.resetSeconds}`)
  if (state.allowed) return
  const retryAfter = Math.max(state.resetSeconds, 1)
  throw new ServiceError('rate_limited', `Too many requests; try again in ${retryAfter} seconds`, { retryAfter })
}
