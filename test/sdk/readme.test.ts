import { expect } from 'chai'
import { spawn } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startTestService, type TestService } from '../support/service.js'

const root = join(import.meta.dirname, '..', '..')

describe('the README of the SDK', () => {
  let service: TestService
  const file = join(root, 'test', 'sdk', `quickStart.${process.pid}.ts`)

  before(async () => {
    service = await startTestService()
  })
  after(async () => {
    rmSync(file, { force: true })
    await service.stop()
  })

  it('has a quick start of under 25 lines that runs as it stands', async () => {
    const code = /```ts\n([^]*?)```/.exec(readFileSync(join(root, 'sdk', 'README.md'), 'utf8'))![1]!
    expect(code.trim().split('\n').length).to.be.below(25)
    expect(code).to.contain(`'http://127.0.0.1:3000'`)
    writeFileSync(
      file,
      code
        .replace(`'@crosschain-intents/sdk'`, `'../../sdk/src/index.js'`)
        .replace(`'http://127.0.0.1:3000'`, `'${service.url}'`),
    )
    const { status, output } = await run(file)
    expect(status, output).to.equal(0)
    expect(output).to.match(/type: 'created'/)
    expect(output.trim().split('\n').slice(-4).join(' ')).to.match(
      /success \[\s*'0x[0-9a-f]{64}',\s*'0x[0-9a-f]{64}'\s*\]/,
    )
  })
})

function run(path: string): Promise<{ status: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--import', 'tsx', path], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.on('error', reject)
    child.on('close', (status) => resolve({ status, output }))
  })
}
