import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { serviceProgram } from '../support/serviceProgram.js'
import { spawnService } from '../support/spawnedService.js'
import { until } from '../support/until.js'

describe('a service that is told to stop while it starts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cut-off-'))
  const env = { ...process.env, DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'silent' }
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('ends in order, with none of its chains left behind, and starts again', async () => {
    const program = await serviceProgram()
    const child = spawn(process.execPath, program, { env, stdio: 'ignore' })
    const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
    // Its chains have no contracts yet, and no file says which processes they are.
    await until(() => chainsIn(folder).length > 0, 'the first chain to start', 30_000)
    child.kill('SIGTERM')
    expect(await ended).to.equal(0)
    expect(chainsIn(folder)).to.deep.equal([])

    const again = await spawnService({ DATA_DIR: folder, LOG_LEVEL: 'error' })
    expect(again.said()).to.include('31337')
    await again.stop()
    expect(chainsIn(folder)).to.deep.equal([])
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
