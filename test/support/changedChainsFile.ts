import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Logger } from 'pino'
import type { Address, PrivateKeyAccount } from 'viem'
import { createDeployer, deployContracts } from '../../server/devnet/deployContracts.js'
import { devAccount } from '../../server/devnet/accounts.js'
import { rpc } from '../../server/devnet/anvil.js'
import { type Devnet, startDevnet } from '../../server/devnet/devnet.js'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { createApi } from './api.js'
import { chainsFileOf } from './chainsFile.js'
import { migratedSchema } from './mysqlSchemas.js'
import { startTestService, type TestService } from './service.js'
import { fund, newUser, sendFrom, tokenOf, transferData } from './wallets.js'

type Change = (chains: ChainConfig[]) => ChainConfig[]

/** What a user has to pay with. */
export const ten = 10_000_000n
/** Owns the vaults that replace the first ones; another owner has another address. */
const nextOwner = 8

/** Chains and a database that stay while the service is started again and again, each time with another chains file. */
export function changedChainsFile() {
  const folder = mkdtempSync(join(tmpdir(), 'changed-'))
  let devnet: Devnet
  let nextVault: Address
  let mysql: Awaited<ReturnType<typeof migratedSchema>> | null
  let running: TestService | null = null
  let count = 0

  before(async function () {
    this.timeout(60_000)
    devnet = await startDevnet({ dataDir: folder })
    const [chain] = devnet.chains
    const deployer = createDeployer(chain!.rpcUrls[0]!, devAccount(nextOwner))
    const operators = [1, 2, 3, 4].map((index) => devAccount(index).address)
    const { vault } = await deployContracts(deployer, { owner: devAccount(nextOwner).address, operators })
    nextVault = vault.toLowerCase() as Address
    await fund(chain!, nextVault, { usd: 1_000_000_000n })
  })
  beforeEach(async () => {
    mysql = process.env.TEST_DATABASE === 'mysql' ? await migratedSchema() : null
    count += 100
  })
  afterEach(async () => {
    for (const { rpcUrls } of devnet.chains) await rpc(rpcUrls[0]!, 'evm_setAutomine', [true])
    await stop()
    await mysql?.drop()
  })
  after(async () => {
    await devnet.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const file = () => join(folder, `service-${count}.sqlite`)

  /**
   * A copy for each start: within one process a SQLite file is let go of when its connection is collected, no sooner.
   */
  function env(change: Change) {
    const { chains } = devnet
    const last = file()
    count += 1
    if (existsSync(last)) copyFileSync(last, file())
    const databaseUrl = mysql?.url ?? `sqlite:${file()}`
    return { ...chainsFileOf({ ...devnet, chains: change(chains) }, folder), DATABASE_URL: databaseUrl }
  }

  /** Starts it with the chains as they are told, after the one before has stopped. */
  async function start(change: Change = (chains) => chains, log?: Logger): Promise<TestService> {
    await stop()
    running = await startTestService(env(change), log)
    return running
  }

  async function stop() {
    const last = running
    running = null
    await last?.stop()
  }

  const api = createApi(() => running!.url)
  const a = () => devnet.chains[0]!
  const usd = () => tokenOf(a(), 'usd').address

  /** With ten of the first chain's dollar, and gas. */
  async function aUser(): Promise<PrivateKeyAccount> {
    const user = newUser()
    await fund(a(), user.address, { usd: ten, native: 10n ** 18n })
    return user
  }

  /** His ten go to the first chain's own vault. */
  const pay = (user: PrivateKeyAccount) => sendFrom(a(), user, { to: usd(), data: transferData(a().vault, ten) })

  async function create(user: PrivateKeyAccount, intents: object[], chainAuthorizations: object[] = []) {
    const reply = await api.post('/actions', { user: user.address, chainAuthorizations, intents })
    expect(reply.status, JSON.stringify(reply.body)).to.equal(201)
    return reply.body.actionId as string
  }

  const onFirst =
    (how: (chain: ChainConfig) => ChainConfig): Change =>
    ([first, ...others]) => [how(first!), ...others]

  return {
    start,
    stop,
    env,
    api,
    usd,
    aUser,
    pay,
    create,
    service: () => running!,
    a,
    b: () => devnet.chains[1]!,
    nextVault: () => nextVault,
    /** The first chain's vault is replaced, and the old one listed, or not. */
    replaced: (formerVaults: Address[] = [devnet.chains[0]!.vault]) =>
      onFirst((chain) => ({ ...chain, vault: nextVault, formerVaults })),
    without: (id: string) =>
      onFirst((chain) => ({ ...chain, tokens: chain.tokens.filter((token) => token.id !== id) })),
    mine: (chain: ChainConfig, isAutomatic: boolean) => rpc(chain.rpcUrls[0]!, 'evm_setAutomine', [isAutomatic]),
  }
}
