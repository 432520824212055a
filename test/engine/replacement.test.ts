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
import { authorization, balanceOf, fund, newUser, signedIntent, tokenOf, transferData } from '../support/wallets.js'

describe('a transaction that is stuck', () => {
  const folder = mkdtempSync(join(tmpdir(), 'stuck-'))
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

  it('below a base fee that has risen is replaced at the same nonce, and takes effect once', async function () {
    this.timeout(60_000)
    const env = chainsFileOf(devnet, folder)
    const file = JSON.parse(readFileSync(env.CHAINS_FILE, 'utf8')) as { chains: { replaceAfterMs: number }[] }
    for (const chain of file.chains) chain.replaceAfterMs = 1_000
    writeFileSync(env.CHAINS_FILE, JSON.stringify(file))
    const databaseUrl = mysql?.url ?? `sqlite:${join(folder, 'stuck.sqlite')}`
    const loaded = loadConfig({ ...env, DATABASE_URL: databaseUrl, PORT: '0' })
    if (!loaded.ok) throw new Error(loaded.problems.join('; '))
    const service = await startService(loaded.config, pino({ level: 'silent' }))
    try {
      const api = createApi(service.url!)
      const [chain] = devnet.chains
      const url = chain!.rpcUrls[0]!
      const usd = tokenOf(chain!, 'usd').address
      const user = newUser()
      await fund(chain!, user.address, { usd: 9n })
      const calls = [{ to: usd, value: 0n, data: transferData(chain!.vault, 9n) }]
      const created = await api.post('/actions', {
        user: user.address,
        chainAuthorizations: [await authorization(user, chain!)],
        intents: [await signedIntent(user, [{ chainId: chain!.chainId, tokenTransfers: [], calls }])],
      })
      const step = `/actions/${created.body.actionId}/intents/0/steps/0`
      await rpc(url, 'evm_setAutomine', [false])
      await api.execute(created.body.actionId, 0, 0, undefined, 0)
      const hashOf = async () => (await api.get(step)).body.transactionHash as string | null
      const first = await until(hashOf, 'the first form of the transaction')
      await rpc(url, 'anvil_setNextBlockBaseFeePerGas', ['0x174876e800'])
      await rpc(url, 'evm_mine', [])
      const second = await until(async () => ((await hashOf()) === first ? null : hashOf()), 'a replacement')
      await rpc(url, 'evm_setAutomine', [true])
      await rpc(url, 'evm_mine', [])
      await until(async () => (await api.get(step)).body.status === 'success', 'the step')
      expect(await balanceOf(chain!, usd, user.address)).to.equal(0n)
      expect((await api.get(step)).body.transactionHash).to.not.equal(first)
      expect(second).to.not.equal(first)
      const forms = await service.database.knex('attempts').select('hash')
      const transactions = await service.database.knex('transactions').select('id')
      expect(forms.length).to.be.greaterThan(1)
      expect(transactions).to.have.length(1)
    } finally {
      await service.stop()
    }
  })
})
