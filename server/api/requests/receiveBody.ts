import type { IncomingMessage } from 'node:http'
import type { Context } from 'koa'
import { ServiceError } from '../../domain/errors.js'
import { askingClient } from '../connections/clientOf.js'
import type { UnfinishedBody } from './unfinishedBodies.js'

/** A body as it came: `isPacked` if it is compressed, `broken off` if its client hung up before its end. */
export type ReceivedBody =
  { outcome: 'whole'; bytes: Buffer; isPacked: boolean } | { outcome: 'none' } | { outcome: 'broken off' }

type Begin = (client: string, giveUp: () => void) => UnfinishedBody

/**
 * Receives a body of at most `limitBytes` and does not decompress it: it may be a thousand times as large then, which
 * need not be in memory while the rest comes. Throws `ServiceError` when it is too large, is not JSON by its
 * Content-Type, comes in a charset or an encoding that is not known, or when too many bodies are on their way.
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

/** RFC 9112: a request has a body if it has a Content-Length or comes in chunks, of which there may be none. */
async function lookForBody({ headers, req }: Context): Promise<'some' | 'none' | 'broken off'> {
  if (!('transfer-encoding' in headers)) return Number(headers['content-length'] ?? 0) > 0 ? 'some' : 'none'
  // A body without a type is refused unless it is empty: proxies may pass a request without a body on in chunks.
  if ('content-type' in headers || (await hasBytes(req))) return 'some'
  return req.complete ? 'none' : 'broken off'
}

/** Takes the first bytes off the request, whose body can't be read whole after that. */
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
 * Whether the body is compressed. An unknown encoding is refused before the body comes, so that none is kept in vain.
 */
function isPackedBy({ headers }: Context): boolean {
  // Letter case makes no difference (RFC 9110, 8.4.1).
  const encoding = headers['content-encoding']?.toLowerCase() || 'identity'
  if (encoding === 'identity') return false
  if (['gzip', 'deflate', 'br'].includes(encoding)) return true
  throw unknownEncoding()
}

/** Null: the client has hung up before the body's end. */
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
      // The request flows on without a listener, so that whatever still comes is dropped.
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

/**
 * Appends to a buffer that doubles when it is full. A list of small chunks may take a hundred times what is in them.
 */
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
