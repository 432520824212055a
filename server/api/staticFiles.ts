import type { Middleware } from 'koa'
import { ServiceError } from '../domain/errors.js'
import { answerOtherMethod } from './replies/otherMethods.js'
import { prepareOnce, sendPrepared } from './replies/prepared.js'

/** What a page loads from us besides itself, by path. */
export type StaticFiles = Record<string, { type: string; read: () => Promise<Buffer> }>

/**
 * Serves files, which are no operations. Each is read and compressed when first asked for; a missing one is not found.
 */
export function serveStaticFiles(files: StaticFiles): Middleware {
  const loaded = new Map(
    Object.entries(files).map(([path, { type, read }]) => [path, { type, load: prepareOnce(read) }]),
  )
  return async (ctx, next) => {
    const file = loaded.get(ctx.path)
    if (!file) return next()
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return answerOtherMethod(ctx, ['GET', 'HEAD'])
    const prepared = await file.load().catch((error: unknown) => {
      throw isMissing(error) ? new ServiceError('not_found', 'There is no such file') : error
    })
    ctx.type = `${file.type}; charset=utf-8`
    sendPrepared(ctx, prepared)
  }
}

/**
 * Whether a file is not on the disk, or its package not installed. Further out ENOENT means a database that is away.
 */
function isMissing(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown }
  return code === 'ENOENT' || code === 'MODULE_NOT_FOUND'
}
