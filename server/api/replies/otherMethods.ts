import type { Context } from 'koa'
import { ServiceError } from '../../domain/errors.js'

/** Answers a method that a path does not take: `OPTIONS` with those it takes, others with a refusal that names them. */
export function answerOtherMethod(ctx: Context, methods: readonly string[]): void {
  ctx.set('Allow', [...methods, 'OPTIONS'].join(', '))
  if (ctx.method !== 'OPTIONS') throw new ServiceError('method_not_allowed', `This route takes ${methods.join(', ')}`)
  ctx.status = 204
}
