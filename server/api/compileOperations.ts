import type { ValidateFunction } from 'ajv'
import { type Document, OpenAPIBackend, type Operation } from 'openapi-backend'
import { createAjv } from './ajv.js'
import type { Handler, OperationId, Handlers } from './handlerTypes.js'
import type { Parameter } from './requests/parameters.js'
import { forValidation, type Spec } from './spec.js'

/** An operation with its compiled validators. */
export type CompiledOperation = {
  operationId: OperationId
  handler: Handler<OperationId>
  method: string
  /** As in the spec: `/actions/{actionId}`. */
  path: string
  parameters: Parameter[]
  takesBody: boolean
  deprecated: boolean
  /** Given `{requestBody}`. Null when the operation takes none. */
  validateBody: ValidateFunction | null
  /** Given `{path, query, header}`. */
  validateParameters: ValidateFunction
  /** By status: the reply's content type, null where it has no body, and whether it has an ETag. */
  replies: Record<string, { type: string | null; etag: boolean }>
  /** Whether its answer is an event stream, which lasts for as long as there may be further events. */
  isStream: boolean
}

/** The operations that have a handler, each with its validators. Throws if a handler has no operation in the spec. */
export async function compileOperations(spec: Spec, handlers: Handlers): Promise<CompiledOperation[]> {
  const backend = await backendOf(spec)
  const operations = backend.router.getOperations()
  const known = new Set(operations.map(({ operationId }) => operationId))
  const unknown = Object.keys(handlers).filter((operationId) => !known.has(operationId))
  if (unknown.length > 0) throw new Error(`The spec has no operation ${unknown.join(', ')}`)
  return operations.flatMap((operation) => {
    const handler = handlers[operation.operationId as OperationId] as Handler<OperationId> | undefined
    return handler ? [compile(backend, operation, handler)] : []
  })
}

/** One for each spec, so that a process that starts several services compiles the validators once. */
const backends = new WeakMap<Spec, Promise<OpenAPIBackend>>()

function backendOf(spec: Spec): Promise<OpenAPIBackend> {
  const backend = backends.get(spec) ?? createBackend(spec)
  backends.set(spec, backend)
  return backend
}

/**
 * Lets openapi-backend read the spec and compile the validators of requests, each when it is first asked for. Routing
 * is left to @koa/router: openapi-backend rebuilds the patterns of all operations for every request (3,300 requests/s
 * against 49,000 for bare Koa on one route).
 */
function createBackend(spec: Spec): Promise<OpenAPIBackend> {
  const ajv = createAjv()
  const backend = new OpenAPIBackend({
    definition: forValidation(spec.document) as unknown as Document,
    strict: true,
    // Skips the check against the 3.0 meta-schema, which refuses any 3.1 document (the linter checks ours), and the
    // validators of replies, which we don't use and which take four fifths of the time to compile (0.6 s).
    quick: true,
    customizeAjv: () => ajv,
  })
  return backend.init()
}

type Response = { content?: Record<string, unknown>; headers?: Record<string, unknown> }

function compile(backend: OpenAPIBackend, operation: Operation, handler: Handler<OperationId>): CompiledOperation {
  const validators = backend.validator.getRequestValidatorsForOperation(operation.operationId!)
  const validateParameters = validators?.at(-1)
  if (!validateParameters) throw new Error(`No validators for ${operation.operationId}`)
  const takesBody = operation.requestBody !== undefined
  const replies = repliesOf(operation)
  return {
    operationId: operation.operationId as OperationId,
    handler,
    method: operation.method,
    path: operation.path,
    parameters: (operation.parameters ?? []) as Parameter[],
    takesBody,
    deprecated: operation.deprecated === true,
    validateBody: takesBody ? (validators?.[0] ?? null) : null,
    validateParameters,
    replies,
    isStream: Object.values(replies).some(({ type }) => type === 'text/event-stream'),
  }
}

function repliesOf(operation: Operation): CompiledOperation['replies'] {
  const responses = (operation.responses ?? {}) as Record<string, Response>
  return Object.fromEntries(
    Object.entries(responses).map(([status, { content, headers }]) => [
      status,
      { type: Object.keys(content ?? {})[0] ?? null, etag: 'ETag' in (headers ?? {}) },
    ]),
  )
}
