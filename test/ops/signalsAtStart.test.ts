import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { startDevnet } from '../../server/devnet/devnet.js'
import { chainsFileOf } from '../support/chainsFile.js'
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

  it('ends it within five seconds where it waits for nodes or for a database that say nothing', async () => {
    const silent = createServer(() => undefined)
    silent.listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const devnet = await startDevnet({ dataDir: join(folder, 'elsewhere'), isKept: false })
    const { CHAINS_FILE, ...keys } = chainsFileOf(devnet, folder)
    const chains = JSON.parse(readFileSync(CHAINS_FILE!, 'utf8')) as { chains: { rpcUrls: string[] }[] }
    for (const chain of chains.chains)
      chain.rpcUrls = Array.from({ length: 4 }, (_, n) => `http://127.0.0.1:${port}/${n}`)
    const silentChains = join(folder, 'silent.json')
    writeFileSync(silentChains, JSON.stringify(chains))
    const starts: [string, Record<string, string>][] = [
      ['nodes', { CHAINS_FILE: silentChains, ...keys, DATABASE_URL: 'sqlite:' }],
      ['a database', { DATABASE_URL: `mysql://root@127.0.0.1:${port}/none` }],
    ]
    for (const [what, more] of starts) {
      const child = spawn(process.execPath, await serviceProgram(), { env: { ...env, ...more }, stdio: 'ignore' })
      const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
      const connected = once(silent, 'connection')
      await connected
      const askedAt = performance.now()
      child.kill('SIGTERM')
      expect(await ended, what).to.equal(0)
      expect(performance.now() - askedAt, what).to.be.lessThan(5_000)
    }
    silent.close()
    await devnet.stop()
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
