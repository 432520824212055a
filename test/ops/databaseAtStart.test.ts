import { spawn } from 'node:child_process'
import { expect } from 'chai'
import { serviceProgram } from '../support/serviceProgram.js'

describe('a database that the service cannot use at its start', function () {
  this.timeout(60_000)

  /** Ended after a while, as one that tries forever would have to be. */
  async function start(DATABASE_URL: string) {
    const env = { ...process.env, PORT: '0', LOG_LEVEL: 'silent', DATABASE_URL }
    const child = spawn(process.execPath, await serviceProgram(), { env, stdio: ['ignore', 'ignore', 'pipe'] })
    const last = setTimeout(() => child.kill('SIGKILL'), 20_000)
    let said = ''
    child.stderr.on('data', (data: Buffer) => void (said += data.toString()))
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
    clearTimeout(last)
    return { code, said }
  }

  const places: [string, string, RegExp][] = [
    [
      'takes no connection',
      'mysql://svc:hunter2@127.0.0.1:9/x',
      /DATABASE_URL: MySQL 127\.0\.0\.1:9\/x .*ECONNREFUSED/,
    ],
    [
      'has a name that nobody knows',
      'mysql://svc:hunter2@nowhere.invalid/x',
      /nowhere\.invalid:3306\/x .*(ENOTFOUND|EAI_AGAIN)/,
    ],
    ['is a folder', 'sqlite:/tmp', /DATABASE_URL or DATA_DIR: SQLite \/tmp .*does not open/],
    ['is in a place where no folder can be made', 'sqlite:/proc/nope/x', /SQLite \/proc\/nope\/x .*ENOENT/],
    ['is in what is no folder', 'sqlite:/etc/hostname/x/y', /SQLite \/etc\/hostname\/x\/y .*ENOTDIR/],
    [
      'asks for TLS by another name',
      'mysql://svc:hunter2@127.0.0.1:9/x?sslmode=require',
      /DATABASE_URL: has the parameter "sslmode"/,
    ],
    ['has a password that runs into the host', 'mysql://svc:Db-Long@hunter2/more@host/db', /DATABASE_URL: has an @/],
  ]
  for (const [what, url, said] of places) {
    it(`names the setting of one that ${what}`, async () => {
      const ended = await start(url)
      expect(ended.code, ended.said).to.equal(1)
      expect(ended.said).to.match(said).and.not.contain('hunter2')
    })
  }
})
