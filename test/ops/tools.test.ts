import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { type Address, zeroAddress, zeroHash } from 'viem'
import { identify } from '../../server/devnet/anvil.js'
import { startDevnet } from '../../server/devnet/devnet.js'
import { devAccount } from '../../server/devnet/accounts.js'
import { createDatabase, type Database } from '../../server/store/connection/database.js'
import { migrations } from '../../server/store/migrations/index.js'
import { createStore } from '../../server/store/store.js'
import { bundledProgram } from '../support/bundledProgram.js'
import { closeFilesIn } from '../support/closedFile.js'
import { runTool } from './runTool.js'

/** The tools as operators start them, with nothing of the service in their environment but what a test names. */
describe('the tools beside the service', function () {
  this.timeout(60_000)
  const folder = mkdtempSync(join(tmpdir(), 'tools-'))
  before(() => migrated(join(folder, 'service.sqlite')))
  after(() => rmSync(folder, { recursive: true, force: true }))

  /** As a service has left it at its first start; the work is done before it is closed. */
  async function migrated(file: string, work: (database: Database) => Promise<unknown> = async () => {}) {
    const database = createDatabase({ kind: 'sqlite', file })
    await database.migrate()
    await work(database)
    await database.close()
    await closeFilesIn(dirname(file))
  }

  async function run(tool: string, words: string[], env: Record<string, string> = {}) {
    const ended = await runTool(tool, words, env)
    return { ...ended, first: ended.stdout.split('\n')[0] }
  }
  const tools = [
    ['reconcile', []],
    ['operate', ['status']],
    ['doctor', []],
  ] as const

  for (const [tool, words] of tools) {
    it(`${tool} looks at nothing where the environment names nothing`, async () => {
      const { status, stdout, stderr } = await run(tool, [...words])
      expect([status, stdout]).to.deep.equal([1, ''])
      for (const name of ['CHAINS_FILE', 'DATABASE_URL', 'DATA_DIR', '--embedded']) expect(stderr).to.contain(name)
      expect(stderr.trim().split('\n')).to.have.length(1)
    })

    it(`${tool} says first what it looks at`, async () => {
      const { status, first, stderr } = await run(tool, [...words, '--embedded'], { DATA_DIR: folder })
      expect(status, stderr).to.equal(0)
      const file = join(folder, 'service.sqlite')
      expect(first).to.equal(
        `Looking at SQLite ${file} and the embedded development chains in ${join(folder, 'chains')}`,
      )
    })
  }

  for (const tool of ['reconcile', 'operate', 'doctor', 'deploy']) {
    it(`${tool} says how it is used when it is asked, whatever the environment`, async () => {
      const { status, stdout, stderr } = await run(tool, ['--help'])
      expect([status, stderr]).to.deep.equal([0, ''])
      expect(stdout).to.match(new RegExp(`^Usage: npm run ${tool} .*\\n$`))
    })
  }

  for (const tool of ['doctor', 'deploy']) {
    it(`${tool} says how it is used when it is given what it does not know`, async () => {
      const { status, stdout, stderr } = await run(tool, ['--bogus'])
      expect([status, stdout]).to.deep.equal([1, ''])
      expect(stderr).to.match(new RegExp(`^Unknown option '--bogus'\\. Usage: npm run ${tool} .*\\n$`))
    })
  }

  describe('operate, on one that has a lane,', () => {
    const [signer, stranger] = [1, 9].map((index) => devAccount(index).address.toLowerCase() as Address) as [
      Address,
      Address,
    ]
    const [dataDir, otherDir] = [join(folder, 'lanes'), join(folder, 'other-chain')]
    const operateIn = (DATA_DIR: string, words: string[]) => run('operate', [...words, '--embedded'], { DATA_DIR })
    const operate = (...words: string[]) => operateIn(dataDir, words)

    before(async () => {
      const lane = { chainId: 31337, chainNonce: 0 }
      for (const dir of [dataDir, otherDir]) {
        await migrated(join(dir, 'service.sqlite'), async (database) => {
          const store = createStore(database)
          for (const one of [signer, stranger])
            await store.openLane({ ...lane, signer: one, ifLedgerIsNew: null }, Date.now())
          if (dir === otherDir) await store.rememberGenesis(31337, zeroHash)
        })
      }
    })

    it('pauses it, resumes it, and retires none whose key the vault pays', async () => {
      const paused = await operate('lane', 'pause', '31337', signer, 'a', 'new', 'key')
      expect(paused.stdout, paused.stderr).to.contain('is paused: a new key. It signs nothing new; 0 open transactions')
      const { stdout } = await operate('status')
      expect(stdout).to.contain(`${signer} paused, 0 open transactions, next nonce 0: a new key`)
      const resumed = await operate('lane', 'resume', '31337', signer)
      expect(resumed.stdout, resumed.stderr).to.contain('is active again; 0 transactions were given up.')
      const retired = await operate('lane', 'retire', '31337', signer)
      expect(retired.status).to.equal(1)
      expect(retired.stderr).to.match(/knows 0x[0-9a-fA-F]{40} as an operator: let/)
    })

    it('retires one whose key no vault knows, for good, whatever is said to it then', async () => {
      const retired = await operate('lane', 'retire', '31337', stranger, '--give-up')
      expect(retired.stdout, retired.stderr).to.contain('is retired for good; 0 transactions were given up.')
      const paused = await operate('lane', 'pause', '31337', stranger, 'leaked')
      expect(paused.stdout, paused.stderr).to.contain('is retired for good, and stays so; its reason is now: leaked')
    })

    it('resumes it on no other chain of that id', async () => {
      const { status, stdout, stderr } = await operateIn(otherDir, ['lane', 'resume', '31337', signer])
      expect(status, stdout).to.equal(1)
      expect(stderr).to.contain('another chain of the same id')
    })

    for (const [what, words, said] of [
      ['settles no exposure that there is not', ['exposure', 'settle', '7'], 'There is no open exposure 7'],
      ['settles no exposure of what is no number', ['exposure', 'settle', '0x7'], '<id> has to be the number'],
      ['settles nothing that is not named', ['exposure', 'settle'], 'Usage: '],
      ['drains no further than on or off', ['drain', 'on', 'now'], 'Usage: '],
      ['retires none for another word', ['lane', 'retire', '31337', stranger, '--gives-up'], 'Usage: '],
      [
        'books no payout of what is no transaction',
        ['payout', 'acknowledge', '31337', zeroAddress, '0xnope', '1'],
        '<transactionHash> has to be 0x and 64 hex digits',
      ],
      ['books no payout of no amount', ['payout', 'acknowledge', '31337', zeroAddress, zeroHash], 'Usage: '],
      ['resumes none of what is no address', ['lane', 'resume', '31337', '0xnope'], '<operator> has to be an address'],
      ['retires none of what is no address', ['lane', 'retire', '31337', '0xnope'], '<operator> has to be an address'],
      [
        'pauses none on a chain that is no number',
        ['lane', 'pause', 'main', signer],
        '<chainId> has to be a number above 0; it is main',
      ],
      ['pauses none that there is not', ['lane', 'pause', '99', signer], `There is no lane of ${signer} on chain 99`],
      [
        'retires none that there is not',
        ['lane', 'retire', '31338', stranger],
        `There is no lane of ${stranger} on chain`,
      ],
      ['resumes none with words that it does not know', ['lane', 'resume', '31337', signer, 'please'], 'Usage: '],
      [
        'retires none with words that it does not know',
        ['lane', 'retire', '31337', stranger, '--give-up', 'x'],
        'Usage: ',
      ],
      ['does with it only what it knows', ['lane', 'forget', '31337', signer], 'Usage: '],
    ] as const) {
      it(what, async () => {
        const { status, stderr } = await operate(...words)
        expect(status, stderr).to.equal(1)
        expect(stderr.startsWith(said), stderr).to.equal(true)
      })
    }
  })

  it('operate leaves the embedded chains to a service that runs on them', async () => {
    const dataDir = join(folder, 'running')
    const file = join(folder, 'running-database', 'of-the-tool.sqlite')
    await migrated(file)
    const devnet = await startDevnet({ dataDir: join(dataDir, 'chains') })
    try {
      // As a service whose database is on a server, of which a tool need not wait for the end.
      const env = { DATA_DIR: dataDir, DATABASE_URL: `sqlite:${file}` }
      const { status, stderr } = await run('operate', ['status'], env)
      expect(status, stderr).to.equal(0)
      for (const { chainId, rpcUrls } of devnet.chains) {
        expect((await identify(rpcUrls[0]!))?.chainId).to.equal(chainId)
      }
    } finally {
      await devnet.stop()
    }
  })

  it('go on to their end when whoever reads what they say has had enough', async () => {
    const args = await bundledProgram('scripts/operate.ts', 'status', '--embedded')
    const line = [process.execPath, ...args].map((word) => `'${word}'`).join(' ')
    const options = { encoding: 'utf8', env: { ...process.env, DATA_DIR: folder }, timeout: 50_000 } as const
    const { stderr, status } = spawnSync('bash', ['-c', `${line} | true; exit "\${PIPESTATUS[0]}"`], options)
    expect([status, stderr]).to.deep.equal([0, ''])
    const chains = JSON.parse(readFileSync(join(folder, 'chains/chains.json'), 'utf8')) as { port: number }[]
    expect(chains).to.have.length(2)
    for (const { port } of chains) expect(await identify(`http://127.0.0.1:${port}`)).to.equal(null)
  })

  it("tells the owner's calls of the embedded chains with --embedded, whatever the database", async () => {
    const env = { DATA_DIR: folder, DATABASE_URL: 'postgres://x/y' }
    const { status, first, stdout, stderr } = await run('operate', ['owner', 'pause', '31337', '--embedded'], env)
    expect([status, stderr]).to.deep.equal([0, ''])
    expect(first).to.equal(`Looking at the embedded development chains in ${join(folder, 'chains')}`)
    expect(stdout).to.match(/^31337: the owner 0x\w{40} has to pause payouts: to /m)
  })

  it('takes --embedded for no other chains', async () => {
    const { status, stderr } = await run('reconcile', ['--embedded'], { CHAINS_FILE: '/none', DATABASE_URL: 'sqlite:' })
    expect(status).to.equal(1)
    expect(stderr).to.contain('--embedded asks for')
  })

  it('doctor leaves its standard output to the findings where a script reads them', async () => {
    const { stdout, stderr } = await run('doctor', ['--json', '--embedded'], { DATA_DIR: folder })
    expect(JSON.parse(stdout)).to.deep.equal({ ok: true, findings: [] })
    expect(stderr).to.match(/^Looking at SQLite/)
  })

  describe('make and change no database', () => {
    for (const [tool, words] of tools.slice(0, 2)) {
      it(`${tool} refuses a file that is not there, and one without tables`, async () => {
        const file = join(folder, `of-${tool}`, 'none.sqlite')
        const refused = async () => {
          const { status, stderr } = await run(tool, [...words], { DATA_DIR: folder, DATABASE_URL: `sqlite:${file}` })
          expect(status, stderr).to.equal(1)
          expect(stderr).to.match(/^No service has ever used this database \(SQLite [^\n]+none\.sqlite\)[^\n]+\n$/)
        }
        await refused()
        expect(existsSync(dirname(file))).to.equal(false)
        mkdirSync(dirname(file))
        writeFileSync(file, '')
        await refused()
      })

      it(`${tool} makes no migration`, async () => {
        const file = join(folder, `before-${tool}`, 'service.sqlite')
        const last = { name: Object.keys(migrations).sort().at(-1)! }
        await migrated(file, ({ knex }) => knex('knex_migrations').where(last).delete())
        const { status, stderr } = await run(tool, [...words], { DATA_DIR: folder, DATABASE_URL: `sqlite:${file}` })
        expect(status, stderr).to.equal(1)
        expect(stderr).to.contain(last.name).and.to.contain("start this build's service first")
      })
    }
  })

  const noDatabase = join(folder, 'text')
  before(() => writeFileSync(noDatabase, 'no database, '.repeat(100)))
  const failing: [string, Record<string, string>, string][] = [
    ['a setting that is none', { PORT: 'x', ROLE: 'boss', DATA_DIR: folder }, 'PORT: must be'],
    ['a database that is not there', { DATABASE_URL: 'mysql://svc:hunter2@127.0.0.1:9/x' }, '127.0.0.1:9/x'],
    ['a file that is no database', { DATABASE_URL: `sqlite:${noDatabase}` }, 'SQLITE_NOTADB'],
    ['a place where there can be none', { DATABASE_URL: 'sqlite:/proc/nope/x' }, 'SQLite /proc/nope/x'],
  ]
  // The two share all of this, so that they take turns.
  for (const [index, [what, env, said]] of failing.entries()) {
    const [tool, words] = tools[index % 2]!
    it(`${tool} says of ${what} what is wrong, in one line`, async () => {
      const { status, stderr } = await run(tool, [...words], env)
      expect(status, stderr).to.equal(1)
      expect(stderr.trim().split('\n'), stderr).to.have.length(1)
      expect(stderr).to.contain(said)
      expect(stderr).not.to.contain('hunter2')
    })
  }
})
