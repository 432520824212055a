import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Context } from 'koa'
import { answersShared } from '../connections/unread.js'

const compress = promisify(gzip)

type Encoded = { etag: string; bytes: Buffer }

/** Content that stays the same, ready to be sent. Each encoding has an ETag of its own (RFC 9110, 8.8.3.3). */
export type Prepared = { plain: Encoded; zipped: Encoded }

/**
 * Content that is read and compressed when it is first asked for. A failure is not kept: what is missing may be there
 * the next time.
 */
export function prepareOnce(read: () => Buffer | Promise<Buffer>): () => Promise<Prepared> {
  let prepared: Promise<Prepared> | undefined
  const prepareNow = async () => prepare(await read())
  return () => {
    prepared ??= prepareNow().catch((error: unknown) => {
      prepared = undefined
      throw error
    })
    return prepared
  }
}

async function prepare(bytes: Buffer): Promise<Prepared> {
  const name = createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
  return {
    plain: { etag: `"${name}"`, bytes },
    zipped: { etag: `"${name}-gzip"`, bytes: await compress(bytes) },
  }
}

/** Sends prepared content, or 304 to a client that has it. The caller sets the content type. */
export function sendPrepared(ctx: Context, { plain, zipped }: Prepared): void {
  const isZipped = ctx.acceptsEncodings('gzip', 'identity') === 'gzip'
  const { etag, bytes } = isZipped ? zipped : plain
  ctx.status = 200
  ctx.set({ ETag: etag, 'Cache-Control': 'no-cache' })
  ctx.vary('Accept-Encoding')
  if (isKnown(ctx, etag)) {
    ctx.status = 304
    return
  }
  if (isZipped) ctx.set('Content-Encoding', 'gzip')
  answersShared(ctx.res, bytes.length)
  ctx.body = bytes
}

/** Whether the client has what this ETag names. */
export function isKnown(ctx: Context, etag: string): boolean {
  // Not Koa's `fresh`: it heeds the request's `Cache-Control: no-cache`, which `fetch` adds by itself to every request
  // that sets If-None-Match (Fetch standard, HTTP-network-or-cache fetch). RFC 9110, 13.1.2 knows no such exception.
  const known = ctx.get('If-None-Match')
  return known === '*' || known.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
}
