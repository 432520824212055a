import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { pino } from 'pino'
import { type Address, type Hash, type Hex, parseUnits, zeroHash } from 'viem'
import { compareVaults } from '../../scripts/reconcile/compareVaults.js'
import { encodeExecute } from '../../server/chain/contracts.js'
import { type Service, startService } from '../../server/compose.js'
import { loadConfig } from '../../server/config/config.js'
import { rpc } from '../../server/devnet/anvil.js'
import { type Devnet, startDevnet } from '../../server/devnet/devnet.js'
import { hasEnded } from '../../server/domain/status.js'
import { createDatabase, type Database } from '../../server/store/connection/database.js'
import { createApi, type Api } from './api.js'
import { chainsFileOf } from './chainsFile.js'
import { closeFilesIn } from './closedFile.js'
import { availableOf } from './credit.js'
import { migratedSchema } from './mysqlSchemas.js'
import { until } from './until.js'
import { authorization, fund, newUser, reader, signedIntent, tokenOf, transferData } from './wallets.js'

export type Asked = { user: ReturnType<typeof newUser>; actionId: string }
type Call = { to: Address; value: bigint; data: Hex }
export type Wanted = { user: Asked['user']; intent: Awaited<ReturnType<typeof signedIntent>> }
type ChainsFileEntry = { rpcUrls: string[]; replaceAfterMs: number; confirmations: number; tokens: object[] }

/** Long enough for all that was asked for to come together, however slow the machine is. */
const patient = { BUNDLE_WAIT_MS: '1000' }

/**
 * Two chains, and a service that is asked for steps while it has no engine: once one starts, they are all ready at
 * once. Made once in a `describe`; each `ask` begins with an empty database.
 */
