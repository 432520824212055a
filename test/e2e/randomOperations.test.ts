import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { expect } from 'chai'
import { pino } from 'pino'
import { type Hash, parseUnits, type PrivateKeyAccount } from 'viem'
import { compareVaults } from '../../scripts/reconcile/compareVaults.js'
import { type Service, startService } from '../../server/compose.js'
import { loadConfig } from '../../server/config/config.js'
import { type Devnet, startDevnet } from '../../server/devnet/devnet.js'
import { createApi, type Api, type Reply } from '../support/api.js'
import { chainsFileOf } from '../support/chainsFile.js'
import { migratedSchema } from '../support/mysqlSchemas.js'
import { createRandom, type Random } from '../support/random.js'
import { until } from '../support/until.js'
import {
  authorization,
  fund,
  newUser,
  onDemandIntent,
  reader,
  sendFrom,
  signedIntent,
  tokenOf,
  transferData,
} from '../support/wallets.js'

/**
 * RANDOM_OPERATIONS, RANDOM_USERS and RANDOM_SEED make it longer or another one; a failing run is repeated by its seed.
 */
const operations = Number(process.env.RANDOM_OPERATIONS ?? 300)
const seed = Number(process.env.RANDOM_SEED ?? 20260101)
const userCount = Number(process.env.RANDOM_USERS ?? 10)
const quietPoints = 3

describe(`random operations (seed ${seed})`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'random-'))
  const random = createRandom(seed)
  let devnet: Devnet
  let mysql: Awaited<ReturnType<typeof migratedSchema>> | null = null

  before(async () => {
    devnet = await startDevnet({ dataDir: folder })
    mysql = process.env.TEST_DATABASE === 'mysql' ? await migratedSchema() : null
  })
  after(async () => {
    await devnet.stop()
    await mysql?.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('leave the ledger equal to the chains at every quiet point', async function () {
    this.timeout(60_000 + operations * 500)
    const loaded = loadConfig({
      ...chainsFileOf(devnet, folder),
      DATABASE_URL: mysql?.url ?? `sqlite:${join(folder, 'random.sqlite')}`,
      PORT: '0',
      LOG_LEVEL: 'silent',
    })
    if (!loaded.ok) throw new Error(loaded.problems.join('; '))
    const world = await createWorld(devnet, random)
    const seen = new Map<string, number>()
    const service = await startService(loaded.config, pino({ level: 'silent' }))
    try {
      const api = createApi(service.url!)
      for (let point = 0; point < quietPoints; point++) {
        await operateAndRest(service, api, world, seen)
        const { vaults, balanceFaults } = await compareVaults(service.database, devnet.chains)
        expect(balanceFaults).to.deep.equal([])
        for (const vault of vaults) expect(vault.unexplained, inspect(vault.suspects)).to.equal(0n)
      }
    } finally {
      await service.stop()
    }
    // The run is worth something only if money moved and refusals happened.
    expect(seen.get('success') ?? 0, JSON.stringify([...seen])).to.be.greaterThan(operations / 20)
    expect(seen.get('400') ?? 0).to.be.greaterThan(0)
  })
})

/** A share of the operations, and then until every step has come to rest. */
async function operateAndRest(
  service: Service,
  api: Api,
  world: Awaited<ReturnType<typeof createWorld>>,
  seen: Map<string, number>,
): Promise<void> {
  for (let index = 0; index < operations / quietPoints; index += 5) {
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => world.operate(api)))
    for (const outcome of outcomes) seen.set(outcome, (seen.get(outcome) ?? 0) + 1)
  }
  const count = async (table: string, status: string) =>
    Number((await service.database.knex(table).where({ status }).count({ found: '*' }).first())!['found'])
  const isAtRest = async () =>
    (await count('steps', 'executing')) +
      (await count('transactions', 'open')) +
      (await count('deposits', 'pending')) ===
    0
  await until(isAtRest, 'everything to come to rest', 60_000)
}

