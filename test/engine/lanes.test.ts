import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { pino } from 'pino'
import type { Address } from 'viem'
import { compareVaults } from '../../scripts/reconcile/compareVaults.js'
import { resumeAtChain } from '../../scripts/operate/resumeAtChain.js'
import { createChain } from '../../server/chain/createChain.js'
import { type Service, startService } from '../../server/compose.js'
import { loadConfig } from '../../server/config/config.js'
import { rpc } from '../../server/devnet/anvil.js'
import { devAccount } from '../../server/devnet/accounts.js'
import { type Devnet, startDevnet } from '../../server/devnet/devnet.js'
import { createStore } from '../../server/store/store.js'
import { createApi, type Api } from '../support/api.js'
import { chainsFileOf } from '../support/chainsFile.js'
import { migratedSchema } from '../support/mysqlSchemas.js'
import { until } from '../support/until.js'
import {
  authorization,
  balanceOf,
  fund,
  newUser,
  sendFrom,
  signedIntent,
  tokenOf,
  transferData,
} from '../support/wallets.js'

/** One operator, so that there is one lane to trouble. */
describe('a lane whose nonce is not the chain’s', () => {
  const operator = devAccount(1)
  const signer = operator.address.toLowerCase() as Address
  let folder: string
  let devnet: Devnet
  let service: Service
  let api: Api
  let mysql: Awaited<ReturnType<typeof migratedSchema>> | null = null

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'lanes-'))
    devnet = await startDevnet({ dataDir: folder })
    mysql = process.env.TEST_DATABASE === 'mysql' ? await migratedSchema() : null
    // The lanes are checked after so many polls.
    for (const entry of devnet.chains) Object.assign(entry, { replaceAfterMs: 1_000, pollIntervalMs: 50 })
    const loaded = loadConfig({
      ...chainsFileOf({ ...devnet, operatorKeys: devnet.operatorKeys.slice(0, 1) }, folder),
      DATABASE_URL: mysql?.url ?? `sqlite:${join(folder, 'lanes.sqlite')}`,
      PORT: '0',
    })
    if (!loaded.ok) throw new Error(loaded.problems.join('; '))
    service = await startService(loaded.config, pino({ level: 'silent' }))
    api = createApi(service.url!)
    await until(async () => (await lane()) !== undefined, 'the lane to be open')
  })
  afterEach(async () => {
    await service.stop()
    await devnet.stop()
    await mysql?.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  const chain = () => devnet.chains[0]!

  /** A signed step that moves 9 to the vault; asked for, after `first`, and answered at once. */
  async function ask({ first = async () => {} }: { first?: () => Promise<unknown> } = {}) {
    const user = newUser()
    const usd = tokenOf(chain(), 'usd').address
    await fund(chain(), user.address, { usd: 9n })
    const calls = [{ to: usd, value: 0n, data: transferData(chain().vault, 9n) }]
    const created = await api.post('/actions', {
      user: user.address,
      chainAuthorizations: [await authorization(user, chain())],
      intents: [await signedIntent(user, [{ chainId: chain().chainId, tokenTransfers: [], calls }])],
    })
    const { actionId } = created.body
    await first()
    await api.execute(actionId, 0, 0, undefined, 0)
    const step = async () => (await api.get(`/actions/${actionId}/intents/0/steps/0`)).body
    const left = () => balanceOf(chain(), usd, user.address)
    return { step, left }
  }

  const lane = async () => {
    const { chains } = (await api.get('/health')).body.data
    return chains[0].lanes[0] as { status: string; reason: string | null; nextNonce: number }
  }
  const findings = async () =>
    ((await api.get('/health')).body.data.findings as { code: string; remedy: string }[]).map(({ code }) => code)
  /** From the journal itself: a health report may be a second old. */
  const nonce = async () =>
    (await service.database.knex('lanes').where({ chain_id: chain().chainId, signer }).first('next_nonce'))
      .next_nonce as number
  const resume = () => resumeAtChain(createChain(chain()), signer, createStore(service.database))
  const setNonce = (nextNonce: number) =>
    service.database.knex('lanes').where({ chain_id: chain().chainId, signer }).update({ next_nonce: nextNonce })

  it('is paused when something else has used the key, and says what to do', async function () {
    this.timeout(100_000)
    await sendFrom(chain(), operator, { to: operator.address, value: 0n })
    await until(async () => (await lane()).status === 'paused', 'the lane to be paused', 40_000)
    expect((await lane()).reason).to.contain('ahead of the journal')
    expect(await findings()).to.include('lane_paused')
    const waiting = await ask()
    await resume()
    await until(async () => (await waiting.step()).status === 'success', 'the step', 20_000)
    expect(await waiting.left()).to.equal(0n)
  })

  it('is paused for what waits in a node’s pool and the journal does not have, until that is mined', async function () {
    this.timeout(100_000)
    const url = chain().rpcUrls[0]!
    await rpc(url, 'evm_setAutomine', [false])
    const other = sendFrom(chain(), operator, { to: operator.address, value: 0n })
    await until(async () => (await lane()).status === 'paused', 'the lane to be paused', 40_000)
    expect((await lane()).reason).to.contain('with what is pending')
    expect(await resume().catch((error: Error) => error.message)).to.contain('waits in the pool of rpcUrls/0')
    expect((await lane()).status).to.equal('paused')
    await rpc(url, 'evm_setAutomine', [true])
    await rpc(url, 'evm_mine', [])
    await other
    const waiting = await ask()
    expect(await resume()).to.contain('active again')
    await until(async () => (await waiting.step()).status === 'success', 'the step', 20_000)
  })

  it('is paused when a nonce of the journal was used by something else, and its step is carried out once resumed', async function () {
    this.timeout(100_000)
    const { url, knex } = { url: chain().rpcUrls[0]!, knex: service.database.knex }
    const stuck = await ask({ first: () => rpc(url, 'evm_setAutomine', [false]) })
    const key = { chain_id: chain().chainId, signer, status: 'open' }
    await until(async () => knex('transactions').where(key).whereNotNull('sent_at').first('id'), 'the transaction')
    const { id, nonce } = await knex('transactions').where(key).first('id', 'nonce')
    const { hash } = await knex('attempts').where({ transaction_id: id }).first('hash')
    // More than ours will ever be replaced at.
    const fees = { maxFeePerGas: 500_000_000_000n, maxPriorityFeePerGas: 500_000_000_000n }
    const other = sendFrom(chain(), operator, { to: operator.address, nonce, ...fees })
    await until(async () => (await rpc(url, 'eth_getTransactionByHash', [hash])) === null, 'the other in its place')
    await rpc(url, 'evm_setAutomine', [true])
    await rpc(url, 'evm_mine', [])
    await other
    await until(async () => (await lane()).status === 'paused', 'the lane to be paused', 40_000)
    expect((await stuck.step()).status).to.equal('executing')
    expect(await resume()).to.contain('1 transactions were given up')
    await until(async () => (await stuck.step()).status === 'success', 'the step', 20_000)
    expect(await stuck.left()).to.equal(0n)
  })

  it('fills a nonce that the journal never had, so that what waits behind it goes on', async function () {
    this.timeout(100_000)
    const nextNonce = await nonce()
    await setNonce(nextNonce + 2)
    const behind = await ask()
    await until(async () => (await behind.step()).status === 'success', 'the step', 60_000)
    expect(await nonce()).to.equal(nextNonce + 3)
  })

  it('uses up the nonce of what was given up in error, since the chain still waits for it, and pays nothing twice', async function () {
    this.timeout(100_000)
    const { url, knex } = { url: chain().rpcUrls[0]!, knex: service.database.knex }
    const given = await ask({ first: () => rpc(url, 'evm_setAutomine', [false]) })
    const key = { chain_id: chain().chainId, signer, status: 'open' }
    await until(async () => knex('transactions').where(key).whereNotNull('sent_at').first('id'), 'the transaction')
    const { id } = await knex('transactions').where(key).first('id')
    const { hash } = await knex('attempts').where({ transaction_id: id }).first('hash')
    // An operator was told by a node that knew nothing of it.
    await knex('transactions').where({ id }).update({ status: 'lost', due_at: null })
    await knex('steps').where({ transaction_id: id }).update({ transaction_id: null, due_at: Date.now() })
    await rpc(url, 'anvil_dropTransaction', [hash])
    await rpc(url, 'evm_setAutomine', [true])
    await until(async () => (await given.step()).status === 'success', 'the step', 60_000)
    expect(await given.left()).to.equal(0n)
    await until(async () => !(await knex('transactions').where(key).first('id')), 'both transactions to be final')
    expect((await knex('transactions').where({ id }).first('status')).status).to.equal('final')
  })

  /**
   * Of 9; its transaction was given up in error, and its step has failed since. Nothing is mined by itself any more.
   */
  async function givenUpPayout() {
    const { url, knex } = { url: chain().rpcUrls[0]!, knex: service.database.knex }
    const user = newUser()
    const usd = tokenOf(chain(), 'usd').address
    await fund(chain(), user.address, { usd: 9n, native: 10n ** 18n })
    const txHash = await sendFrom(chain(), user, { to: usd, data: transferData(chain().vault, 9n) })
    const place = { user: user.address, sender: user.address, tokenAddress: usd, chainId: chain().chainId }
    expect((await api.post('/coredeposit', { ...place, txHash, amount: '9' })).status).to.equal(200)
    const tokenTransfers = [{ from: 'solver' as const, to: user.address, token: usd, amount: 9n }]
    const created = await api.post('/actions', {
      user: user.address,
      chainAuthorizations: [],
      intents: [await signedIntent(user, [{ chainId: chain().chainId, tokenTransfers, calls: [] }])],
    })
    await rpc(url, 'evm_setAutomine', [false])
    await api.execute(created.body.actionId, 0, 0, undefined, 0)
    const key = { chain_id: chain().chainId, signer, status: 'open' }
    await until(async () => knex('transactions').where(key).whereNotNull('sent_at').first('id'), 'the transaction')
    const { id } = await knex('transactions').where(key).first('id')
    const { hash, raw } = await knex('attempts').where({ transaction_id: id }).first('hash', 'raw')
    // An operator was told by a node that knew nothing of it; the step was prepared anew, and refused.
    await knex('transactions').where({ id }).update({ status: 'lost', due_at: null })
    await knex('steps').where({ transaction_id: id }).update({ transaction_id: null, due_at: null })
    const ref = { actionId: created.body.actionId as string, intentIndex: 0, stepIndex: 0 }
    const error = { code: 'solver_liquidity', message: 'The vault is short.', retryable: true } as const
    const failed = { status: 'error', error, transactionHash: null, blockNumber: null } as const
    expect(await createStore(service.database).settleStep({ ref, attempt: '1' }, failed, Date.now())).to.equal(
      'settled',
    )
    await rpc(url, 'anvil_dropTransaction', [hash])
    const isFinal = async () => (await knex('transactions').where({ id }).first('status')).status === 'final'
    const final = async () => {
      await until(isFinal, 'the transaction to be final', 60_000)
      const [token] = (await api.get(`/coredeposit/${user.address}`)).body.data.tokens
      const { status } = (await api.get(`/actions/${ref.actionId}/intents/0/steps/0`)).body
      const { vaults } = await compareVaults(service.database, devnet.chains)
      expect(vaults.map(({ unexplained }) => unexplained)).to.deep.equal(vaults.map(() => 0n))
      return { has: await balanceOf(chain(), usd, user.address), token, status }
    }
    const cancel = () => knex('attempts').where({ transaction_id: id, is_cancel: 1 }).first('hash')
    return { url, raw, cancel, final }
  }

  it('cancels what was given up in error and is to pay what is the user’s again, since its step has failed', async function () {
    this.timeout(100_000)
    const { url, cancel, final } = await givenUpPayout()
    await rpc(url, 'evm_setAutomine', [true])
    const { has, token, status } = await final()
    expect([has, status]).to.deep.equal([0n, 'error'])
    expect(token, 'his credit').to.include({ available: '9', reserved: '0' })
    expect(await cancel()).not.to.equal(undefined)
  })

  it('books what a transaction that was given up in error has paid after all, though its step had failed meanwhile', async function () {
    this.timeout(100_000)
    const { url, raw, cancel, final } = await givenUpPayout()
    // Somebody else has kept it.
    const { hash } = await until(cancel, 'the cancel', 60_000)
    await until(() => rpc(url, 'eth_getTransactionByHash', [hash]), 'the node to have it')
    await rpc(url, 'anvil_dropTransaction', [hash])
    await rpc(url, 'eth_sendRawTransaction', [raw])
    await rpc(url, 'evm_mine', [])
    await rpc(url, 'evm_setAutomine', [true])
    const { has, token, status } = await final()
    expect(has).to.equal(9n)
    expect(token, 'he has his money').to.include({ available: '0', reserved: '0' })
    expect(status).to.equal('success')
  })
})
