import { Readable } from 'node:stream'
import bourne from '@hapi/bourne'
import type { Context } from 'koa'
import bodyParser from 'koa-bodyparser'
import { createSemaphore } from '../../concurrency/semaphore.js'
import type { Issue } from '../../domain/errors.js'
import { isNestedDeeper } from './nesting.js'
import { type ReceivedBody, receiveBody, tooLarge, unknownEncoding } from './receiveBody.js'
import { createUnfinishedBodies } from './unfinishedBodies.js'

/** `body` undefined: the request has none. */
export type ReadBody = { outcome: 'read'; body: unknown } | { outcome: 'invalid'; issue: Issue }

const endedEarly = 'The body ended early'
/** How deeply a body may be nested: ten times as deeply as any that the spec describes. */
const deepest = 64

/** How many bytes are kept of all bodies that have not arrived whole; eight of the largest have room in any case. */
const unfinishedBytes = (limitBytes: number) => Math.max(64 * 2 ** 20, 8 * limitBytes)
/** How many bodies are decompressed at once: as many as Node has threads for it. */
const mostDecompressing = 4

/**
 * Reads JSON bodies of at most `limitBytes`, both as they arrive and decompressed. `receive` and `read` throw
 * `ServiceError` when a body is larger or its encoding is not known; see `receiveBody` for what else is refused.
 */
export function createBodyReader(limitBytes: number) {
  const begin = createUnfinishedBodies(unfinishedBytes(limitBytes))
  const limitDecompressing = createSemaphore(mostDecompressing)
  // koa-bodyparser decompresses and decodes; it is asked for text, whose nesting is checked before it is parsed.
  const readText = bodyParser({
    enableTypes: ['text'],
    extendTypes: { text: ['application/json'] },
    textLimit: `${limitBytes}b`,
  })

  async function textOf(ctx: Context, bytes: Buffer): Promise<string> {
    const { request } = ctx
    try {
      await readText(withBody(ctx, bytes), async () => undefined)
      return (request.rawBody ?? '') as string
    } finally {
      // Nobody reads the body there, and the request may stay for a minute.
      request.rawBody = request.body = undefined
    }
  }

  return {
    receive: (ctx: Context): Promise<ReceivedBody> => receiveBody(ctx, limitBytes, begin),

    /** Decompresses and parses a body; only once its request's turn has come, so that it does not wait decompressed. */
    async read(ctx: Context, received: ReceivedBody): Promise<ReadBody> {
      if (received.outcome === 'none') return { outcome: 'read', body: undefined }
      if (received.outcome === 'broken off') return invalid(endedEarly)
      const { bytes, isPacked } = received
      const read = () => textOf(ctx, bytes)
      const isGone = () => ctx.req.socket.destroyed
      try {
        const text = isPacked ? await limitDecompressing(isGone, read) : await read()
        return text === null ? invalid(endedEarly) : parse(text)
      } catch (error) {
        return toInvalid(error, limitBytes)
      }
    },
  }
}

/**
 * A body that is there at once. raw-body stops listening to the decompressor when the body passes its limit, and the
 * decompressor may still emit `error` then; unhandled, that ends the process.
 */
class WholeBody extends Readable {
  override pipe<T extends NodeJS.WritableStream>(decompressor: T, options?: { end?: boolean }): T {
    decompressor.on('error', () => undefined)
    return super.pipe(decompressor, options)
  }
}

/** The same request, with its body there at once. */
function withBody(ctx: Context, bytes: Buffer): Context {
  const whole = new WholeBody({
    read() {
      this.push(bytes)
      this.push(null)
    },
  })
  // koa-bodyparser knows encodings in lower case only.
  const { 'content-encoding': encoding, ...others } = ctx.req.headers
  const headers = { ...others, ...(encoding && { 'content-encoding': encoding.toLowerCase() }) }
  return Object.create(ctx, { req: { value: Object.assign(whole, { headers }) } }) as Context
}

function parse(text: string): ReadBody {
  if (isNestedDeeper(text, deepest)) return invalid(`The body is nested more than ${deepest} deep`)
  // Any JSON value is read, not only objects, so that the schema refuses `null` or `"text"` and says what it wants.
  // `__proto__` is dropped like any property that the spec does not have.
  return { outcome: 'read', body: text === '' ? undefined : bourne.parse(text, { protoAction: 'remove' }) }
}

/**
 * The invalid body that an error of reading tells of; what is no such error is thrown. raw-body's errors have a status,
 * zlib's have a code and no status, and those of the JSON parser are `SyntaxError`s.
 */
function toInvalid(error: unknown, limitBytes: number): ReadBody {
  const { status, code } = (error ?? {}) as { status?: unknown; code?: unknown }
  if (status === 413) throw tooLarge(limitBytes)
  if (status === 415) throw unknownEncoding()
  if (typeof code === 'string' && /^(Z_|ERR__|ERR_BROTLI)/.test(code)) {
    return invalid('The body is not what its Content-Encoding says')
  }
  if (!(error instanceof SyntaxError)) throw error
  return invalid('The body is not valid JSON')
}

function invalid(message: string): ReadBody {
  return { outcome: 'invalid', issue: { path: '', message, code: 'json' } }
}
