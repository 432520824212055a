import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Middleware } from 'koa'
import { ServiceError } from '../domain/errors.js'
import { answerOtherMethod } from './otherMethods.js'

const compress = promisify(gzip)

/** What a page loads from us besides itself, by path. */
export type StaticFiles = Record<string, { type: string; read: () => Promise<Buffer> }>

type Loaded = { etag: string; plain: Buffer; zipped: Buffer }

/** Serves files, which are no operations. Each is read and compressed when first asked for; a missing one is not found. */
export function serveStaticFiles(files: StaticFiles): Middleware {
  const loaded = new Map(Object.entries(files).map(([path, { type, read }]) => [path, { type, load: once(read) }]))
  return async (ctx, next) => {
    const file = loaded.get(ctx.path)
    if (!file) return next()
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return answerOtherMethod(ctx, ['GET', 'HEAD'])
    const { etag, plain, zipped } = await file.load()
    ctx.status = 200
    ctx.set({ ETag: etag, 'Cache-Control': 'no-cache' })
    ctx.vary('Accept-Encoding')
    ctx.type = `${file.type}; charset=utf-8`
    if (ctx.fresh) {
      ctx.status = 304
    } else if (ctx.acceptsEncodings('gzip', 'identity') === 'gzip') {
      ctx.set('Content-Encoding', 'gzip')
      ctx.body = zipped
    } else {
      ctx.body = plain
    }
  }
}

function once(read: () => Promise<Buffer>): () => Promise<Loaded> {
  let file: Promise<Loaded> | undefined
  return () => {
    // What failed is not kept: the file may be there the next time.
    file ??= load(read).catch((error: unknown) => {
      file = undefined
      throw isMissing(error) ? new ServiceError('not_found', 'There is no such file') : error
    })
    return file
  }
}

async function load(read: () => Promise<Buffer>): Promise<Loaded> {
  const plain = await read()
  return {
    etag: `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`,
    plain,
    zipped: await compress(plain),
  }
}

/** Not on the disk, or part of a package that is not installed. Elsewhere ENOENT means a database that is away. */
function isMissing(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown }
  return code === 'ENOENT' || code === 'MODULE_NOT_FOUND'
}
