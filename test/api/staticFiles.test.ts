import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import Koa from 'koa'
import { toProblem } from '../../server/api/replies/problem.js'
import { serveStaticFiles } from '../../server/api/staticFiles.js'
import { ServiceError } from '../../server/domain/errors.js'

describe('static files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'static-'))
  const thrown: unknown[] = []
  const app = new Koa()
  app.use(async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      thrown.push(error)
      ctx.status = error instanceof ServiceError ? toProblem(error, null, 'id').status : 500
    }
  })
  app.use(
    serveStaticFiles({
      '/late.js': { type: 'text/javascript', read: () => readFile(join(folder, 'late.js')) },
      '/package.js': {
        type: 'text/javascript',
        read: () => Promise.reject(Object.assign(new Error('gone'), { code: 'MODULE_NOT_FOUND' })),
      },
      '/broken.js': { type: 'text/javascript', read: () => readFile(folder) },
    }),
  )
  const server = createServer(app.callback() as Parameters<typeof createServer>[1])
  const get = (path: string, method = 'GET', headers: Record<string, string> = {}) =>
    fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, { method, headers })

  before((done) => void server.listen(0, '127.0.0.1', done))
  after((done) => {
    rmSync(folder, { recursive: true })
    server.closeAllConnections()
    server.close(done)
  })

  it('are not found while they are missing, and are served once they are there', async () => {
    expect((await get('/late.js')).status).to.equal(404)
    expect((thrown.at(-1) as ServiceError).code).to.equal('not_found')
    expect((await get('/package.js')).status).to.equal(404)
    writeFileSync(join(folder, 'late.js'), 'export {}')
    const reply = await get('/late.js')
    expect([reply.status, await reply.text()]).to.deep.equal([200, 'export {}'])
  })

  it('have an ETag for each encoding, by which a client has what it has', async () => {
    writeFileSync(join(folder, 'late.js'), 'export {}')
    const [zipped, plain] = [
      await get('/late.js', 'GET', { 'accept-encoding': 'gzip' }),
      await get('/late.js', 'GET', { 'accept-encoding': 'identity' }),
    ]
    expect([zipped, plain].map(({ headers }) => headers.get('content-encoding'))).to.deep.equal(['gzip', null])
    const [etagZipped, etagPlain] = [zipped, plain].map(({ headers }) => headers.get('etag')!)
    expect(etagZipped).to.not.equal(etagPlain)
    const statusOf = async (encoding: string, etag: string) =>
      (await get('/late.js', 'GET', { 'accept-encoding': encoding, 'if-none-match': etag })).status
    expect(await statusOf('gzip', etagZipped!)).to.equal(304)
    expect(await statusOf('identity', `"other", W/${etagPlain!}`)).to.equal(304)
    expect(await statusOf('gzip', etagPlain!)).to.equal(200)
  })

  it('take no other methods than GET, HEAD and OPTIONS', async () => {
    const [posted, asked] = [await get('/late.js', 'POST'), await get('/late.js', 'OPTIONS')]
    expect([posted.status, asked.status]).to.deep.equal([405, 204])
    for (const { headers } of [posted, asked]) expect(headers.get('allow')).to.equal('GET, HEAD, OPTIONS')
  })

  it('that can’t be read for another reason are a fault', async () => {
    expect((await get('/broken.js')).status).to.equal(500)
    expect((thrown.at(-1) as NodeJS.ErrnoException).code).to.equal('EISDIR')
  })
})
