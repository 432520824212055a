import Router, { type RouterContext } from '@koa/router'
import type { Context, Middleware } from 'koa'
import { createSemaphore } from '../concurrency/semaphore.js'
import { ServiceError } from '../domain/errors.js'
import type { ApiState } from './apiState.js'
import { type CompiledOperation, compileOperations } from './compileOperations.js'
import { createEventStreams } from './eventStreams.js'
import type { ApiRequest, OperationId, Handlers } from './handlerTypes.js'
import { madeAction } from './logFields.js'
import { isProbe, kindOfRead, type ReadKind, startsWork } from './operationTraits.js'
import { limitClient, type RateLimits } from './rateLimit.js'
import { deprecated } from './replies/deprecated.js'
import { answerOtherMethod } from './replies/otherMethods.js'
import { type AnyReply, sendReply } from './replies/sendReply.js'
import { createRequestReader } from './requests/readRequest.js'
import { requireDecodable } from './requests/requireDecodable.js'
import type { Spec } from './spec.js'

type Options = {
  spec: Spec
  handlers: Handlers
  bodyLimitBytes: number
  rateLimits: RateLimits
  /** How many event streams a client may have open at once. */
  streamsPerClient: number
  /** Throws while nothing new is accepted. */
  requireOpen: () => Promise<void>
  /** Aborts when the server shuts down. */
  shutdown: AbortSignal
}

/**
 * How many reads of a kind are under way at once: more than the pool has connections, so that none of those stands
 * idle. Without a limit, all that have come would ask the database before the first is answered, also for clients that
 * have hung up since, and whatever comes then would wait for all of them. `shared`: as many as share a statement.
 */
const mostReads: Record<ReadKind, number> = { kept: Infinity, shared: 64, own: 16 }

/** One route for each operation that has a handler, all of it prepared at start. */
export async function createRouter(options: Options): Promise<Middleware<ApiState>> {
  const router = new Router<ApiState>({ sensitive: true })
  const readRequest = createRequestReader(options)
  const enterStream = createEventStreams(options.streamsPerClient)
  const limitReads = {
    kept: createSemaphore(mostReads.kept),
    shared: createSemaphore(mostReads.shared),
    own: createSemaphore(mostReads.own),
  }

  for (const operation of await compileOperations(options.spec, options.handlers)) {
    router.register(operation.path.replaceAll(/\{(\w+)\}/g, ':$1'), [operation.method], async (ctx) => {
      ctx.state.operationId = operation.operationId
      if (operation.deprecated) ctx.set(deprecated())
      await limitClient(options.rateLimits, ctx, operation.operationId)
      const request = await readRequest(ctx, operation)
      if (startsWork.has(operation.operationId)) await options.requireOpen()
      await answer(ctx, operation, request)
    })
  }

  const dispatch = router.routes() as Middleware<ApiState>

  return async (ctx, next) => {
    requireDecodable('path', ctx.path)
    await dispatch(ctx, async () => {
      requireDecodable('query', ctx.querystring)
      answerWithoutRoute(ctx)
      await next()
    })
  }

  async function answer(
    ctx: RouterContext<ApiState>,
    operation: CompiledOperation,
    request: ApiRequest<OperationId>,
  ): Promise<void> {
    if (operation.isStream) enterStream(ctx)
    const handle = () => operation.handler(request)
    const isGone = () => ctx.req.socket.destroyed
    const reply = isRead(operation)
      ? await limitReads[kindOfRead(operation.operationId)](isGone, handle)
      : await handle()
    if (reply === null) {
      // The client has hung up. The response may not know yet, and Koa would end it with the 404 that it begins with.
      ctx.respond = false
      return
    }
    const made = operation.method === 'post' ? madeAction(reply.body) : null
    if (made !== null) ctx.state.subject.actionId = made
    await sendReply(ctx, reply as unknown as AnyReply, operation)
  }
}

/** Whether the operation only reads and is answered at once. */
function isRead({ method, isStream, operationId }: CompiledOperation): boolean {
  return method === 'get' && !isStream && !isProbe(operationId)
}

function answerWithoutRoute(ctx: Context): void {
  const matched = (ctx as unknown as { matched?: { methods: string[] }[] }).matched ?? []
  const methods = [...new Set(matched.flatMap((layer) => layer.methods))].sort()
  if (methods.length === 0) throw new ServiceError('not_found', 'There is no such route')
  answerOtherMethod(ctx, methods)
}
