import { expect } from 'chai'
import { createConnection } from 'mysql2/promise'
import type { Address } from 'viem'
import { type Galera, startGalera } from '../../scripts/galera.js'
import type { StepRef } from '../../server/domain/action.js'
import type { SolverNeed } from '../../server/domain/solverNeeds.js'
import { addCredits } from '../../server/store/money/creditArrivals.js'
import { createDatabase, type Database } from '../../server/store/connection/database.js'
import { migrations } from '../../server/store/migrations/index.js'
import { createRateLimits } from '../../server/store/rateLimits.js'
import { createStore, type Store } from '../../server/store/store.js'
import { aStepRequest } from '../support/aStepRequest.js'
import {
  aBatch,
  aNewAction,
  aSignedIntent,
  aTransfer,
  randomAddress,
  randomHash,
  stepOf,
  usdOn1,
  usdOn2,
  aNewTransaction,
} from '../support/builders.js'

describe('the store on a Galera cluster', function () {
  this.timeout(180_000)
  let galera: Galera
  let databases: Database[]
  let stores: Store[]

  before(async () => {
    galera = await startGalera()
    const connection = await createConnection(galera.urls[0]!)
    await connection.query('CREATE DATABASE intents')
    await connection.end()
    databases = galera.urls.map((url) => createDatabase({ kind: 'mysql', url: `${url}intents` }))
    stores = databases.map(createStore)
  })
  after(async () => {
    await Promise.all((databases ?? []).map((database) => database.close()))
    await galera?.stop()
  })

  it('is set up once when three services start on an empty schema at once', async () => {
    await Promise.all(databases.map((database) => database.migrate()))
    await Promise.all(databases.map((database) => database.migrate()))
    const names = await databases[2]!.knex('knex_migrations').orderBy('id').select('name')
    expect(names.map((row) => row.name)).to.deep.equal(Object.keys(migrations))
    expect(await databases[1]!.knex('knex_migrations_lock').select('is_locked')).to.deep.equal([{ is_locked: 0 }])
  })

  it('opens a lane once, and takes nonces without a gap or a repetition on all nodes at once', async () => {
    const signer = randomAddress()
    await Promise.all(
      stores.map((store) => store.openLane({ chainId: 1, signer, chainNonce: 5, ifLedgerIsNew: null }, Date.now())),
    )
    const refs: StepRef[] = []
    for (let index = 0; index < 30; index++) refs.push(await acceptedStep(stores[0]!))
    const outcomes = await Promise.all(refs.map((ref, index) => record(stores[index % 3]!, signer, ref)))
    const nonces = outcomes.map((entry) => (entry.outcome === 'recorded' ? entry.transaction.nonce : -1))
    expect(nonces.sort((a, b) => a - b)).to.deep.equal(refs.map((_, index) => index + 5))
    for (const store of stores) {
      expect((await store.readLanes(1)).find((lane) => lane.signer === signer)?.nextNonce).to.equal(35)
    }
  })

  it('gives one step one transaction, however many visits race for it on all nodes', async () => {
    const signer = randomAddress()
    await stores[0]!.openLane({ chainId: 1, signer, chainNonce: 0, ifLedgerIsNew: null }, Date.now())
    for (let round = 0; round < 10; round++) {
      const ref = await acceptedStep(stores[round % 3]!)
      const outcomes = await Promise.all([...stores, ...stores].map((store) => record(store, signer, ref)))
      expect(outcomes.filter((entry) => entry.outcome === 'recorded')).to.have.length(1)
    }
    expect((await stores[1]!.readLanes(1)).find((lane) => lane.signer === signer)?.nextNonce).to.equal(10)
  })

  it('shows every node at once what was stored through another', async () => {
    for (let round = 0; round < 50; round++) {
      const entry = aNewAction()
      await stores[round % 3]!.insertAction(entry)
      expect(await stores[(round + 1) % 3]!.readAction(entry.action.actionId)).to.not.equal(null)
    }
  })

  it('lets one node only make a step the open one of its user', async () => {
    const user = randomAddress()
    for (let round = 0; round < 5; round++) {
      const works = []
      for (const store of stores) works.push((await store.readStepWork(await acceptedStep(store, user)))!)
      const taken = (await Promise.all(works.map((work, index) => stores[index]!.takeAccounts([work])))).flat()
      expect(taken.filter(Boolean)).to.have.length(1)
      const holder = works[taken.indexOf(true)]!
      await stores[0]!.settleStep(holder, refusal, Date.now())
    }
  })

  it('never reserves the same credit twice, however many ask at once on all nodes', async () => {
    const user = randomAddress()
    await bookCredit(databases[0]!, user, usdOn2, 2, 250n)
    const refs: StepRef[] = []
    for (let index = 0; index < 9; index++) refs.push(await acceptedStep(stores[0]!, user))
    const works = await Promise.all(refs.map((ref) => stores[0]!.readStepWork(ref)))
    const outcomes = await Promise.all(
      works.map((work, index) => stores[index % 3]!.reserveForStep(work!, [need(100n)], { isPaid: false }, Date.now())),
    )
    expect(outcomes.filter((entry) => entry.outcome === 'reserved')).to.have.length(2)
    expect(await stores[2]!.readBalances(user)).to.deep.include.members([
      { user, chainId: 2, token: usdOn2, available: 50n, reserved: 200n, wallet: 0n },
    ])
  })

  it('sets credit aside for a step once, when two nodes that see different credit do so at once', async () => {
    const user = randomAddress()
    await bookCredit(databases[0]!, user, usdOn1, 1, 100n)
    const ref = await acceptedStep(stores[0]!, user)
    const work = (await stores[0]!.readStepWork(ref))!
    let seen = () => {}
    const hasSeen = new Promise<void>((resolve) => (seen = resolve))
    let goOn = () => {}
    const mayGoOn = new Promise<void>((resolve) => (goOn = resolve))
    const slow: Database = {
      ...databases[0]!,
      transact: (run) =>
        databases[0]!.transact(async (trx) => {
          const result = await run(trx)
          seen()
          await mayGoOn
          return result
        }),
    }
    const first = createStore(slow).reserveForStep(work, [need(100n)], { isPaid: false }, Date.now())
    await hasSeen
    // Better suited than what the first has seen: of the chain that is paid on.
    await bookCredit(databases[1]!, user, usdOn2, 2, 100n)
    const second = await stores[1]!.reserveForStep(work, [need(100n)], { isPaid: false }, Date.now())
    goOn()
    expect([(await first).outcome, second.outcome]).to.deep.equal(['reserved', 'reserved'])
    const balances = await stores[2]!.readBalances(user)
    expect(balances.reduce((sum, balance) => sum + balance.reserved, 0n)).to.equal(100n)
  })

  it('credits once what is settled by one and reported by another at once, by other numbers of its logs', async () => {
    const user = randomAddress()
    await bookCredit(databases[0]!, user, usdOn2, 2, 1n)
    for (let round = 1; round <= 10; round++) {
      const step = { ref: await acceptedStep(stores[0]!, user), attempt: '1' }
      const block = { blockNumber: 1, blockHash: randomHash(), confirmations: 1 }
      const brought = { user, chainId: 2, transactionHash: randomHash(), token: usdOn2, amount: 100n }
      const deposit = await stores[1]!.reportDeposit({ ...brought, sender: user, isDeposit: true }, 1, Date.now())
      const { transactionHash, amount } = brought
      const arrivals = [{ ...brought, ...block, logIndex: 57 }]
      const settled = { status: 'success', transactionHash, ...block, arrivals } as const
      const found = { outcome: 'found', custody: 'vault', movements: [{ logIndex: 2, amount }], mismatch: '' } as const
      await Promise.all([
        stores[0]!.settleStep(step, { ...settled, payouts: [] }, Date.now()),
        stores[1]!.settleDeposit(deposit, { ...found, ...block }, Date.now()),
      ])
      const [balance] = await stores[2]!.readBalances(user)
      expect(balance!.available).to.equal(1n + 100n * BigInt(round))
    }
  })

  it('pauses no lane for what a node saw before another one moved it on', async () => {
    const signer = randomAddress()
    await stores[0]!.openLane({ chainId: 1, signer, chainNonce: 0, ifLedgerIsNew: null }, Date.now())
    await record(stores[0]!, signer, await acceptedStep(stores[0]!))
    const drift = (chainNonce: number) => ({ chainId: 1, signer, reason: 'drift', found: { chainNonce } })
    expect(await stores[1]!.noteLaneAhead(drift(1), Date.now())).to.equal(false)
    expect(await stores[1]!.noteLaneAhead(drift(2), Date.now())).to.equal(true)
    expect((await record(stores[2]!, signer, await acceptedStep(stores[2]!))).outcome).to.equal('lanePaused')
  })

  it('counts a client’s requests across all nodes', async () => {
    const limits = await Promise.all(databases.map((database) => createRateLimits(database, 40)))
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) => limits[index % 3]!.take('198.51.100.7', 1)),
    )
    expect(answers.filter((answer) => answer.allowed)).to.have.length(40)
  })

  it('gives an airdrop once, however many ask for it at once on all nodes', async () => {
    const wanted = { chainId: 1, token: usdOn1, wallet: randomAddress(), amount: 5n, periodMs: 60_000 }
    const asked = await Promise.all([...stores, ...stores].map((store) => store.requestAirdrop(wanted, Date.now())))
    expect(asked.filter((entry) => entry.outcome === 'accepted')).to.have.length(1)
  })
})

