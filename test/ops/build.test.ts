import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { serviceProgram } from '../support/serviceProgram.js'
import { type SpawnedService, spawnService } from '../support/spawnedService.js'

const root = join(import.meta.dirname, '../..')

describe('the built service', function () {
  this.timeout(120_000)
  const folder = mkdtempSync(join(tmpdir(), 'built-'))
  let service: SpawnedService | undefined
  after(async () => {
    await service?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('is what npm start runs', async () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>
    }
    // In the shell's place, which would keep npm's signals to itself.
    expect(scripts.start).to.equal(`exec node ${(await serviceProgram()).join(' ')}`)
    expect(scripts.prestart).to.include('build')
  })

  it('serves all that stands in files beside its code', async () => {
    service = await spawnService({ DATA_DIR: folder, LOG_LEVEL: 'error' })
    const get = async (path: string) => {
      const response = await fetch(service!.url! + path)
      return { path, status: response.status, text: await response.text() }
    }
    const page = await get('/explorer')
    const documentation = await get('/docs')
    const assets = [page, documentation].flatMap(({ text }) =>
      [...text.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path!),
    )
    expect(assets).to.have.length.greaterThan(3)
    const found = await Promise.all([...new Set([...assets, '/openapi.yaml', '/openapi.json'])].map(get))
    for (const { path, status, text } of [page, documentation, ...found]) {
      expect(status, path).to.equal(200)
      expect(text, path).not.to.equal('')
    }
    expect(found.find(({ path }) => path === '/openapi.yaml')!.text).to.equal(
      readFileSync(join(root, 'openapi.yaml'), 'utf8'),
    )
  })
})
