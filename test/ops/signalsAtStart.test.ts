import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { serviceProgram } from '../support/serviceProgram.js'
import { spawnService } from '../support/spawnedService.js'
import { until } from '../support/until.js'

describe('a signal that comes while the service starts', function () {
  this.timeout(120_000)
  const folder = mkdtempSync(join(tmpdir(), 'signals-at-start-'))
  const env = { ...process.env, DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'silent' }
  after(() => rmSync(folder, { recursive: true, force: true }))

  /** One of which no chain has a contract yet, nor does a file say which processes they are. */
  async function beginStart() {
    const child = spawn(process.execPath, await serviceProgram(), { env, stdio: ['ignore', 'pipe', 'ignore'] })
    let said = ''
    child.stdout.on('data', (data: Buffer) => void (said += data.toString()))
    const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
    await until(() => chainsIn(folder).length > 0, 'the first chain to start', 30_000)
    return { child, ended, url: () => /^API\s+(\S+)$/m.exec(said)?.[1] }
  }

  it('ends it in order, with none of its chains left behind, and it starts again', async () => {
    const { child, ended } = await beginStart()
    child.kill('SIGTERM')
    expect(await ended).to.equal(0)
    expect(chainsIn(folder)).to.deep.equal([])

    const again = await spawnService({ DATA_DIR: folder, LOG_LEVEL: 'error' })
    expect(again.said()).to.include('31337')
    await again.stop()
    expect(chainsIn(folder)).to.deep.equal([])
  })

  it('drains it as soon as it is there', async () => {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder)
    const { child, ended, url } = await beginStart()
    child.kill('SIGUSR2')
    const api = await until(url, 'the service to start', 30_000)
    await until(async () => {
      const health = (await (await fetch(`${api}/health`)).json()) as { data: { draining: boolean } }
      return health.data.draining
    }, 'drain mode')
    child.kill('SIGTERM')
    expect(await ended).to.equal(0)
  })
})

/** The processes that keep a chain there. */
function chainsIn(folder: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map(Number).filter((pid) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      return command.includes('anvil') && command.includes(folder)
    } catch {
      return false
    }
  })
}