const refusal = {
  status: 'error',
  error: { code: 'intent_expired', message: 'test', retryable: false },
  transactionHash: null,
  blockNumber: null,
} as const

function need(amount: bigint): SolverNeed {
  const members = [
    { chainId: 1, token: usdOn1, decimals: 6 },
    { chainId: 2, token: usdOn2, decimals: 6 },
  ]
  return { chainId: 2, token: usdOn2, amount, decimals: 6, feeBps: 0, members, openCapPerDay: null }
}

/** A signed step on chain 2 in which the solver pays, asked for and not yet carried. */
async function acceptedStep(store: Store, user = randomAddress()): Promise<StepRef> {
  const batch = aBatch({ chainId: 2, hash: randomHash(), tokenTransfers: [aTransfer({ to: user })] })
  const entry = aNewAction({ user, intents: [aSignedIntent([batch])] })
  await store.insertAction(entry)
  const ref = stepOf(entry, 0, 0)
  const order = { action: 'execute', hash: null, signed: false } as const
  await store.requestStep(aStepRequest({ ref, order, needs: [] }), Date.now())
  return ref
}

function record(store: Store, signer: Address, ref: StepRef) {
  const entry = aNewTransaction({ chainId: 1, signer, steps: [{ ref, attempt: '1' }] })
  return store.recordTransaction(entry, Date.now())
}

async function bookCredit(database: Database, user: Address, token: Address, chainId: number, amount: bigint) {
  const arrival = {
    chainId,
    transactionHash: randomHash(),
    logIndex: 0,
    blockNumber: 1,
    blockHash: randomHash(),
    user,
    token,
    amount,
  }
  await database.transact((trx) => addCredits(trx, { arrivals: [arrival], step: null, lostBefore: 0 }, Date.now()))
}
