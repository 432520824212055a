import type { IncomingMessage } from 'node:http'
import type { Context } from 'koa'
import { ServiceError } from '../../domain/errors.js'
import { askingClient } from '../connections/clientOf.js'
import type { UnfinishedBody } from './unfinishedBodies.js'

/** A body as it came. */
export type ReceivedBody =
  { outcome: 'whole'; bytes: Buffer; isPacked: boolean } | { outcome: 'none' } | { outcome: 'broken off' }

type Begin = (client: string, giveUp: () => void) => UnfinishedBody

/**
 * Takes a body of at most `limitBytes` in, and leaves it as it is: unpacked it may be a thousand times as much, which
 * is not kept until the rest has come. Throws `ServiceError` when it is too large, is not JSON by its Content-Type,
 * comes in a charset or an encoding that is not known, or is one too many.
 */
export async function receiveBody(ctx: Context, limitBytes: number, begin: Begin): Promise<ReceivedBody> {
  const found = await lookForBody(ctx)
  if (found !== 'some') return { outcome: found }
  requireJson(ctx)
  const isPacked = isPackedBy(ctx)
  if (Number(ctx.headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes)
  const bytes = await allBytes(ctx.req, limitBytes, (giveUp) => begin(askingClient(ctx), giveUp))
  return bytes ? { outcome: 'whole', bytes, isPacked } : { outcome: 'broken off' }
}

export function tooLarge(limitBytes: number): ServiceError {
  return new ServiceError('payload_too_large', `The body is larger than ${limitBytes} bytes`)
}

export function unknownEncoding(): ServiceError {
  const message = 'The Content-Encoding is not supported; use gzip, deflate or br'
  return new ServiceError('unsupported_media_type', message)
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

/** Known before it comes, so that nothing is kept which can't be unpacked. */
function isPackedBy({ headers }: Context): boolean {
  // Letter case makes no difference (RFC 9110, 8.4.1).
  const encoding = headers['content-encoding']?.toLowerCase() || 'identity'
  if (encoding === 'identity') return false
  if (['gzip', 'deflate', 'br'].includes(encoding)) return true
  throw unknownEncoding()
}

/** Null: it has broken off. */
function allBytes(
  request: IncomingMessage,
  limitBytes: number,
  begin: (giveUp: () => void) => UnfinishedBody,
): Promise<Buffer | null> {
  if (request.destroyed) return Promise.resolve(null)
  return new Promise((resolve, reject) => {
    let bytes: Buffer = Buffer.alloc(0)
    let length = 0
    const settle = (how: () => void) => {
      // What comes then is lost on its way.
      request.off('data', take).off('end', end).off('close', breakOff)
      unfinished.end()
      how()
    }
    const take = (chunk: Buffer) => {
      if (length + chunk.length > limitBytes) return settle(() => reject(tooLarge(limitBytes)))
      bytes = withChunk(bytes, length, chunk, limitBytes)
      length += chunk.length
      unfinished.keep(bytes.length)
    }
    const end = () => settle(() => resolve(bytes.subarray(0, length)))
    const breakOff = () => settle(() => resolve(null))
    const unfinished = begin(() => settle(() => reject(noRoom())))
    request.on('data', take).once('end', end).once('close', breakOff)
  })
}

/** Has room for twice as much whenever it is full: a list of chunks may take a hundred times as much as is in them. */
function withChunk(bytes: Buffer, length: number, chunk: Buffer, mostBytes: number): Buffer {
  if (length === 0) return chunk
  const needed = length + chunk.length
  const roomy = needed <= bytes.length ? bytes : enlarged(bytes, Math.min(Math.max(needed, 2 * length), mostBytes))
  chunk.copy(roomy, length)
  return roomy
}

function enlarged(bytes: Buffer, size: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(size)
  bytes.copy(larger)
  return larger
}

function noRoom(): ServiceError {
  return new ServiceError('unavailable', 'Too many bodies are on their way; send it again shortly, and in one go')
}
