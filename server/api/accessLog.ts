import type { Middleware } from 'koa'
import type { Logger } from 'pino'
import { logFields } from './logFields.js'
import type { ApiState } from './router.js'

/** Told of each request once it is answered; the operation is `none` where there is no route. */
export type ObserveRequest = (operation: string, method: string, status: number, seconds: number) => void

/** The legacy status can be asked for by a signature, which must not be kept. */
const signatures = /0x[0-9a-f]{128,}/gi

/** Probes come every few seconds and would drown the rest. */
const quiet = new Set(['getLiveness', 'getReadiness', 'getHealth'])

/** One line for each request, once it is answered. The query and the body stay out of it. */
export function accessLog(logger: Logger, observe: ObserveRequest): Middleware<ApiState> {
  return async (ctx, next) => {
    const startedAt = performance.now()
    const write = () => {
      const { operationId } = ctx.state
      const durationMs = performance.now() - startedAt
      observe(operationId ?? 'none', ctx.method, ctx.status, durationMs / 1000)
      const level = operationId !== null && quiet.has(operationId) ? 'debug' : 'info'
      logger[level](
        {
          ...logFields(ctx.state),
          method: ctx.method,
          path: ctx.path.replace(signatures, '0x…'),
          status: ctx.status,
          durationMs: Math.round(durationMs * 10) / 10,
          // False: the client hung up before it had its answer.
          complete: ctx.res.writableFinished,
        },
        'request',
      )
    }
    ctx.res.once('close', write)
    await next()
  }
}
