import { expect } from 'chai'
import type { Address, Hash } from 'viem'
import type { Database } from '../../server/store/database.js'
import { checkBalances } from '../../server/store/reconciliation.js'
import { createStore, type Store } from '../../server/store/store.js'
import {
  aNewAction,
  anOnDemandIntent,
  aSignedIntent,
  randomAddress,
  randomHash,
  stepOf,
  usdOn1,
} from '../support/builders.js'
import { freshDatabase } from '../support/database.js'

describe('recorded deposits', () => {
  let database: Database
  let store: Store
  let drop: () => Promise<void>
  let user: Address
  let transactionHash: Hash
  let place: { blockNumber: number; blockHash: Hash; confirmations: number }

  beforeEach(async () => {
    ;({ database, drop } = await freshDatabase())
    store = createStore(database)
    user = randomAddress()
    transactionHash = randomHash()
    place = { blockNumber: 1, blockHash: randomHash(), confirmations: 1 }
  })
  afterEach(async () => {
    expect(await checkBalances(database)).to.deep.equal([])
    await drop()
  })

  const movements = [100n, 100n, 50n].map((amount, logIndex) => ({ logIndex, amount }))

  async function deposit(amount: bigint) {
    const report = { user, chainId: 1, transactionHash, sender: user, token: usdOn1, amount, isDeposit: true }
    const { id } = await store.reportDeposit(report, 1, Date.now())
    await settle(id)
    return (await store.readDeposit(id))!
  }

  const settle = (id: number) =>
    store.settleDeposit(id, { outcome: 'found', custody: 'vault', movements, mismatch: '', ...place }, Date.now())

  const available = async () => (await store.readBalances(user))[0]?.available ?? 0n

  it('belong to the action whose signed step turns out to have brought them', async () => {
    await deposit(50n)
    const entry = aNewAction({ user, intents: [aSignedIntent(), anOnDemandIntent(user)] })
    await store.insertAction(entry)
    const ref = stepOf(entry, 0, 0)
    const order = { action: 'execute', hash: null, signed: false } as const
    await store.requestStep({ ref, order, needs: [], intentSigned: true }, Date.now())
    const arrivals = [{ chainId: 1, transactionHash, user, token: usdOn1, ...movements[2]!, ...place }]
    await store.settleStep(ref, { status: 'success', transactionHash, arrivals, payouts: [], ...place }, Date.now())
    expect(await available()).to.equal(50n)
    const [credit] = await database.knex('credits').where({ user }).select('action_id')
    expect(credit).to.deep.include({ action_id: entry.action.actionId })
  })

  it('come back after a reorganisation as they were, however many movements they stand for', async () => {
    const [one, rest] = [await deposit(100n), await deposit(150n)]
    expect([one.status, rest.status, await available()]).to.deep.equal(['recorded', 'recorded', 250n])
    const undone = await store.undoBlock(1, { number: 1, hash: place.blockHash }, Date.now())
    expect(undone).to.have.length(3)
    for (const { id } of [one, rest]) expect((await store.readDeposit(id))?.status).to.equal('pending')
    expect(await available()).to.equal(0n)
    place = { ...place, blockNumber: 2, blockHash: randomHash() }
    for (const { id } of [one, rest]) await settle(id)
    for (const { id } of [one, rest]) expect((await store.readDeposit(id))?.status).to.equal('recorded')
    expect(await available()).to.equal(250n)
    expect((await deposit(100n)).id, 'nothing is left').to.equal(one.id)
  })
})
