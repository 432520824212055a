import type { Middleware } from 'koa'
import type { Logger } from 'pino'
import type { ApiState } from './apiState.js'
import { logFields } from './logFields.js'
import { isProbe } from './operationTraits.js'

/** Told of each request once it is answered; the operation is `none` where there is no route. */
export type ObserveRequest = (operation: string, method: string, status: number, seconds: number) => void

/** The legacy status can be asked for by a signature, which must not be kept. */
const signatures = /0x[0-9a-f]{128,}/gi

/** In place of the status of a request whose client was gone before there was one; nginx has brought that number in. */
const hungUp = 499

/** One line for each request, once it is answered. The query and the body stay out of it. */
export function accessLog(logger: Logger, observe: ObserveRequest): Middleware<ApiState> {
  return async (ctx, next) => {
    const startedAt = performance.now()
    const write = () => {
      const { operationId } = ctx.state
      const durationMs = performance.now() - startedAt
      // Koa begins with 404, which nobody has been told.
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
