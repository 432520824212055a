import type { Middleware } from 'koa'
import type { Logger } from 'pino'
import type { ApiState } from './apiState.js'
import { logFields } from './logFields.js'
import { isProbe } from './operationTraits.js'

/** Called for each request when its response closes; `operation` is `none` where there is no route. */
export type ObserveRequest = (operation: string, method: string, status: number, seconds: number) => void

/**
 * Signatures in a path, with any of their characters escaped: the legacy status may be asked for by one, and no log may
 * keep it.
 */
const signatures = /(?:[0-9a-fx]|%[0-9a-f]{2}){130,}/gi

/** The status of a request in the log if its client hung up before it was answered. The number is nginx's. */
const hungUp = 499

/** Logs one line for each request when its response closes. The query and the body stay out of it. */
export function accessLog(logger: Logger, observe: ObserveRequest): Middleware<ApiState> {
  return async (ctx, next) => {
    const startedAt = performance.now()
    const write = () => {
      const { operationId } = ctx.state
      const durationMs = performance.now() - startedAt
      // Before an answer is sent, `ctx.status` may be Koa's 404, which no client has seen.
      const status = ctx.res.headersSent ? ctx.status : hungUp
      observe(operationId ?? 'none', ctx.method, status, durationMs / 1000)
      const level = operationId !== null && isProbe(operationId) ? 'debug' : 'info'
      logger[level](
        {
          ...logFields(ctx.state),
          method: ctx.method,
          path: ctx.path.replace(signatures, '0x…'),
          status,
          durationMs: Math.round(durationMs * 10) / 10,
          // False where the client hung up before it had the whole answer.
          complete: ctx.res.writableFinished,
        },
        'request',
      )
    }
    ctx.res.once('close', write)
    await next()
  }
}
