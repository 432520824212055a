import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { pino } from 'pino'
import { privateKeyToAccount } from 'viem/accounts'
import { startService } from '../../server/compose.js'
import { loadConfig } from '../../server/config/config.js'
import { rpc } from '../../server/devnet/anvil.js'
import { type Devnet, startDevnet } from '../../server/devnet/devnet.js'
import { createApi } from '../support/api.js'
import { chainsFileOf } from '../support/chainsFile.js'
import { migratedSchema } from '../support/mysqlSchemas.js'
import { type SignerMood, startRemoteSigner } from '../support/remoteSigner.js'
import { type SpawnedService, spawnService } from '../support/spawnedService.js'
import { until } from '../support/until.js'
import { authorization, balanceOf, fund, newUser, signedIntent, tokenOf, transferData } from '../support/wallets.js'

const steps = 12

/** So that there are many bundles, of which each waits for the signer, with few steps. */
const small = { BUNDLE_MAX_STEPS: '10' }

describe('steps whose signer is another process', () => {
  const folder = mkdtempSync(join(tmpdir(), 'slow-signer-'))
  let devnet: Devnet
  let mysql: Awaited<ReturnType<typeof migratedSchema>> | null = null
  let remote: Awaited<ReturnType<typeof startRemoteSigner>>
  let service: Awaited<ReturnType<typeof startService>>
  let api: ReturnType<typeof createApi>

  before(async function () {
    this.timeout(60_000)
    devnet = await startDevnet({ dataDir: folder })
    mysql = process.env.TEST_DATABASE === 'mysql' ? await migratedSchema() : null
    const key = devnet.operatorKeys[0]!
    remote = await startRemoteSigner([key], join(folder, 'signer'))
    const loaded = loadConfig({
      CHAINS_FILE: chainsFileOf(devnet, folder).CHAINS_FILE,
      SOLVER_SIGNER_URL: remote.url,
      SOLVER_SIGNER_ADDRESSES: privateKeyToAccount(key).address,
      DATABASE_URL: mysql?.url ?? `sqlite:${join(folder, 'service.sqlite')}`,
      PORT: '0',
      ...small,
    })
    if (!loaded.ok) throw new Error(loaded.problems.join('; '))
    service = await startService(loaded.config, pino({ level: process.env.TEST_LOG_LEVEL ?? 'silent' }))
    api = createApi(service.url!)
  })
  after(async () => {
    await service.stop()
    await remote.stop()
    await devnet.stop()
    await mysql?.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Actions of as many users, each with one step: a payment of his to the vault. */
  async function create(count: number, through = api) {
    const [chain] = devnet.chains
    const usd = tokenOf(chain!, 'usd').address
    const created = []
    for (let index = 0; index < count; index++) {
      const user = newUser()
      await fund(chain!, user.address, { usd: 5n })
      const calls = [{ to: usd, value: 0n, data: transferData(chain!.vault, 5n) }]
      const { body } = await through.post('/actions', {
        user: user.address,
        chainAuthorizations: [await authorization(user, chain!)],
        intents: [await signedIntent(user, [{ chainId: chain!.chainId, tokenTransfers: [], calls }])],
      })
      const actionId = body.actionId as string
      created.push({
        user,
        path: `/actions/${actionId}/intents/0/steps/0`,
        execute: () => through.execute(actionId, 0, 0, undefined, 0),
      })
    }
    return created
  }

  /** Asks for one step after the other, so that several bundles come of them. */
  async function ask(count: number) {
    const asked = []
    for (let index = 0; index < count; index++) {
      const [action] = await create(1)
      await action!.execute()
      asked.push(action!)
    }
    return asked
  }

  async function askAtOnce(count: number, through = api) {
    const asked = await create(count, through)
    await Promise.all(asked.map((action) => action.execute()))
    return asked
  }

  /** Every step has been carried out, signed for once, alone or with others, and the nonces have no gap. */
  async function expectAllDone(asked: Awaited<ReturnType<typeof ask>>) {
    const [chain] = devnet.chains
    for (const { path, user } of asked) {
      await until(async () => (await api.get(path)).body.status === 'success', `${path} to succeed`, 40_000)
      expect(await balanceOf(chain!, tokenOf(chain!, 'usd').address, user.address)).to.equal(0n)
    }
    const rows = (await service.database.knex('transactions').orderBy('nonce').select('nonce', 'signed_for')) as {
      nonce: number
      signed_for: string
    }[]
    expect(rows.map(({ nonce }) => nonce)).to.deep.equal(rows.map((_row, index) => index + rows[0]!.nonce))
    const signedFor = rows.flatMap((row) => JSON.parse(row.signed_for) as object[]).map((ref) => JSON.stringify(ref))
    expect(signedFor).to.have.length(await countSteps())
    expect(new Set(signedFor).size).to.equal(signedFor.length)
  }

  async function countSteps(): Promise<number> {
    return (await service.database.knex('steps').select('action_id')).length
  }

  const moods: [SignerMood, number][] = [
    ['silent', 0],
    ['refuses', 0],
    ['takes another key', 0],
    ['well', 300],
  ]
  for (const [mood, delayMs] of moods) {
    const what = delayMs > 0 ? `that takes ${delayMs} ms` : `that ${mood}`
    it(`wait for one ${what} without keeping the service, and are carried out once`, async function () {
      this.timeout(120_000)
      await remote.mood(mood, delayMs)
      const asked = await ask(steps)
      if (mood !== 'well') {
        await until(async () => (await laneReason()) !== null, 'the lane to say what its signer does')
      }
      // While the signer keeps them waiting, everything that needs no signature is answered as ever.
      const durations = []
      for (let round = 0; round < 30; round++) {
        const began = performance.now()
        expect((await api.get(asked[round % steps]!.path)).status).to.equal(200)
        durations.push(performance.now() - began)
      }
      expect(Math.max(...durations)).to.be.below(1_000)
      await remote.mood('well')
      await expectAllDone(asked)
      // The report may be as old as a second.
      await until(async () => (await laneReason()) === null, 'the lane to say nothing more')
    })
  }

  it('are carried out once when the signer dies meanwhile and comes back', async function () {
    this.timeout(120_000)
    await remote.mood('well', 200)
    const asked = await ask(steps)
    await until(async () => (await api.get(asked[0]!.path)).body.transactionHash !== null, 'a first signature', 40_000)
    await remote.stop()
    rmSync(join(folder, 'signer'), { force: true })
    await until(async () => (await laneReason()) !== null, 'the lane to notice')
    remote = await startRemoteSigner([devnet.operatorKeys[0]!], join(folder, 'signer'))
    await expectAllDone(asked)
  })

  it('are signed for once though they wait for longer than a lease', async function () {
    this.timeout(180_000)
    // The signer is first asked which keys it has, which would make the first signature too late.
    await remote.mood('well')
    await expectAllDone(await ask(1))
    const before = await countTransactions()
    await remote.mood('well', 2_500)
    // Seven bundles, one after the other: the last is signed 17 s after the first was begun with.
    const asked = await askAtOnce(70)
    const unsigned = async () => (await service.database.knex('steps').whereNull('transaction_id')).length
    await until(async () => (await unsigned()) === 0, 'every step to be signed for', 120_000)
    expect(await remote.signatures()).to.equal((await countTransactions()) - before)
    await remote.mood('well')
    await expectAllDone(asked)
  })

  async function countTransactions(): Promise<number> {
    return (await service.database.knex('transactions').select('id')).length
  }

  it('keep no service from its end, and are carried out once after it', async function () {
    this.timeout(120_000)
    const key = devnet.operatorKeys[1]!
    const slow = await startRemoteSigner([key])
    const itsOwn = process.env.TEST_DATABASE === 'mysql' ? await migratedSchema() : null
    const env = {
      CHAINS_FILE: chainsFileOf(devnet, folder).CHAINS_FILE,
      SOLVER_SIGNER_URL: slow.url,
      SOLVER_SIGNER_ADDRESSES: privateKeyToAccount(key).address,
      DATABASE_URL: itsOwn?.url ?? `sqlite:${join(folder, 'stopped.sqlite')}`,
      ...small,
    }
    const nonce = async () =>
      Number(
        await rpc(devnet.chains[0]!.rpcUrls[0]!, 'eth_getTransactionCount', [
          privateKeyToAccount(key).address,
          'latest',
        ]),
      )
    const nonceBefore = await nonce()
    const stopped = await spawnService(env)
    let again: SpawnedService | null = null
    try {
      await slow.mood('well', 1_000)
      const asked = await askAtOnce(60, createApi(stopped.url!))
      await until(async () => (await slow.signatures()) > 0, 'a first signature', 40_000)
      const began = performance.now()
      await stopped.stop()
      expect(performance.now() - began, 'all its bundles would take it 5 s and more').to.be.below(3_500)
      expect((await nonce()) - nonceBefore, 'bundles sent before its end').to.be.below(5)
      await slow.mood('well')
      again = await spawnService(env)
      const hashes = new Set<string>()
      for (const { path, user } of asked) {
        const step = await until(
          async () => {
            const { body } = await createApi(again!.url!).get(path)
            return body.status === 'success' && body
          },
          `${path} to succeed`,
          40_000,
        )
        hashes.add(step.transactionHash)
        expect(await balanceOf(devnet.chains[0]!, tokenOf(devnet.chains[0]!, 'usd').address, user.address)).to.equal(0n)
      }
      expect((await nonce()) - nonceBefore, 'no transaction besides').to.equal(hashes.size)
    } finally {
      await stopped.stop()
      await again?.stop()
      await slow.stop()
      await itsOwn?.drop()
    }
  })

  async function laneReason(): Promise<string | null> {
    const { body } = await api.get('/health')
    const chain = body.data.chains.find((entry: { chainId: number }) => entry.chainId === devnet.chains[0]!.chainId)
    return chain.lanes[0].reason as string | null
  }
})
