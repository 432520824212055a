import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Context } from 'koa'
import type { CompiledOperation } from '../compileOperations.js'
import type { StreamEvent } from '../handlerTypes.js'
import { eventStream } from './eventStream.js'
import { isKnown, type Prepared, sendPrepared } from './prepared.js'

/** A handler's reply, whatever the operation. */
export type AnyReply = { status: number; headers?: Record<string, string>; body?: unknown; prepared?: Prepared }

/** Writes a reply in the content type that the spec gives it. */
export async function sendReply(ctx: Context, reply: AnyReply, operation: CompiledOperation): Promise<void> {
  const declared = operation.replies[String(reply.status)]
  ctx.status = reply.status
  if (reply.headers) ctx.set(reply.headers)
  if (reply.body === undefined || !declared?.type) {
    ctx.set('Cache-Control', 'no-store')
    ctx.body = null
    ctx.status = reply.status
    return
  }
  if (declared.type === 'text/event-stream') return sendEvents(ctx, reply.body as AsyncIterable<StreamEvent<unknown>>)
  if (reply.prepared) {
    ctx.type = withCharset(declared.type)
    return sendPrepared(ctx, reply.prepared)
  }

  const body = declared.type === 'application/json' ? JSON.stringify(reply.body) : (reply.body as string)
  ctx.set('Cache-Control', declared.etag ? 'no-cache' : 'no-store')
  ctx.type = withCharset(declared.type)
  if (declared.etag && isCurrent(ctx, body)) {
    ctx.status = 304
    return
  }
  ctx.body = body
}

/** Sets the ETag of a body; true when the client has that body already. */
function isCurrent(ctx: Context, body: string): boolean {
  const etag = `"${hash('sha256', body, 'base64url').slice(0, 22)}"`
  ctx.set('ETag', etag)
  return isKnown(ctx, etag)
}

function sendEvents(ctx: Context, events: AsyncIterable<StreamEvent<unknown>>): void {
  ctx.set('Cache-Control', 'no-store')
  // Proxies would else hold events back until their buffers are full.
  ctx.set('X-Accel-Buffering', 'no')
  // A stream may last for hours, and a request behind it would wait for as long.
  ctx.set('Connection', 'close')
  // A body that came with the request is dropped, or it would be kept for as long.
  ctx.req.resume()
  ctx.type = 'text/event-stream; charset=utf-8'
  ctx.body = ctx.method === 'HEAD' ? '' : Readable.from(eventStream(events), { objectMode: false })
}

function withCharset(type: string): string {
  return type === 'application/json' ? type : `${type}; charset=utf-8`
}
