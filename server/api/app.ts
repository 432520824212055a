import type { IncomingMessage, ServerResponse } from 'node:http'
import cors from '@koa/cors'
import helmet from 'helmet'
import Koa, { type Middleware, type ParameterizedContext } from 'koa'
import type { Logger } from 'pino'
import { ServiceError } from '../domain/errors.js'
import { accessLog, type ObserveRequest } from './accessLog.js'
import type { ApiState } from './apiState.js'
import type { Handlers } from './handlerTypes.js'
import { docsFiles } from './handlers/docs.js'
import { explorerFiles } from './handlers/explorer.js'
import { logFields } from './logFields.js'
import type { RateLimits } from './rateLimit.js'
import { toProblem } from './replies/problem.js'
import { requestId } from './requestId.js'
import { createRouter } from './router.js'
import type { Spec } from './spec.js'
import { serveStaticFiles } from './staticFiles.js'
import { traceContext } from './traceContext.js'

type AppOptions = {
  spec: Spec
  handlers: Handlers
  logger: Logger
  observeRequest?: ObserveRequest
  /** The origins that may call from a browser; `['*']` for all. */
  corsOrigins: readonly string[]
  bodyLimitBytes: number
  rateLimits: RateLimits
  /** How many event streams a client may have open at once. */
  streamsPerClient: number
  /** Throws `ServiceError` while nothing new is accepted. */
  requireOpen: () => Promise<void>
  /** How many proxies in front add to X-Forwarded-For; 0: none is believed. */
  trustedProxies: number
  /** Whether an error means that the database or a chain is away for now, rather than a fault. */
  isOutage: (error: unknown) => boolean
  /** Aborts when the server shuts down. */
  shutdown: AbortSignal
}

/** The headers of a reply that scripts of other origins may read, besides those that CORS always lets them read. */
const exposedHeaders = [
  'x-request-id',
  'ETag',
  'Retry-After',
  'Preference-Applied',
  'Idempotency-Replayed',
  'RateLimit',
  'RateLimit-Policy',
  'Deprecation',
  'Link',
  'Allow',
]

/** The router and the middlewares around it. Those outside of `answerErrors` set headers that error replies keep. */
export async function createApp(options: AppOptions): Promise<Koa> {
  const { trustedProxies } = options
  const app = new Koa({ proxy: trustedProxies > 0, maxIpsCount: trustedProxies })
  // `answerErrors` answers and logs errors before an answer begins; this event tells of an answer that breaks off.
  const told = new WeakSet<Error>()
  app.on('error', (error: Error, ctx: ParameterizedContext<ApiState>) => {
    // Koa emits the error of a stream twice.
    if (isOfConnection(error) || told.has(error)) return
    told.add(error)
    options.logger.error({ err: error, ...logFields(ctx.state) }, 'an answer has broken off')
  })
  app.use(requestId as Middleware)
  app.use(traceContext as Middleware)
  app.use(accessLog(options.logger, options.observeRequest ?? (() => undefined)) as Middleware)
  app.use(closeWhile(options.shutdown))
  app.use(
    cors({
      origin: allowedOrigin(options.corsOrigins),
      allowMethods: 'GET,HEAD,POST',
      exposeHeaders: exposedHeaders,
      maxAge: 600,
    }),
  )
  app.use(securityHeaders())
  app.use(answerErrors(options) as Middleware)
  app.use(serveStaticFiles({ ...docsFiles, ...explorerFiles }))
  app.use((await createRouter(options)) as Middleware)
  return app
}

/** Whether an error only tells that the client hung up, which is no fault. */
function isOfConnection(error: Error): boolean {
  const { code } = error as { code?: unknown }
  const codes = ['ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE']
  return typeof code === 'string' && codes.includes(code)
}

/** Answers whatever the middlewares inside throw with an error body; never with HTML, never with a stack. */
function answerErrors({ logger, isOutage }: Pick<AppOptions, 'logger' | 'isOutage'>): Middleware<ApiState> {
  return async (ctx, next) => {
    try {
      await next()
    } catch (thrown) {
      const error = toServiceError(thrown, isOutage)
      if (error !== thrown) {
        const level = error.code === 'internal_error' ? 'error' : 'warn'
        logger[level]({ err: thrown, ...logFields(ctx.state) }, error.message)
      }
      const problem = toProblem(error, ctx.state.operationId, ctx.state.requestId)
      ctx.status = problem.status
      ctx.remove('ETag')
      ctx.set({ ...problem.headers, 'Cache-Control': 'no-store' })
      ctx.body = problem.body
    }
  }
}

/**
 * An error that is neither a refusal nor an outage becomes `internal_error`, which says nothing of it; the log does.
 */
function toServiceError(thrown: unknown, isOutage: (error: unknown) => boolean): ServiceError {
  if (thrown instanceof ServiceError) return thrown
  if (isOutage(thrown))
    return new ServiceError('unavailable', 'The service can’t be reached in full; try again shortly')
  return new ServiceError('internal_error', 'Internal server error')
}

/** While shutting down, tells clients to come back on a new connection, which goes to another process. */
function closeWhile(shutdown: AbortSignal): Middleware {
  return async (ctx, next) => {
    await next()
    if (shutdown.aborted) ctx.set('Connection', 'close')
  }
}

function allowedOrigin(origins: readonly string[]): (ctx: Koa.Context) => string {
  if (origins.includes('*')) return () => '*'
  // For an empty string, @koa/cors sets no headers.
  return (ctx) => (origins.includes(ctx.get('Origin')) ? ctx.get('Origin') : '')
}

/** helmet's headers depend on nothing in the request, so it is asked for them once. */
function securityHeaders(): Middleware {
  const headers: [name: string, value: string][] = []
  const recorder = {
    setHeader: (name: string, value: string) => headers.push([name, value]),
    removeHeader: () => undefined,
  }
  helmet({
    // A browser loads nothing for JSON; the pages set policies of their own.
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    // The API is for other origins; CORS says which.
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    // The service speaks plain HTTP; whether its domain is for HTTPS only is up to the proxy that ends TLS.
    strictTransportSecurity: false,
  })({} as IncomingMessage, recorder as unknown as ServerResponse, () => undefined)
  return (ctx, next) => {
    for (const [name, value] of headers) ctx.res.setHeader(name, value)
    return next()
  }
}
