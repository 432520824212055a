import type { RouterContext } from '@koa/router'
import type { Context } from 'koa'
import type { ApiState } from '../apiState.js'
import type { CompiledOperation } from '../compileOperations.js'
import type { ApiRequest, OperationId } from '../handlerTypes.js'
import { subjectOf } from '../logFields.js'
import { isProbe } from '../operationTraits.js'
import { type RateLimits, userLimit } from '../rateLimit.js'
import { refuseParameters, refuseRepeated } from '../replies/refusals.js'
import { createAdmission } from './admission.js'
import { createBodyReader } from './bodyReader.js'
import { readParameters, repeatedIn } from './parameters.js'
import { requireDecodable } from './requireDecodable.js'
import { validBody } from './validBody.js'

type Options = {
  bodyLimitBytes: number
  rateLimits: RateLimits
  /** Aborts when the server shuts down, so that nobody waits for what will not come. */
  shutdown: AbortSignal
}

/** Makes of a routed request what its handler is given; throws `ServiceError` where it breaks the spec. */
export function createRequestReader({ bodyLimitBytes, rateLimits, shutdown }: Options) {
  const bodies = createBodyReader(bodyLimitBytes)
  const admitted = createAdmission()

  return async function readRequest(
    ctx: RouterContext<ApiState>,
    operation: CompiledOperation,
  ): Promise<ApiRequest<OperationId>> {
    const { path, query, header } = validParameters(ctx, operation)
    ctx.state.subject = subjectOf(path)
    const body = operation.takesBody ? await takeBody(ctx, operation) : undefined
    if (!operation.takesBody && !isProbe(operation.operationId)) await admitted('bare')
    let signal: AbortSignal | null = null
    return {
      path,
      query,
      headers: header,
      body,
      requestId: ctx.state.requestId,
      traceparent: ctx.state.traceparent,
      countFor: userLimit(rateLimits, ctx, operation.operationId),
      // Made only for those who look at it; with its listeners and its end it was 6 % of a plain read's work.
      get signal() {
        return (signal ??= signalOf(ctx, shutdown))
      },
    } as ApiRequest<OperationId>
  }

  /** A function of its own, so that the bytes are not kept once they are values: the request may wait for a minute. */
  async function takeBody(ctx: Context, operation: CompiledOperation): Promise<unknown> {
    const received = await bodies.receive(ctx)
    await admitted('withBody')
    return validBody(await bodies.read(ctx, received), operation)
  }
}

function validParameters(ctx: RouterContext<ApiState>, { parameters, validateParameters }: CompiledOperation) {
  requireDecodable('query', ctx.querystring)
  const repeated = repeatedIn(ctx.query, parameters)
  if (repeated.length > 0) throw refuseRepeated(repeated)
  const values = readParameters(parameters, {
    path: ctx.params as Record<string, string>,
    query: ctx.query,
    header: (name) => ctx.req.headers[name.toLowerCase()] as string | undefined,
  })
  if (!validateParameters(values)) throw refuseParameters(validateParameters.errors ?? [])
  return values
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
