import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { createConnection } from 'mysql2/promise'
import { type Address, type Hash, parseUnits, type PrivateKeyAccount, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { type Galera, startGalera } from '../../scripts/galera.js'
import { compareVaults } from '../../scripts/reconcile/compareVaults.js'
import { rpc } from '../../server/devnet/anvil.js'
import { type Devnet, startDevnet } from '../../server/devnet/devnet.js'
import { createDatabase } from '../../server/store/database.js'
import { chainsFileOf } from '../support/chainsFile.js'
import { createRandom } from '../support/random.js'
import { createReplica, type Replica } from '../support/replica.js'
import type { Reply } from '../support/api.js'
import { until } from '../support/until.js'
import {
  balanceOf,
  fund,
  newUser,
  onDemandIntent,
  reader,
  sendFrom,
  tokenOf,
  transferData,
} from '../support/wallets.js'

/** CHAOS_STEPS and CHAOS_SEED make it longer or another one. */
const steps = Number(process.env.CHAOS_STEPS ?? 60)
const seed = Number(process.env.CHAOS_SEED ?? 20260101)
/** Faults among the service's processes, at least. */
const faults = Math.ceil(steps / 10)
const atOnce = 4

describe(`three replicas on a Galera cluster (seed ${seed}, ${steps} steps)`, function () {
  this.timeout(300_000 + steps * 5_000)
  const folder = mkdtempSync(join(tmpdir(), 'chaos-galera-'))
  const random = createRandom(seed)
  const timeline: string[] = []
  const startedAt = Date.now()
  const note = (text: string) => timeline.push(`${((Date.now() - startedAt) / 1000).toFixed(2)} s  ${text}`)
  let galera: Galera
  let devnet: Devnet
  let replicas: Replica[] = []

  before(async () => {
    ;[galera, devnet] = await Promise.all([startGalera(), startDevnet({ dataDir: join(folder, 'chains') })])
    const connection = await createConnection(galera.urls[0]!)
    await connection.query('CREATE DATABASE intents')
    await connection.end()
    const deployment = { ...chainsFileOf(devnet, folder), SOLVER_PRIVATE_KEYS: devnet.operatorKeys[0]! }
    replicas = galera.urls.map((url) => createReplica({ ...deployment, DATABASE_URL: `${url}intents` }))
    await Promise.all(replicas.map((replica) => replica.start()))
  })
  after(async () => {
    await Promise.all(replicas.map((replica) => replica.kill()))
    await devnet?.stop()
    await galera?.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  afterEach(function () {
    if (this.currentTest?.state !== 'failed') return
    process.stderr.write(`CHAOS_SEED=${seed} CHAOS_STEPS=${steps}\n${timeline.join('\n')}\n`)
  })

  it('pay every step once while processes are killed and a database node dies and comes back', async () => {
    const [a, b] = [devnet.chains[0]!, devnet.chains[1]!]
    const [usdA, usdB] = [tokenOf(a, 'usd').address, tokenOf(b, 'usd').address]
    const operator = privateKeyToAccount(devnet.operatorKeys[0]!).address.toLowerCase() as Address
    const nonceBefore = await reader(b).getTransactionCount({ address: operator })
    const vaultBefore = await balanceOf(b, usdB, b.vault)

    const payouts: { user: PrivateKeyAccount; cents: number; actionId: string }[] = []
    let next = 0
    async function work(): Promise<void> {
      while (next < steps) {
        const index = next++
        const cents = 100 + random.below(900)
        const user = newUser()
        const paid = parseUnits(`${cents}`, 4)
        await rpc(a.rpcUrls[0]!, 'anvil_setBalance', [user.address, toHex(parseUnits('1', 18))])
        await mint(() => fund(a, user.address, { usd: paid }))
        const hash = await sendFrom(a, user, { to: usdA, data: transferData(a.vault, paid) })
        const wanted = parseUnits(`${cents}`, 16)
        const body = {
          user: user.address,
          intents: [
            onDemandIntent([
              {
                chainId: a.chainId,
                tokenTransfers: [{ from: user.address, to: a.vault, token: usdA, amount: paid }],
              },
              {
                chainId: b.chainId,
                tokenTransfers: [{ from: 'solver', to: user.address, token: usdB, amount: wanted }],
              },
            ]),
          ],
        }
        const actionId = await create(body, `step-${index}`)
        await executeEverywhere(actionId, hash)
        payouts.push({ user, cents, actionId })
      }
    }
    const minting = { last: Promise.resolve() as Promise<unknown> }
    // Tokens come out of one account, one transaction after the other.
    async function mint(task: () => Promise<void>): Promise<void> {
      const mine = minting.last.then(task)
      minting.last = mine.catch(() => undefined)
      await mine
    }

    let isDone = false
    const finished = async () => {
      await Promise.all(Array.from({ length: atOnce }, work))
      for (const { actionId } of payouts) {
        await until(
          async () => (await anyone((api) => api.get(`/actions/${actionId}`))).body.status === 'success',
          actionId,
          180_000,
        )
      }
      isDone = true
    }
    const databaseFault = async () => {
      await until(() => payouts.length >= steps / 4, 'a quarter of the steps', 300_000)
      const victim = random.below(galera.urls.length)
      note(`database node ${victim} killed`)
      await galera.kill(victim)
      await until(() => payouts.length >= steps / 2, 'half of the steps', 300_000)
      await galera.restart(victim)
      note(`database node ${victim} is back`)
    }
    const end = Promise.all([finished(), databaseFault()]).finally(() => (isDone = true))
    await Promise.all([end, spreadFaults(() => isDone)])
    note('all steps have succeeded')

    for (const { user, cents } of payouts) {
      expect(await balanceOf(b, usdB, user.address), user.address).to.equal(parseUnits(`${cents}`, 16))
    }
    const total = payouts.reduce((sum, { cents }) => sum + parseUnits(`${cents}`, 16), 0n)
    expect(vaultBefore - (await balanceOf(b, usdB, b.vault))).to.equal(total)

    const database = createDatabase({ kind: 'mysql', url: `${galera.urls[1]}intents` })
    try {
      const chainNonce = await reader(b).getTransactionCount({ address: operator })
      const rows = await database
        .knex<{ chain_id: number; signer: Address; nonce: number; status: string }>('transactions')
        .where({ chain_id: b.chainId, signer: operator })
        .orderBy('nonce')
      expect(rows.map((row) => row.nonce)).to.deep.equal(
        Array.from({ length: chainNonce - nonceBefore }, (_, index) => nonceBefore + index),
      )
      expect(rows.every((row) => row.status === 'final')).to.equal(true)
      expect(rows).to.have.length(steps)
      const { vaults, balanceFaults } = await compareVaults(database, devnet.chains)
      expect(balanceFaults).to.deep.equal([])
      for (const vault of vaults) expect(vault.unexplained, `${vault.chainId} ${vault.token.id}`).to.equal(0n)
    } finally {
      await database.close()
    }
  })

  type AskApi = (api: NonNullable<ReturnType<Replica['api']>>) => Promise<Reply>

  /** Asks replicas until one answers; what a client behind a load balancer does. Any other refusal is a finding. */
  function anyone(ask: AskApi): Promise<Reply> {
    return until(
      async () => {
        const api = random.pick(replicas).api()
        const reply = api && (await ask(api).catch(() => null))
        if (!reply || reply.status >= 500) return null
        if (reply.status >= 400) throw new Error(`${reply.status} ${JSON.stringify(reply.body)}`)
        return reply
      },
      'a replica that answers',
      120_000,
    )
  }

  async function create(body: object, key: string): Promise<string> {
    const reply = await anyone((api) => api.post('/actions', body, { 'idempotency-key': key }))
    note(`${key} is ${reply.body.actionId}`)
    return reply.body.actionId
  }

  /** The same request at every replica at once, until at least one has taken it. */
  async function executeEverywhere(actionId: string, hash: Hash): Promise<void> {
    await Promise.all([
      anyone((api) => api.execute(actionId, 0, 0, { hash }, 0)),
      ...replicas.map(async (replica) => {
        const reply = await replica
          .api()
          ?.execute(actionId, 0, 0, { hash }, 0)
          .catch(() => null)
        if (reply && reply.status >= 400 && reply.status < 500) throw new Error(JSON.stringify(reply.body))
      }),
    ])
  }

  /** Kills and freezes processes until told to stop, and at least as often as is asked for. */
  async function spreadFaults(isOver: () => boolean): Promise<void> {
    for (let done = 0; !isOver() || done < faults;) {
      await passes(200 + random.below(2_000))
      const first = random.below(replicas.length)
      const hit = random.chance(0.25) ? [first, (first + 1) % replicas.length] : [first]
      const freeze = random.chance(0.3)
      await Promise.all(hit.map((index) => (freeze ? freezeOne(index) : killOne(index))))
      done += hit.length
    }
  }

  async function killOne(index: number): Promise<void> {
    note(`replica ${index} killed`)
    await replicas[index]!.kill()
    await replicas[index]!.start()
    note(`replica ${index} is back`)
  }

  async function freezeOne(index: number): Promise<void> {
    note(`replica ${index} frozen`)
    replicas[index]!.freeze()
    await passes(200 + random.below(2_000))
    replicas[index]!.freeze(true)
    note(`replica ${index} goes on`)
  }

  /** A time that is itself part of the fault. */
  function passes(ms: number): Promise<boolean> {
    const over = Date.now() + ms
    return until(() => Date.now() > over, 'a while', 10_000)
  }
})
