import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { pino } from 'pino'
import { type Address, type Hash, type Hex, parseUnits } from 'viem'
import { compareVaults } from '../../scripts/reconcile/compareVaults.js'
import { type Service, startService } from '../../server/compose.js'
import { loadConfig } from '../../server/config/config.js'
import { rpc } from '../../server/devnet/anvil.js'
import { startDevnet } from '../../server/devnet/devnet.js'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { createApi, type Api } from '../support/api.js'
import { chainsFileOf } from '../support/chainsFile.js'
import { migratedSchema } from '../support/mysqlSchemas.js'
import { until } from '../support/until.js'
import { balanceOf, fund, newUser, onDemandIntent, sendFrom, tokenOf, transferData } from '../support/wallets.js'

/** Finality of all worlds whose chains are at fault. */
export const confirmations = 5

export type FaultWorld = Awaited<ReturnType<typeof startFaultWorld>>

/** An action in which the user pays on chain A and is paid the same on chain B. */
export type PaidAction = { actionId: string; user: Address; payment: Hash; gets: bigint }

/**
 * Two chains that the test does with what it likes, and a service with a single operator key, so that whatever jams its
 * lane jams everything. Its clock can be put forward. With `sqlite` the database is a file whatever TEST_DATABASE says.
 */
export async function startFaultWorld(options: { sqlite?: boolean } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'chain-fault-'))
  const devnet = await startDevnet({ dataDir: folder })
  const mysql = process.env.TEST_DATABASE === 'mysql' && !options.sqlite ? await migratedSchema() : null
  const env = chainsFileOf({ ...devnet, operatorKeys: devnet.operatorKeys.slice(0, 1) }, folder)
  const file = JSON.parse(readFileSync(env.CHAINS_FILE, 'utf8')) as {
    chains: { confirmations: number; replaceAfterMs: number }[]
  }
  for (const chain of file.chains) {
    chain.confirmations = confirmations
    chain.replaceAfterMs = 2_000
  }
  writeFileSync(env.CHAINS_FILE, JSON.stringify(file))
  const [a, b] = devnet.chains as [ChainConfig, ChainConfig]
  const usd = { a: tokenOf(a, 'usd').address, b: tokenOf(b, 'usd').address }
  let clockAheadMs = 0
  let running: { service: Service; api: Api } | null = null
  await start(mysql?.url ?? `sqlite:${join(folder, 'first.sqlite')}`)

  return {
    a,
    b,
    usd,
    folder,
    api: () => running!.api,
    database: () => running!.service.database,
    start,
    async stopService(): Promise<void> {
      await running?.service.stop()
      running = null
    },
    /** Until it is set back, steps that are asked for wait: what is due is claimed by the database's clock. */
    setClockAhead: (ms: number) => {
      clockAheadMs = ms
    },
    step,
    pay,
    payoutTo,
    makePaidAction,
    expectNoSuccessYet,
    expectBooksToBalance,
    expectLanesToWork,
    async stop(): Promise<void> {
      await running?.service.stop()
      await devnet.stop()
      await mysql?.drop()
      rmSync(folder, { recursive: true, force: true })
    },
  }

  async function start(databaseUrl: string): Promise<void> {
    const loaded = loadConfig({ ...env, DATABASE_URL: databaseUrl, PORT: '0' })
    if (!loaded.ok) throw new Error(loaded.problems.join('; '))
    const log = pino({ level: process.env.TEST_LOG_LEVEL ?? 'silent' })
    const service = await startService(loaded.config, log, { now: () => Date.now() + clockAheadMs })
    running = { service, api: createApi(service.url!) }
  }

  async function step(actionId: string, index: number) {
    return (await running!.api.get(`/actions/${actionId}/intents/0/steps/${index}`)).body
  }

  /** The user's own payment into the vault of chain A, mined. */
  async function pay(amount = 5n): Promise<{ user: Address; payment: Hash }> {
    const user = newUser()
    await fund(a, user.address, { usd: amount, native: 10n ** 18n })
    const payment = await sendFrom(a, user, { to: usd.a, data: transferData(a.vault, amount) })
    return { user: user.address, payment }
  }

  /** Pays on chain A and asks for the step; no more blocks come than the payment's own. */
  async function makePaidAction(): Promise<PaidAction> {
    const amount = parseUnits('5', 6)
    const gets = parseUnits('5', 18)
    const { user, payment } = await pay(amount)
    const created = await running!.api.post('/actions', {
      user,
      intents: [
        onDemandIntent([
          { chainId: a.chainId, tokenTransfers: [{ from: user, to: a.vault, token: usd.a, amount }] },
          { chainId: b.chainId, tokenTransfers: [{ from: 'solver', to: user, token: usd.b, amount: gets }] },
        ]),
      ],
    })
    expect(created.status, JSON.stringify(created.body)).to.equal(201)
    const actionId = created.body.actionId as string
    await running!.api.execute(actionId, 0, 0, { hash: payment }, 0)
    return { actionId, user, payment, gets }
  }

  function payoutTo(action: PaidAction): Promise<bigint> {
    return balanceOf(b, usd.b, action.user)
  }

  /** The service has seen all but the last of the blocks that make a step final, and has not called it a success. */
  async function expectNoSuccessYet(action: PaidAction, index: number): Promise<void> {
    const last = confirmations - 1
    const seen = await until(async () => {
      const view = await step(action.actionId, index)
      return (view.confirmations >= last || view.status !== 'executing') && view
    }, `confirmation ${last} of step ${index}`)
    expect(seen, 'before it is final').to.include({ status: 'executing', confirmations: last })
  }

  async function expectBooksToBalance(): Promise<void> {
    const { vaults, balanceFaults } = await compareVaults(running!.service.database, devnet.chains)
    expect(balanceFaults).to.deep.equal([])
    for (const vault of vaults) expect(vault.unexplained, `${vault.chainId} ${vault.token.id}`).to.equal(0n)
  }

  /** Another action goes through from its payment to its payout, on the only lane that there is. */
  async function expectLanesToWork(): Promise<void> {
    const action = await makePaidAction()
    await mine(a, confirmations)
    await until(async () => (await step(action.actionId, 1)).confirmations > 0, 'the next payout to be mined')
    await mine(b, confirmations)
    await until(async () => (await step(action.actionId, 1)).status === 'success', 'the next payout')
    expect(await payoutTo(action)).to.equal(action.gets)
    await expectBooksToBalance()
  }
}

export function mine(chain: ChainConfig, blocks: number): Promise<unknown> {
  return rpc(chain.rpcUrls[0]!, 'anvil_mine', [`0x${blocks.toString(16)}`])
}

export function ask(chain: ChainConfig, method: string, ...params: unknown[]): Promise<unknown> {
  return rpc(chain.rpcUrls[0]!, method, params)
}

export async function rawOf(chain: ChainConfig, hash: Hash): Promise<Hex> {
  return (await ask(chain, 'eth_getRawTransactionByHash', hash)) as Hex
}
