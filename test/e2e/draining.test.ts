import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { pino } from 'pino'
import { rpc } from '../../server/devnet/anvil.js'
import { type Service, startService } from '../../server/compose.js'
import { loadConfig } from '../../server/config/config.js'
import { createApi, type Api } from '../support/api.js'
import { migratedSchema } from '../support/mysqlSchemas.js'
import { until } from '../support/until.js'
import { authorization, fund, newUser, signedIntent, tokenOf, transferData } from '../support/wallets.js'

describe('drain mode', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'drain-'))
  let service: Service
  let api: Api
  let mysql: Awaited<ReturnType<typeof migratedSchema>> | null = null

  before(async () => {
    mysql = process.env.TEST_DATABASE === 'mysql' ? await migratedSchema() : null
    const loaded = loadConfig({ DATA_DIR: dataDir, PORT: '0', ...(mysql && { DATABASE_URL: mysql.url }) })
    if (!loaded.ok) throw new Error(loaded.problems.join('; '))
    service = await startService(loaded.config, pino({ level: 'silent' }))
    api = createApi(service.url!)
  })
  after(async () => {
    await service.stop()
    await mysql?.drop()
    rmSync(dataDir, { recursive: true, force: true })
  })

  async function anAction() {
    const [chain] = service.chains
    const user = newUser()
    const usd = tokenOf(chain!, 'usd').address
    await fund(chain!, user.address, { usd: 9n })
    const calls = [{ to: usd, value: 0n, data: transferData(chain!.vault, 9n) }]
    return {
      user: user.address,
      chainAuthorizations: [await authorization(user, chain!)],
      intents: [await signedIntent(user, [{ chainId: chain!.chainId, tokenTransfers: [], calls }])],
    }
  }

  it('accepts nothing new, finishes what it has, and ends without a restart', async () => {
    const url = service.chains[0]!.rpcUrls[0]!
    const post = async (body: object) => api.post('/actions', body)
    const late = await anAction()
    const { actionId } = (await post(await anAction())).body
    const other = (await post(await anAction())).body
    const step = async () => (await api.get(`/actions/${actionId}/intents/0/steps/0`)).body
    await rpc(url, 'evm_setAutomine', [false])
    await api.execute(actionId, 0, 0, undefined, 0)
    await until(async () => (await step()).transactionHash, 'the transaction')

    await service.setDraining(true)
    const refused = await post(late)
    expect(refused.status).to.equal(503)
    expect(refused.body.error.code).to.equal('draining')
    expect(refused.headers.get('retry-after')).to.match(/^\d+$/)
    expect((await api.execute(other.actionId, 0, 0)).body.error.code).to.equal('draining')
    expect((await api.get('/health')).body.data.draining).to.equal(true)
    expect((await api.get('/readyz')).status).to.equal(200)

    await rpc(url, 'evm_setAutomine', [true])
    await rpc(url, 'evm_mine', [])
    await until(async () => (await step()).status === 'success', 'what was under way')

    await service.setDraining(false)
    expect((await api.execute(other.actionId, 0, 0)).body.status).to.equal('success')
  })
})
