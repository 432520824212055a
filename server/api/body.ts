import type { IncomingMessage } from 'node:http'
import bourne from '@hapi/bourne'
import type { Context } from 'koa'
import bodyParser from 'koa-bodyparser'
import { type Issue, ServiceError } from '../domain/errors.js'
import { isNestedDeeper } from './nesting.js'

/** `body` undefined: the request has none. */
export type ReadBody = { outcome: 'read'; body: unknown } | { outcome: 'invalid'; issue: Issue }

const endedEarly = 'The body ended early'
/** Ten times as deep as any body that the spec knows. */
const deepest = 64

/**
 * Reads JSON of at most `limitBytes`, counted after decompression. Throws `ServiceError` when the body is too large, is
 * not JSON by its Content-Type, or comes in a charset or an encoding that is not known.
 */
export function createBodyReader(limitBytes: number): (ctx: Context) => Promise<ReadBody> {
  // As text, which is looked at before it is made into values.
  const readText = bodyParser({
    enableTypes: ['text'],
    extendTypes: { text: ['application/json'] },
    textLimit: `${limitBytes}b`,
  })

  return async (ctx) => {
    const found = await lookForBody(ctx)
    if (found === 'none') return { outcome: 'read', body: undefined }
    if (found === 'broken off') return { outcome: 'invalid', issue: invalid(endedEarly) }
    requireJson(ctx)
    try {
      await readText(ctx, async () => undefined)
      const text = (ctx.request.rawBody ?? '') as string
      if (isNestedDeeper(text, deepest)) {
        return { outcome: 'invalid', issue: invalid(`The body is nested more than ${deepest} deep`) }
      }
      // Every JSON value is read, so that `null` and `"text"` are refused by the schema, which says what it wants.
      return { outcome: 'read', body: text === '' ? undefined : bourne.parse(text) }
    } catch (error) {
      return { outcome: 'invalid', issue: toIssue(error, limitBytes) }
    }
  }
}

/** RFC 9112: a request has a body if it says how long it is, or that it comes in chunks; of which there may be none. */
async function lookForBody({ headers, req }: Context): Promise<'some' | 'none' | 'broken off'> {
  if (!('transfer-encoding' in headers)) return Number(headers['content-length'] ?? 0) > 0 ? 'some' : 'none'
  // What comes without a type is refused unless there is nothing, as proxies pass on what had no length.
  if ('content-type' in headers || (await hasBytes(req))) return 'some'
  return req.complete ? 'none' : 'broken off'
}

/** Takes the first bytes; who asks reads no further. */
async function hasBytes(request: IncomingMessage): Promise<boolean> {
  if (request.destroyed) return false
  return new Promise((resolve) => {
    const look = () => resolve(request.read() !== null)
    for (const event of ['readable', 'end', 'close']) request.once(event, look)
  })
}

function requireJson(ctx: Context): void {
  if (!ctx.request.is('application/json')) {
    throw new ServiceError('unsupported_media_type', 'The body must be sent as application/json')
  }
  const { charset } = ctx.request
  if (charset !== '' && !/^utf-?8$/i.test(charset)) {
    throw new ServiceError('unsupported_media_type', `The charset ${charset} is not supported; JSON comes as UTF-8`)
  }
}

/**
 * Errors of koa-bodyparser and what it stands on: http-errors by raw-body, `SyntaxError`s of the JSON parser (which also
 * refuses `__proto__`), and zlib's, which have a code but no status.
 */
function toIssue(error: unknown, limitBytes: number): Issue {
  const { status, type, code } = (error ?? {}) as { status?: unknown; type?: unknown; code?: unknown }
  if (status === 413) throw new ServiceError('payload_too_large', `The body is larger than ${limitBytes} bytes`)
  if (status === 415) {
    throw new ServiceError('unsupported_media_type', 'The Content-Encoding is not supported; use gzip, deflate or br')
  }
  if (typeof code === 'string' && /^(Z_|ERR__|ERR_BROTLI)/.test(code)) {
    return invalid('The body is not what its Content-Encoding says')
  }
  if (error instanceof SyntaxError) {
    const isPrototype = error.message.includes('forbidden prototype')
    return invalid(isPrototype ? 'A property is named __proto__, which is not taken' : 'The body is not valid JSON')
  }
  if (type === 'request.aborted' || type === 'request.size.invalid') return invalid(endedEarly)
  throw error
}

function invalid(message: string): Issue {
  return { path: '', message, code: 'json' }
}
