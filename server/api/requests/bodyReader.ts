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
/** Ten times as deep as any body that the spec knows. */
const deepest = 64

/** Of all bodies that have not come whole. Some of the largest have room in any case. */
const unfinishedBytes = (limitBytes: number) => Math.max(64 * 2 ** 20, 8 * limitBytes)
/** How many bodies are unpacked at once: as many threads as Node has for it. */
const mostUnpacking = 4

/**
 * Reads JSON of at most `limitBytes`, both as it comes and unpacked. Both throw `ServiceError` when it is more, or packed in
 * a way that is not known; see `receiveBody` for the rest.
 */
export function createBodyReader(limitBytes: number) {
  const begin = createUnfinishedBodies(unfinishedBytes(limitBytes))
  const limitUnpacking = createSemaphore(mostUnpacking)
  // As text, which is looked at before it is made into values.
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
      // Nobody reads them, and the request may wait for a minute.
      request.rawBody = request.body = undefined
    }
  }

  return {
    receive: (ctx: Context): Promise<ReceivedBody> => receiveBody(ctx, limitBytes, begin),

    /** Makes values of it. It is only unpacked now, as so much at once need not be in memory before its turn. */
    async read(ctx: Context, received: ReceivedBody): Promise<ReadBody> {
      if (received.outcome === 'none') return { outcome: 'read', body: undefined }
      if (received.outcome === 'broken off') return invalid(endedEarly)
      const { bytes, isPacked } = received
      const read = () => textOf(ctx, bytes)
      const isGone = () => ctx.req.socket.destroyed
      try {
        const text = isPacked ? await limitUnpacking(isGone, read) : await read()
        return text === null ? invalid(endedEarly) : parse(text)
      } catch (error) {
        return toInvalid(error, limitBytes)
      }
    },
  }
}

/**
 * What unpacks it may fail once it is listened to no more, as its limit has been passed, and on what it had begun to unpack
 * by then: an error that nobody hears ends the process.
 */
class WholeBody extends Readable {
  override pipe<T extends NodeJS.WritableStream>(unpacking: T, options?: { end?: boolean }): T {
    unpacking.on('error', () => undefined)
    return super.pipe(unpacking, options)
  }
}

/** The same request, whose body is there at once. */
function withBody(ctx: Context, bytes: Buffer): Context {
  const whole = new WholeBody({
    read() {
      this.push(bytes)
      this.push(null)
    },
  })
  // Of codings only those in lower case are known there.
  const { 'content-encoding': encoding, ...others } = ctx.req.headers
  const headers = { ...others, ...(encoding && { 'content-encoding': encoding.toLowerCase() }) }
  return Object.create(ctx, { req: { value: Object.assign(whole, { headers }) } }) as Context
}

function parse(text: string): ReadBody {
  if (isNestedDeeper(text, deepest)) return invalid(`The body is nested more than ${deepest} deep`)
  // Every JSON value is read, so that `null` and `"text"` are refused by the schema, which says what it wants. `__proto__` is
  // dropped like any property that is not known.
  return { outcome: 'read', body: text === '' ? undefined : bourne.parse(text, { protoAction: 'remove' }) }
}

/**
 * Errors of koa-bodyparser and what it stands on: http-errors by raw-body, `SyntaxError`s of the JSON parser, and zlib's, which have a code but no status.
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