async function createWorld(devnet: Devnet, random: Random) {
  const users: PrivateKeyAccount[] = []
  for (let index = 0; index < userCount; index++) {
    const user = newUser()
    users.push(user)
    for (const chain of devnet.chains) {
      const decimals = tokenOf(chain, 'usd').decimals
      await fund(chain, user.address, { usd: parseUnits('100000', decimals), native: parseUnits('10', 18) })
    }
  }
  const payments: { user: PrivateKeyAccount; chainIndex: number; hash: Hash; units: number }[] = []
  const actions: string[] = []
  // A user's own transactions are sent one after the other; the service's run beside them.
  const queues = new Map<string, Promise<unknown>>()

  const amount = (chainIndex: number, cents: number) =>
    BigInt(cents) * 10n ** BigInt(tokenOf(devnet.chains[chainIndex]!, 'usd').decimals - 2)
  const chainAt = (index: number) => devnet.chains[index]!
  const usd = (index: number) => tokenOf(chainAt(index), 'usd').address

  function pay(user: PrivateKeyAccount, chainIndex: number, cents: number): Promise<Hash> {
    const key = `${user.address}:${chainIndex}`
    const transaction = {
      to: usd(chainIndex),
      data: transferData(chainAt(chainIndex).vault, amount(chainIndex, cents)),
    }
    const send = () => sendFrom(chainAt(chainIndex), user, transaction, 10_000)
    // The service's transaction may use up the user's nonce first, by his authorization; his own is then gone.
    const sent = (queues.get(key) ?? Promise.resolve()).then(send).catch(send)
    queues.set(
      key,
      sent.catch(() => undefined),
    )
    return sent
  }

  const word = ({ status, body }: Reply): string => (status < 300 ? (body.status ?? 'ok') : String(status))

  const kinds = {
    async onDemand(api: Api) {
      const user = random.pick(users)
      const from = random.below(2)
      const [paidCents, wantedCents] = [1 + random.below(5000), 1 + random.below(5000)]
      const declared = random.chance(0.8) ? paidCents : 1 + random.below(5000)
      const to = random.chance(0.9) ? user.address : random.pick(users).address
      const created = await api.post('/actions', {
        user: user.address,
        intents: [
          onDemandIntent([
            {
              chainId: chainAt(from).chainId,
              tokenTransfers: [
                { from: user.address, to: chainAt(from).vault, token: usd(from), amount: amount(from, declared) },
              ],
            },
            {
              chainId: chainAt(1 - from).chainId,
              tokenTransfers: [{ from: 'solver', to, token: usd(1 - from), amount: amount(1 - from, wantedCents) }],
            },
          ]),
        ],
      })
      if (created.status !== 201) return word(created)
      const { actionId } = created.body
      actions.push(actionId)
      // One of the same chain: on another the service would wait ten minutes for it to appear.
      const used = payments.filter((payment) => payment.chainIndex === from)
      const old = random.chance(0.2) && used.length > 0 ? random.pick(used) : null
      const hash = old?.hash ?? (await pay(user, from, paidCents))
      payments.push({ user, chainIndex: from, hash, units: paidCents })
      await api.execute(actionId, 0, 0, { action: random.pick(['execute', 'register']), hash }, 2)
      return word(await api.execute(actionId, 0, 1, undefined, 2))
    },

    async signed(api: Api) {
      const user = random.pick(users)
      const index = random.below(2)
      const chain = chainAt(index)
      const cents = 1 + random.below(6000)
      const call = { to: usd(index), value: 0n, data: transferData(chain.vault, amount(index, 1 + random.below(300))) }
      const withCalls = random.chance(0.5)
      const to = random.chance(0.7) ? user.address : random.pick(users).address
      const transfers =
        random.chance(0.7) || !withCalls
          ? [{ from: 'solver' as const, to, token: usd(index), amount: amount(index, cents) }]
          : []
      const nonce = await devnetNonce(chain, user)
      const created = await api.post('/actions', {
        user: user.address,
        chainAuthorizations: random.chance(0.7) ? [await authorization(user, chain, nonce)] : [],
        intents: [
          await signedIntent(
            user,
            [{ chainId: chain.chainId, tokenTransfers: transfers, calls: withCalls ? [call] : [] }],
            {
              signatureType: random.pick(['eip712', 'ecdsa']),
              nbf: random.below(1_000_000),
            },
          ),
        ],
      })
      if (created.status !== 201) return word(created)
      actions.push(created.body.actionId)
      return word(await api.execute(created.body.actionId, 0, 0, undefined, 3))
    },

    async deposit(api: Api) {
      const fresh = random.chance(0.6) || payments.length === 0
      const user = random.pick(users)
      const index = random.below(2)
      const cents = 1 + random.below(5000)
      const payment = fresh
        ? { user, chainIndex: index, hash: await pay(user, index, cents), units: cents }
        : random.pick(payments)
      payments.push(payment)
      const claimed = random.chance(0.8) ? payment.user : random.pick(users)
      return word(
        await api.post('/coredeposit', {
          user: claimed.address,
          sender: random.chance(0.9) ? payment.user.address : claimed.address,
          txHash: payment.hash,
          tokenAddress: usd(payment.chainIndex),
          chainId: chainAt(payment.chainIndex).chainId,
          amount: amount(payment.chainIndex, payment.units).toString(),
          isDeposit: random.chance(0.9),
        }),
      )
    },

    async airdrop(api: Api) {
      const wallet = random.pick(users).address
      return word(
        await api.post(`/airdrop/${chainAt(random.below(2)).chainId}/usd`, {
          wallet,
          amount: String(1 + random.below(1000)),
        }),
      )
    },

    async again(api: Api) {
      if (actions.length === 0) return 'nothing'
      return word(await api.execute(random.pick(actions), 0, random.below(2), undefined, 1))
    },
  }

  return { operate: (api: Api): Promise<string> => random.pick(Object.values(kinds))(api) }
}

async function devnetNonce(chain: Devnet['chains'][number], user: PrivateKeyAccount): Promise<number> {
  return reader(chain).getTransactionCount({ address: user.address })
}
