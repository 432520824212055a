import type { Middleware } from 'koa'
import type { Logger } from 'pino'
import type { ApiState } from './router.js'

/** Probes come every few seconds and would drown the rest. */
const quiet = new Set(['getLiveness', 'getReadiness', 'getHealth'])

/** One line for each request, once it is answered. The query and the body stay out of it. */
export function accessLog(logger: Logger): Middleware<ApiState> {
  return async (ctx, next) => {
    const startedAt = performance.now()
    const write = () => {
      const { requestId, operationId } = ctx.state
      const level = operationId !== null && quiet.has(operationId) ? 'debug' : 'info'
      logger[level](
        {
          requestId,
          operationId,
          method: ctx.method,
          path: ctx.path,
          status: ctx.status,
          durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
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