export function bundleScene() {
  let folder: string
  let devnet: Devnet
  let database: string
  let mysql: Awaited<ReturnType<typeof migratedSchema>> | null = null

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'bundles-'))
    devnet = await startDevnet({ dataDir: folder })
  })
  after(async () => {
    await devnet.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  afterEach(() => dropDatabase())

  async function emptyDatabase(): Promise<void> {
    await dropDatabase()
    mysql = process.env.TEST_DATABASE === 'mysql' ? await migratedSchema() : null
    database = mysql?.url ?? `sqlite:${join(mkdtempSync(join(folder, 'run-')), 'service.sqlite')}`
  }

  async function dropDatabase(): Promise<void> {
    await mysql?.drop()
    mysql = null
  }

  const a = () => devnet.chains[0]!
  const b = () => devnet.chains[1]!
  const usd = (chain = a()) => tokenOf(chain, 'usd').address
  const env = (): Record<string, string> => ({
    ...chainsFileOf(devnet, folder),
    DATABASE_URL: database,
    PORT: '0',
    BUNDLE_MAX_STEPS: '20',
  })

  /** An environment whose chains are a little different. */
  function changedChains(change: (chain: ChainsFileEntry, index: number) => void): { CHAINS_FILE: string } {
    const content = JSON.parse(readFileSync(env().CHAINS_FILE!, 'utf8')) as { chains: ChainsFileEntry[] }
    content.chains.forEach(change)
    const file = join(folder, 'changed-chains.json')
    writeFileSync(file, JSON.stringify(content))
    return { CHAINS_FILE: file }
  }

  async function withService<T>(more: Record<string, string>, use: (service: Service) => Promise<T>): Promise<T> {
    const loaded = loadConfig({ ...env(), ...patient, ...more })
    if (!loaded.ok) throw new Error(loaded.problems.join('; '))
    let service: Service | null = null
    try {
      service = await startService(loaded.config, pino({ level: process.env.TEST_LOG_LEVEL ?? 'silent' }))
      return await use(service)
    } finally {
      await service?.stop()
      if (!mysql) await closeFilesIn(dirname(database.slice('sqlite:'.length)))
    }
  }

  /** The user's calls on the first chain. */
  const intentOf = (user: Asked['user'], calls: Call[], nbf = 0, exp?: number) =>
    signedIntent(user, [{ chainId: a().chainId, tokenTransfers: [], calls }], { nbf, ...(exp && { exp }) })

  const payVault = (amount: bigint): Call => ({ to: usd(), value: 0n, data: transferData(a().vault, amount) })

  /** The user pays ten on the first chain, and the solver pays him ten on the second, of which a friend gets three. */
  async function acrossChains(user: Asked['user'], friend: Address, ...more: Call[]) {
    const [paid, given] = [parseUnits('10', 6), parseUnits('10', 18)]
    await fund(a(), user.address, { usd: paid })
    const transfer = { from: 'solver' as const, to: user.address, token: usd(b()), amount: given }
    const pass = { to: usd(b()), value: 0n, data: transferData(friend, parseUnits('3', 18)) }
    return signedIntent(user, [
      { chainId: a().chainId, tokenTransfers: [], calls: [payVault(paid)] },
      { chainId: b().chainId, tokenTransfers: [transfer], calls: [pass, ...more] },
    ])
  }

  /** Has the steps of each intent asked for; nothing is carried out yet. */
  async function ask(wanted: Wanted[], more: Record<string, string> = {}) {
    await emptyDatabase()
    return throughApi(more, (api) => askAll(api, wanted))
  }

  /**
   * Has the first step of each carried out and then the second one asked for: all of those are ready at once. What
   * waits for the step before it is looked at when that has ended, and then not always together.
   */
  async function askOncePaid(wanted: Wanted[]) {
    await emptyDatabase()
    const asked = await withService({}, async (service) => {
      const paid = await askAll(createApi(service.url!), wanted, [0])
      expect((await ends(service, paid)).map(({ status }) => status)).to.deep.equal(wanted.map(() => 'success'))
      return paid
    })
    await throughApi({}, async (api) => {
      for (const { actionId } of asked) await api.execute(actionId, 0, 1, undefined, 0)
    })
    return asked
  }

  /** A service without an engine. */
  function throughApi<T>(more: Record<string, string>, use: (api: Api) => Promise<T>): Promise<T> {
    return withService({ ...more, ROLE: 'api' }, ({ url }) => use(createApi(url!)))
  }

  async function askAll(api: Api, wanted: Wanted[], steps?: number[]): Promise<Asked[]> {
    const asked: Asked[] = []
    for (const { user, intent } of wanted) asked.push(await askFor(api, user, intent, steps))
    return asked
  }

  async function askFor(
    api: Api,
    user: Asked['user'],
    intent: Awaited<ReturnType<typeof intentOf>>,
    steps: Iterable<number> = intent.chainBatches.keys(),
  ): Promise<Asked> {
    const chains = devnet.chains.filter(({ chainId }) => intent.chainBatches.some((e) => e.chainId === chainId))
    const chainAuthorizations = await Promise.all(
      chains.map(async (chain) =>
        authorization(user, chain, await reader(chain).getTransactionCount({ address: user.address })),
      ),
    )
    const created = await api.post('/actions', { user: user.address, chainAuthorizations, intents: [intent] })
    expect(created.status, JSON.stringify(created.body)).to.equal(201)
    const { actionId } = created.body
    for (const index of steps) await api.execute(actionId, 0, index, undefined, 0)
    return { user, actionId }
  }

  /** The steps as they are now. */
  function views(service: Pick<Service, 'url'>, asked: Asked[], stepIndex = 0) {
    const api = createApi(service.url!)
    return Promise.all(
      asked.map(async ({ actionId }) => (await api.get(`/actions/${actionId}/intents/0/steps/${stepIndex}`)).body),
    )
  }

  /**
   * The ends of all steps at this place of their intents; asking for one again would begin anew with what has failed.
   */
  async function ends(service: Pick<Service, 'url'>, asked: Asked[], stepIndex = 0, withinMs = 20_000) {
    const haveEnded = async () => {
      const steps = await views(service, asked, stepIndex)
      return steps.every(({ status }) => hasEnded(status)) && steps
    }
    return until(haveEnded, 'the steps to end', withinMs)
  }

  /** How many steps each transaction of the service carried, and what it called, in their order. */
  async function transactions(service: Service, chain = a()) {
    const { knex } = service.database
    const rows = (await knex('transactions').where({ chain_id: chain.chainId }).orderBy('id')) as {
      id: number
      to_address: Address
      authorizations: string
    }[]
    const steps = (await knex('steps').select('transaction_id')) as { transaction_id: number }[]
    return rows.map(({ id, to_address, authorizations }) => ({
      to: to_address,
      steps: steps.filter((step) => step.transaction_id === id).length,
      authorizations: (JSON.parse(authorizations) as unknown[]).length,
    }))
  }

  /** What each vault holds and this ledger does not explain; other tests on these chains had other ledgers. */
  async function unexplained(ledger: Database): Promise<string[]> {
    const { vaults, balanceFaults } = await compareVaults(ledger, devnet.chains)
    expect(balanceFaults).to.deep.equal([])
    return vaults.map((vault) => `${vault.chainId} ${vault.token.id} ${vault.unexplained}`)
  }

  /** What no ledger explains before anything is carried out. */
  async function unexplainedBefore(): Promise<string[]> {
    const empty = createDatabase({ kind: 'sqlite', file: ':memory:' })
    try {
      await empty.migrate()
      return await unexplained(empty)
    } finally {
      await empty.close()
    }
  }

  return {
    a,
    b,
    usd,
    env,
    changedChains,
    folder: () => folder,
    emptyDatabase,
    withService,
    throughApi,
    intentOf,
    payVault,
    acrossChains,
    ask,
    askOncePaid,
    /** Of a service that runs, all at the same time. */
    askOf: (service: Service, wanted: Wanted[]): Promise<Asked[]> =>
      Promise.all(wanted.map(({ user, intent }) => askFor(createApi(service.url!), user, intent))),
    ends,
    views,
    /** The end of a step that has failed, asked for once more. */
    async again(service: Service, { actionId }: Asked) {
      return (await createApi(service.url!).execute(actionId, 0, 0, undefined, 20)).body
    },
    transactions,
    unexplained,
    unexplainedBefore,
    /** What the user can use of what he paid on the first chain. */
    availableOf: (service: Service, user: Address) =>
      availableOf(createApi(service.url!), user, ({ chainId }) => chainId === a().chainId),

    async users(count: number, amount = 100n): Promise<Asked['user'][]> {
      const users = Array.from({ length: count }, newUser)
      for (const user of users) await fund(a(), user.address, { usd: amount })
      return users
    },

    /** What anyone may call the user's account with to run this batch of his intent. */
    executionOf({ signatureType, signature, nbf, exp, chainBatches }: Wanted['intent'], stepIndex = 0): Hex {
      const batches = chainBatches.map(({ hash, chainId, calls, tokenTransfers }) => ({
        ...{ hash, chainId },
        tokenTransfers: tokenTransfers.map((transfer) => ({ ...transfer, amount: BigInt(transfer.amount) })),
        calls: calls.map((call) => ({ ...call, value: BigInt(call.value) })),
      }))
      const signed = {
        mode: '7702',
        signatureType,
        signature,
        nbf,
        exp,
        digest: zeroHash,
        chainBatches: batches,
      } as const
      return encodeExecute(signed, stepIndex)
    },

    codeOf: (address: Address) => rpc(a().rpcUrls[0]!, 'eth_getCode', [address, 'latest']) as Promise<Hex>,
    setCode: (address: Address, code: Hex, chain = a()) => rpc(chain.rpcUrls[0]!, 'anvil_setCode', [address, code]),

    /** The newest transaction of the service, once a node has it. */
    sent: (service: Service, chain = a()) =>
      until(async () => {
        const row = await service.database
          .knex('transactions')
          .join('attempts', 'attempts.transaction_id', 'transactions.id')
          .where({ chain_id: chain.chainId, status: 'open' })
          .whereNotNull('sent_at')
          .orderBy('attempts.created_at', 'desc')
          .first('raw', 'hash', 'transactions.id')
        return row as { id: number; raw: Hex; hash: Hash } | undefined
      }, 'the transaction to be sent'),

    /** Has what is waiting mined in one block, behind what others send meanwhile. */
    async overtake(pending: { raw: Hex; hash: Hash }, others: () => Promise<unknown>, chain = a()): Promise<void> {
      const url = chain.rpcUrls[0]!
      await rpc(url, 'anvil_dropTransaction', [pending.hash])
      await others()
      await rpc(url, 'eth_sendRawTransaction', [pending.raw])
      await rpc(url, 'evm_mine', [])
    },
    automine: (on: boolean, chain = a()) => rpc(chain.rpcUrls[0]!, 'evm_setAutomine', [on]),
    mine: (chain = a()) => rpc(chain.rpcUrls[0]!, 'evm_mine', []),
    /** How many blocks have to go for this one to go. */
    depthOf: async (blockNumber: number, chain = a()) => Number(await reader(chain).getBlockNumber()) - blockNumber + 1,
    reorganise: (depth: number, chain = a()) => rpc(chain.rpcUrls[0]!, 'anvil_reorg', [depth, []]),
  }
}
