import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { pino } from 'pino'
import { type Service, startService } from '../../server/compose.js'
import { loadConfig } from '../../server/config/config.js'
import { devAccount } from '../../server/devnet/accounts.js'
import { type Devnet, startDevnet } from '../../server/devnet/devnet.js'
import { createApi } from '../support/api.js'
import { chainsFileOf } from '../support/chainsFile.js'
import { closeFilesIn } from '../support/closedFile.js'
import { migratedSchema } from '../support/mysqlSchemas.js'
import { actionOf, balanceOf, fund, newUser, tokenOf, transferData } from '../support/wallets.js'

/** What faces the internet need not hold what signs. */
describe('a process that only answers requests', function () {
  this.timeout(60_000)
  const folder = mkdtempSync(join(tmpdir(), 'keyless-'))
  let devnet: Devnet
  let mysql: Awaited<ReturnType<typeof migratedSchema>> | null = null
  let running: Service | null = null

  before(async () => {
    devnet = await startDevnet({ dataDir: join(folder, 'chains'), isKept: false })
    if (process.env.TEST_DATABASE === 'mysql') mysql = await migratedSchema()
  })
  after(async () => {
    await running?.stop()
    await devnet.stop()
    await mysql?.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  async function start(env: Record<string, string>) {
    await running?.stop()
    running = null
    await closeFilesIn(join(folder, 'service'))
    const { CHAINS_FILE } = chainsFileOf(devnet, folder)
    const url = mysql?.url ?? `sqlite:${join(folder, 'service.sqlite')}`
    const loaded = loadConfig({ CHAINS_FILE, DATABASE_URL: url, PORT: '0', ...env })
    if (!loaded.ok) throw new Error(loaded.problems.join('; '))
    running = await startService(loaded.config, pino({ level: 'silent' }))
    return createApi(running.url!)
  }

  const anAction = (user = newUser()) => {
    const chain = devnet.chains[0]!
    const calls = [{ to: tokenOf(chain, 'usd').address, value: 0n, data: transferData(chain.vault, 9n) }]
    return actionOf(user, chain, calls)
  }

  it('accepts steps with the operators’ addresses alone, and leaves them to one that has the keys', async () => {
    const [chain] = devnet.chains
    const addresses = [1, 2].map((index) => devAccount(index).address)
    const keyless = await start({ ROLE: 'api', SOLVER_SIGNER_ADDRESSES: addresses.join(',') })
    const { chains } = (await keyless.get('/health')).body.data
    expect(chains[0].status).to.equal('ok')

    const user = newUser()
    const usd = tokenOf(chain!, 'usd').address
    await fund(chain!, user.address, { usd: 9n })
    const { actionId } = (await keyless.post('/actions', await anAction(user))).body
    expect((await keyless.execute(actionId, 0, 0, undefined, 0)).body.status).to.equal('executing')
    expect(await balanceOf(chain!, usd, user.address)).to.equal(9n)

    const whole = await start({ SOLVER_PRIVATE_KEYS: devnet.operatorKeys.slice(0, 2).join(',') })
    expect((await whole.execute(actionId, 0, 0)).body.status).to.equal('success')
    expect(await balanceOf(chain!, usd, user.address)).to.equal(0n)
  })

  it('knows the operators by their addresses, who are nobody’s recipients', async () => {
    const operator = devAccount(1)
    const api = await start({ ROLE: 'api', SOLVER_SIGNER_ADDRESSES: operator.address })
    const { status, body } = await api.post('/actions', { ...(await anAction()), user: operator.address })
    expect(status).to.equal(400)
    const places = (body.issues as { path: string; code: string }[]).map(({ path, code }) => `${path} ${code}`)
    expect(places).to.include('/user user_not_allowed')
  })
})
