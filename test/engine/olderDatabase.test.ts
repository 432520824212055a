import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { pino } from 'pino'
import { parseUnits } from 'viem'
import { resumeAtChain } from '../../scripts/operate/resumeAtChain.js'
import { createChain } from '../../server/chain/createChain.js'
import { type Service, startService } from '../../server/compose.js'
import { loadConfig } from '../../server/config.js'
import { type Devnet, startDevnet } from '../../server/devnet/devnet.js'
import { createStore } from '../../server/store/store.js'
import { createApi, type Api } from '../support/api.js'
import { chainsFileOf } from '../support/chainsFile.js'
import { closeFilesIn } from '../support/closedFile.js'
import { until } from '../support/until.js'
import {
  authorization,
  balanceOf,
  fund,
  newUser,
  onDemandIntent,
  sendFrom,
  signedIntent,
  tokenOf,
  transferData,
} from '../support/wallets.js'

/** The database is a file, which can be put back as it was; what happens then is the same on a server. */
describe('a database that is older than its chains', () => {
  let folder: string
  let devnet: Devnet
  let service: Service
  let api: Api

  const data = () => join(folder, 'data')
  const file = () => join(data(), 'service.sqlite')
  const backup = () => join(folder, 'backup.sqlite')

  async function start() {
    const env = chainsFileOf({ ...devnet, operatorKeys: devnet.operatorKeys.slice(0, 2) }, folder)
    const loaded = loadConfig({ ...env, DATABASE_URL: `sqlite:${file()}`, PORT: '0' })
    if (!loaded.ok) throw new Error(loaded.problems.join('; '))
    service = await startService(loaded.config, pino({ level: 'silent' }))
    api = createApi(service.url!)
  }

  async function stop() {
    await service.stop()
    await closeFilesIn(data())
  }

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'older-'))
    devnet = await startDevnet({ dataDir: folder, isKept: false })
    await start()
  })
  afterEach(async () => {
    await service.stop()
    await devnet.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const lanes = () => service.database.knex<{ chain_id: number; signer: `0x${string}`; status: string }>('lanes')

  /** A user who has paid on one chain and been paid on the other, by an action that the database has forgotten half of. */
  async function forgotten() {
    const [a, b] = devnet.chains as [Devnet['chains'][number], Devnet['chains'][number]]
    const [usdA, usdB] = [tokenOf(a, 'usd').address, tokenOf(b, 'usd').address]
    const user = newUser()
    await fund(a, user.address, { usd: parseUnits('50', 6), native: parseUnits('1', 18) })
    const pays = { from: user.address, to: a.vault, token: usdA, amount: parseUnits('50', 6) }
    const gets = { from: 'solver' as const, to: user.address, token: usdB, amount: parseUnits('50', 18) }
    const batches = [
      { chainId: a.chainId, tokenTransfers: [pays] },
      { chainId: b.chainId, tokenTransfers: [gets] },
    ]
    const created = await api.post('/actions', { user: user.address, intents: [onDemandIntent(batches)] })
    const { actionId } = created.body
    const hash = await sendFrom(a, user, { to: usdA, data: transferData(a.vault, pays.amount) })
    expect((await api.execute(actionId, 0, 0, { action: 'register', hash })).body.status).to.equal('success')
    await stop()
    copyFileSync(file(), backup())
    await start()
    expect((await api.execute(actionId, 0, 1)).body.status).to.equal('success')

    await stop()
    for (const ending of ['', '-wal', '-shm']) rmSync(file() + ending, { force: true })
    copyFileSync(backup(), file())
    await start()
    await until(async () => (await lanes().where({ status: 'ahead' })).length === 1, 'the lane to be paused', 20_000)
    return { actionId, user, gets, b, received: () => balanceOf(b, usdB, user.address) }
  }

  it('pays nothing on credit by any lane, since it may be spent, and carries out the rest', async () => {
    const { user, gets, b, received } = await forgotten()
    // His credit is back, and there are three lanes that the chains know no more of than the journal.
    const refund = await api.post('/actions', {
      user: user.address,
      chainAuthorizations: [],
      intents: [await signedIntent(user, [{ chainId: b.chainId, tokenTransfers: [gets], calls: [] }])],
    })
    expect((await api.execute(refund.body.actionId, 0, 0, undefined, 5)).body.status).to.equal('executing')

    const other = newUser()
    await fund(b, other.address, { usd: 9n })
    const calls = [{ to: gets.token, value: 0n, data: transferData(b.vault, 9n) }]
    const moved = await api.post('/actions', {
      user: other.address,
      chainAuthorizations: [await authorization(other, b)],
      intents: [await signedIntent(other, [{ chainId: b.chainId, tokenTransfers: [], calls }])],
    })
    expect((await api.execute(moved.body.actionId, 0, 0)).body.status).to.equal('success')
    const { findings } = (await api.get('/health')).body.data as { findings: { code: string; message: string }[] }
    const told = findings.filter(({ code }) => code === 'lane_paused')
    expect(told).to.have.length(1)
    expect(told[0]!.message).to.contain('Nothing is paid out on credit, on any chain')
    expect((await api.get(`/actions/${refund.body.actionId}`)).body.status).to.equal('executing')
    expect(await received()).to.equal(gets.amount)
  }).timeout(60_000)

  it('finds what was paid for who asks again while nothing else is paid, and goes on once the lane is resumed', async () => {
    const { actionId, user, gets, b, received } = await forgotten()
    expect((await api.execute(actionId, 0, 1)).body.status).to.equal('success')
    expect(await received()).to.equal(gets.amount)
    const [paused] = await lanes().where({ status: 'ahead' })
    await resumeAtChain(createChain(b), paused!.signer, createStore(service.database))

    const deposit = parseUnits('7', 18)
    await fund(b, user.address, { usd: deposit, native: parseUnits('1', 18) })
    const txHash = await sendFrom(b, user, { to: gets.token, data: transferData(b.vault, deposit) })
    const report = { user: user.address, txHash, sender: user.address, tokenAddress: gets.token, chainId: b.chainId }
    expect((await api.post('/coredeposit', { ...report, amount: deposit.toString() })).status).to.equal(200)
    const batch = { chainId: b.chainId, tokenTransfers: [{ ...gets, amount: deposit }], calls: [] }
    const intents = [await signedIntent(user, [batch])]
    const refund = await api.post('/actions', { user: user.address, chainAuthorizations: [], intents })
    expect((await api.execute(refund.body.actionId, 0, 0)).body.status).to.equal('success')
    expect(await received()).to.equal(gets.amount + deposit)
  }).timeout(60_000)
})
