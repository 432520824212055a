import type { Middleware } from 'koa'
import { ServiceError } from '../domain/errors.js'
import { answerOtherMethod } from './replies/otherMethods.js'
import { prepare, type Prepared, sendPrepared } from './replies/prepared.js'

/** What a page loads from us besides itself, by path. */
export type StaticFiles = Record<string, { type: string; read: () => Promise<Buffer> }>

/**
 * Serves files, which are no operations. Each is read and compressed when first asked for; a missing one is not found.
 */
export function serveStaticFiles(files: StaticFiles): Middleware {
  const loaded = new Map(Object.entries(files).map(([path, { type, read }]) => [path, { type, load: once(read) }]))
  return async (ctx, next) => {
    const file = loaded.get(ctx.path)
    if (!file) return next()
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return answerOtherMethod(ctx, ['GET', 'HEAD'])
    const prepared = await file.load()
    ctx.type = `${file.type}; charset=utf-8`
    sendPrepared(ctx, prepared)
  }
}

function once(read: () => Promise<Buffer>): () => Promise<Prepared> {
  let file: Promise<Prepared> | undefined
  return () => {
    // A failure is not kept: the file may be there the next time.
    file ??= read()
      .then(prepare)
      .catch((error: unknown) => {
        file = undefined
        throw isMissing(error) ? new ServiceError('not_found', 'There is no such file') : error
      })
    return file
  }
}

/**
 * Whether a file is not on the disk, or its package not installed. Further out ENOENT means a database that is away.
 */
function isMissing(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown }
  return code === 'ENOENT' || code === 'MODULE_NOT_FOUND'
}
