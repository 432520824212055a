import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { pino } from 'pino'
import { startService } from '../../server/compose.js'
import { loadConfig } from '../../server/config.js'
import { rpc } from '../../server/devnet/anvil.js'
import { type Devnet, startDevnet } from '../../server/devnet/devnet.js'
import { createApi } from '../support/api.js'
import { chainsFileOf } from '../support/chainsFile.js'
import { freshMysqlUrl } from '../support/database.js'
import { until } from '../support/until.js'
import { fund, newUser, sendFrom, tokenOf, transferData } from '../support/wallets.js'

describe('a reorganisation within the confirmations', () => {
  const folder = mkdtempSync(join(tmpdir(), 'reorg-'))
  let devnet: Devnet
  let mysql: Awaited<ReturnType<typeof freshMysqlUrl>> | null = null

  before(async () => {
    devnet = await startDevnet({ dataDir: folder })
    mysql = process.env.TEST_DATABASE === 'mysql' ? await freshMysqlUrl() : null
  })
  after(async () => {
    await devnet.stop()
    await mysql?.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('that removes a deposit leaves no credit behind', async function () {
    this.timeout(60_000)
    const env = chainsFileOf(devnet, folder)
    const file = JSON.parse(readFileSync(env.CHAINS_FILE, 'utf8')) as { chains: { confirmations: number }[] }
    for (const chain of file.chains) chain.confirmations = 4
    writeFileSync(env.CHAINS_FILE, JSON.stringify(file))
    const databaseUrl = mysql?.url ?? `sqlite:${join(folder, 'reorg.sqlite')}`
    const loaded = loadConfig({ ...env, DATABASE_URL: databaseUrl, PORT: '0' })
    if (!loaded.ok) throw new Error(loaded.problems.join('; '))
    const service = await startService(loaded.config, pino({ level: 'silent' }))
    try {
      const api = createApi(service.url!)
      const [chain] = devnet.chains
      const url = chain!.rpcUrls[0]!
      const usd = tokenOf(chain!, 'usd').address
      const user = newUser()
      await fund(chain!, user.address, { usd: 9n, native: 10n ** 18n })
      const pay = () => sendFrom(chain!, user, { to: usd, data: transferData(chain!.vault, 4n) })
      const report = (txHash: string) =>
        api.post('/coredeposit', {
          ...{ user: user.address, sender: user.address, tokenAddress: usd, chainId: chain!.chainId },
          ...{ txHash, amount: '4' },
        })
      const confirmations = async (txHash: string) => {
        const rows = await service.database.knex<{ transaction_hash: string; confirmations: number }>('deposits')
        return rows.find((row) => row.transaction_hash === txHash)?.confirmations
      }

      const removed = await pay()
      const waiting = report(removed)
      await until(async () => (await confirmations(removed)) === 1, 'the first confirmation')
      await rpc(url, 'anvil_reorg', [1, []])
      await rpc(url, 'anvil_mine', ['0x8'])
      expect((await waiting).status).to.equal(202)
      expect((await api.get(`/coredeposit/${user.address}`)).body.data.tokens).to.deep.equal([])

      const kept = await pay()
      const recorded = report(kept)
      await until(async () => (await confirmations(kept)) === 1, 'the first confirmation')
      await rpc(url, 'anvil_mine', ['0x3'])
      expect((await recorded).status).to.equal(200)
      expect((await api.get(`/coredeposit/${user.address}`)).body.data.tokens[0].available).to.equal('4')
    } finally {
      await service.stop()
    }
  })
})
