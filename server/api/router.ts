import Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import { maxIssues, ServiceError } from '../domain/errors.js'
import { createAdmission } from './admission.js'
import type { ApiState } from './apiState.js'
import { type CompiledOperation, compileOperations } from './backend.js'
import { createBodyReader, type ReadBody } from './body.js'
import { beginningOf, clipLists } from './clipLists.js'
import { deprecated } from './deprecated.js'
import { createEventStreams } from './eventStreams.js'
import type { ApiRequest, OperationId, Handlers } from './handlers.js'
import { toIssues } from './issues.js'
import { madeAction, subjectOf } from './logFields.js'
import { isProbe, startsWork } from './operationTraits.js'
import { answerOtherMethod } from './otherMethods.js'
import { readParameters, repeatedIn } from './parameters.js'
import { createReaders } from './readers.js'
import { limitClient, type RateLimits, userLimit } from './rateLimit.js'
import { refuseBody, refuseParameters, refuseRepeated } from './refusals.js'
import { type AnyReply, sendReply } from './sendReply.js'
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
  /** Aborts when the server shuts down, so that nobody waits for what will not come. */
  shutdown: AbortSignal
}

/** A long body is checked by its first so many values, then by so many, then whole: where enough is wrong it ends there. */
const beginnings = [1_000, 8_000]

/** How many reads are under way at once: more than a pool of connections has, so that none of those stands idle. */
const mostReaders = 16

/** One route for each operation that has a handler, all of it prepared at start. */
export async function createRouter(options: Options): Promise<Middleware<ApiState>> {
  const router = new Router<ApiState>({ sensitive: true })
  const bodies = createBodyReader(options.bodyLimitBytes)
  const enterStream = createEventStreams(options.streamsPerClient)
  const admitted = createAdmission()
  const read = createReaders(mostReaders)

  for (const operation of await compileOperations(options.spec, options.handlers)) {
    router.register(operation.path.replaceAll(/\{(\w+)\}/g, ':$1'), [operation.method], async (ctx) => {
      ctx.state.operationId = operation.operationId
      if (operation.deprecated) ctx.set(deprecated())
      await limitClient(options.rateLimits, ctx, operation.operationId)
      requireDecodable('query', ctx.querystring)
      const repeated = repeatedIn(ctx.query, operation.parameters)
      if (repeated.length > 0) throw refuseRepeated(repeated)
      const parameters = readParameters(operation.parameters, {
        path: ctx.params as Record<string, string>,
        query: ctx.query,
        header: (name) => ctx.req.headers[name.toLowerCase()] as string | undefined,
      })
      if (!operation.validateParameters(parameters)) throw refuseParameters(operation.validateParameters.errors ?? [])
      ctx.state.subject = subjectOf(parameters.path)
      const isGone = () => ctx.req.socket.destroyed
      const body = operation.takesBody ? await takeBody(ctx, operation, isGone) : undefined
      if (!operation.takesBody && !isProbe(operation.operationId)) await admitted()
      if (startsWork.has(operation.operationId)) await options.requireOpen()
      let signal: AbortSignal | null = null
      const request = {
        path: parameters.path,
        query: parameters.query,
        headers: parameters.header,
        body,
        requestId: ctx.state.requestId,
        traceparent: ctx.state.traceparent,
        countFor: userLimit(options.rateLimits, ctx, operation.operationId),
        // Made only for those who look at it; with its listeners and its end it was 6 % of a plain read's work.
        get signal() {
          return (signal ??= signalOf(ctx, options.shutdown))
        },
      } as ApiRequest<OperationId>
      const answer = () => operation.handler(request)
      if (operation.isStream) enterStream(ctx)
      const reply = isRead(operation) ? await read(isGone, answer) : await answer()
      if (reply === null) {
        // Its response may not have heard of that yet, and Koa would end it with the 404 that it begins with.
        ctx.respond = false
        return
      }
      const made = operation.method === 'post' ? madeAction(reply.body) : null
      if (made !== null) ctx.state.subject.actionId = made
      await sendReply(ctx, reply as unknown as AnyReply, operation)
    })
  }

  const dispatch = router.routes() as Middleware<ApiState>
  /** What came is let go of once it has become values: the request may wait for a minute. */
  async function takeBody(ctx: Context, operation: CompiledOperation, isGone: () => boolean): Promise<unknown> {
    const received = await bodies.receive(ctx)
    await admitted()
    return validBody(await bodies.read(ctx, received, isGone), operation)
  }

  return async (ctx, next) => {
    requireDecodable('path', ctx.path)
    await dispatch(ctx, async () => {
      requireDecodable('query', ctx.querystring)
      answerWithoutRoute(ctx)
      await next()
    })
  }

  function validBody(given: ReadBody, operation: CompiledOperation): unknown {
    if (given.outcome === 'invalid') throw refuseBody(operation.operationId, [given.issue], undefined)
    const { body } = given
    const values = clipLists(body)
    const { validateBody: validate, operationId } = operation
    if (!validate) return body
    const issuesOf = (part: unknown) =>
      validate(part === undefined ? {} : { requestBody: part }) ? [] : toIssues(validate.errors ?? [], '/requestBody')
    // All that is wrong is told at once, and a body has room for a thousand times as much as is told: where its beginning
    // has that much already, nothing more is looked at.
    for (const most of beginnings) {
      if (values <= most) break
      const issues = issuesOf(beginningOf(body, most))
      if (issues.length === maxIssues) throw refuseBody(operationId, issues, body)
    }
    const issues = issuesOf(body)
    if (issues.length > 0) throw refuseBody(operationId, issues, body)
    return body
  }
}

/** Whether it only reads the database and is answered at once. */
function isRead(operation: CompiledOperation): boolean {
  return operation.method === 'get' && !operation.isStream && !isProbe(operation.operationId)
}

/** Aborts when the client hangs up or the server shuts down. */
function signalOf(ctx: Context, shutdown: AbortSignal): AbortSignal {
  // Nothing more comes of a response that is closed, and a listener would stay with the process.
  if (shutdown.aborted || ctx.res.closed) return AbortSignal.abort('over')
  const controller = new AbortController()
  const abort = () => {
    // Without a reason an error is made for every response, with its stack.
    controller.abort('over')
    shutdown.removeEventListener('abort', abort)
  }
  ctx.res.once('close', abort)
  shutdown.addEventListener('abort', abort)
  return controller.signal
}

/** Koa's router passes malformed escapes on as they are; nothing that we know has such a name. */
function requireDecodable(part: string, text: string): void {
  try {
    decodeURIComponent(text)
  } catch {
    throw new ServiceError('validation_failed', `The ${part} has a malformed percent escape`)
  }
}

function answerWithoutRoute(ctx: Context): void {
  const matched = (ctx as unknown as { matched?: { methods: string[] }[] }).matched ?? []
  const methods = [...new Set(matched.flatMap((layer) => layer.methods))].sort()
  if (methods.length === 0) throw new ServiceError('not_found', 'There is no such route')
  answerOtherMethod(ctx, methods)
}
