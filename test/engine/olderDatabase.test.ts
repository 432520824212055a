import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Knex } from 'knex'
import { pino } from 'pino'
import { type Abi, type Address, encodeFunctionData, parseUnits } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { resumeAtChain } from '../../scripts/operate/resumeAtChain.js'
import { retire } from '../../scripts/operate/retire.js'
import { createChain } from '../../server/chain/createChain.js'
import { solverVaultAbi } from '../../server/chain/generated/contracts.js'
import { type Service, startService } from '../../server/compose.js'
import { loadConfig } from '../../server/config/config.js'
import { devAccount } from '../../server/devnet/accounts.js'
import { type Devnet, startDevnet } from '../../server/devnet/devnet.js'
import { createDatabase } from '../../server/store/connection/database.js'
import { aheadStatuses } from '../../server/store/journal/lanes.js'
import { createStore } from '../../server/store/store.js'
import { startFaultyNode } from '../chain/faultyNode.js'
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

  async function start(change: (devnet: Devnet) => Devnet = (same) => same) {
    const env = chainsFileOf(change({ ...devnet, operatorKeys: devnet.operatorKeys.slice(0, 2) }), folder)
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

  type Lane = { chain_id: number; signer: Address }
  type Change = {
    inDatabase?: (knex: Knex, paid: Lane) => Promise<unknown>
    inConfig?: (devnet: Devnet, paid: Lane) => Devnet
  }

  /** In the database as it was put back, before the service has seen it. */
  async function changeDatabase(change: (knex: Knex) => Promise<unknown>) {
    const database = createDatabase({ kind: 'sqlite', file: file() })
    await change(database.knex)
    await database.close()
    await closeFilesIn(data())
  }

  /**
   * A user who has paid on one chain and been paid on the other, by an action that the database has forgotten half of.
   * `inDatabase` and `inConfig`: what else is other than it was, by the lane that has paid.
   */
  async function forgotten({ inDatabase, inConfig = (same) => same }: Change = {}) {
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
    const ofB = service.database.knex<Lane>('transactions').where({ chain_id: b.chainId })
    const paid: Lane = (await ofB.first('chain_id', 'signer'))!

    await stop()
    for (const ending of ['', '-wal', '-shm']) rmSync(file() + ending, { force: true })
    copyFileSync(backup(), file())
    if (inDatabase) await changeDatabase((knex) => inDatabase(knex, paid))
    await start((given) => inConfig(given, paid))
    await until(
      async () => (await lanes().whereIn('status', aheadStatuses)).length === 1,
      'the lane to be paused',
      20_000,
    )
    return { actionId, user, gets, b, paid, received: () => balanceOf(b, usdB, user.address) }
  }

  type Scene = Awaited<ReturnType<typeof forgotten>>

  /** By an action of its own, which the vault has not paid. */
  async function payAgain({ user, gets, b }: Pick<Scene, 'user' | 'gets' | 'b'>) {
    const intents = [await signedIntent(user, [{ chainId: b.chainId, tokenTransfers: [gets], calls: [] }])]
    const refund = await api.post('/actions', { user: user.address, chainAuthorizations: [], intents })
    return (await api.execute(refund.body.actionId, 0, 0, undefined, 5)).body.status as string
  }

  /** What the user has just paid in, back to where the others' payouts go. */
  async function payFromDeposit(
    user: ReturnType<typeof newUser>,
    { gets, b }: Pick<Scene, 'gets' | 'b'>,
    amount: bigint,
  ) {
    await fund(b, user.address, { usd: amount, native: parseUnits('1', 18) })
    const txHash = await sendFrom(b, user, { to: gets.token, data: transferData(b.vault, amount) })
    const report = { user: user.address, txHash, sender: user.address, tokenAddress: gets.token, chainId: b.chainId }
    expect((await api.post('/coredeposit', { ...report, amount: amount.toString() })).status).to.equal(200)
    return payAgain({ user, gets: { ...gets, amount }, b })
  }

  it('pays nothing on credit by any lane, since it may be spent, and carries out the rest', async () => {
    const { user, gets, b, received } = await forgotten()
    // His credit is back, and there are three lanes that the chains know no more of than the journal.
    const intents = [await signedIntent(user, [{ chainId: b.chainId, tokenTransfers: [gets], calls: [] }])]
    const refund = await api.post('/actions', { user: user.address, chainAuthorizations: [], intents })
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
    expect(await payFromDeposit(user, { gets, b }, deposit)).to.equal('success')
    expect(await received()).to.equal(gets.amount + deposit)
  }).timeout(60_000)

  /** What the backup has of the lane that has paid since. */
  const pausedThen = (knex: Knex, { chain_id, signer }: Lane) =>
    knex('lanes').where({ chain_id, signer }).update({ status: 'paused', reason: 'as of the backup' })
  const without = (given: Devnet, { signer }: Lane): Devnet => ({
    ...given,
    operatorKeys: given.operatorKeys.filter((key) => privateKeyToAddress(key).toLowerCase() !== signer),
  })
  const statusOf = async ({ chain_id, signer }: Lane) => (await lanes().where({ chain_id, signer }).first())!.status
  const resume = ({ b, paid }: { b: Devnet['chains'][number]; paid: Lane }) =>
    resumeAtChain(createChain(b), paid.signer, createStore(service.database))

  for (const [which, change, then] of [
    ['was paused then', { inDatabase: pausedThen }, 'paused'],
    ['is configured no more', { inConfig: without }, 'active'],
    ['was paused then and is configured no more', { inDatabase: pausedThen, inConfig: without }, 'paused'],
  ] as const) {
    it(`pays nothing on credit that a key has paid out which ${which}, until its lane is resumed`, async () => {
      const scene = await forgotten(change)
      expect(await payAgain(scene)).to.equal('executing')
      expect(await scene.received()).to.equal(scene.gets.amount)

      await resume(scene)
      expect(await statusOf(scene.paid), 'as it was').to.equal(then)
      // Compared with the chain again, as it starts.
      await stop()
      await start((given) => ('inConfig' in change ? change.inConfig(given, scene.paid) : given))
      expect(await payFromDeposit(newUser(), scene, 7n)).to.equal('success')
      expect(await statusOf(scene.paid), 'still').to.equal(then)
    }).timeout(60_000)
  }

  it('pays nothing on credit though the first node to be asked tells old nonces', async () => {
    const [, b] = devnet.chains
    const node = await startFaultyNode(b!.rpcUrls[0])
    node.behave({
      kind: 'answer',
      answer: ({ method }) => (method === 'eth_getTransactionCount' ? { result: '0x0' } : null),
    })
    const stale = (given: Devnet): Devnet => ({
      ...given,
      chains: given.chains.map((chain) =>
        chain.chainId === b!.chainId ? { ...chain, rpcUrls: [node.url, ...chain.rpcUrls] } : chain,
      ),
    })
    try {
      const scene = await forgotten({ inConfig: stale })
      expect(await payAgain(scene)).to.equal('executing')
      expect(await scene.received()).to.equal(scene.gets.amount)
    } finally {
      await node.stop()
    }
  }).timeout(60_000)

  it('holds nothing for a key that was retired for good, whatever is done with it', async () => {
    const scene = await forgotten({ inDatabase: pausedThen, inConfig: without })
    const retired = () =>
      retire(createChain(scene.b), scene.paid.signer, service.database, { givesUp: false }).catch(
        (error: Error) => error.message,
      )
    expect(await retired()).to.contain('knows')
    const data = encodeFunctionData({
      abi: solverVaultAbi as Abi,
      functionName: 'setOperator',
      args: [scene.paid.signer, false],
    })
    await sendFrom(scene.b, devAccount(0), { to: scene.b.vault, data })
    expect(await retired()).to.contain('retired for good')
    await stop()
    await start((given) => without(given, scene.paid))
    expect(await payFromDeposit(newUser(), scene, 7n)).to.equal('success')
    expect(await statusOf(scene.paid)).to.equal('retired')
    expect(await resume(scene).catch((error: Error) => error.message)).to.contain('use another key')
    const { findings } = (await api.get('/health')).body.data as { findings: { code: string }[] }
    expect(findings.map(({ code }) => code)).not.to.include('lane_paused')
  }).timeout(60_000)
})
