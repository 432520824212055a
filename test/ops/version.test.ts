import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { load } from 'js-yaml'
import { version } from '../../server/compose.js'

const root = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const versionIn = (file: string) => (JSON.parse(read(file)) as { version: string }).version

describe('the version', () => {
  it('is one for the service, its spec and the SDK', () => {
    const { info } = load(read('openapi.yaml')) as { info: { version: string } }
    expect([versionIn('package.json'), versionIn('sdk/package.json'), info.version]).to.deep.equal(
      Array.from({ length: 3 }, () => version),
    )
  })
})
