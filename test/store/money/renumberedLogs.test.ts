import { expect } from 'chai'
import type { Address, Hash } from 'viem'
import type { StepAttempt } from '../../../server/domain/action.js'
import type { Custody } from '../../../server/domain/deposit.js'
import { createStore } from '../../../server/store/store.js'
import { rethrow } from '../../support/rethrow.js'
import {
  aNewAction,
  anOnDemandIntent,
  aSignedIntent,
  randomAddress,
  randomHash,
  stepOf,
  usdOn1,
} from '../../support/builders.js'
import { moneyScene } from './moneyScene.js'

/** A log as one node numbers it, and what it moved. */
type Told = readonly [logIndex: number, amount: bigint]

/** Through the block, and from 0 in each transaction. */
const [inBlock, inTransaction] = [57, 2]

describe('a transaction whose logs one node numbers otherwise than another', () => {
  const scene = moneyScene()
  const { balance } = scene
  let user: Address
  let hash: Hash
  let block: { blockNumber: number; blockHash: Hash }
  let notices: string[]
  /** The store as the service has it, which tells operators what is odd. */
  let store: typeof scene.store

  beforeEach(() => {
    user = randomAddress()
    hash = randomHash()
    block = aBlock()
    notices = []
    const notice = (_fields: object, message: string) => void notices.push(message)
    const { transact } = scene.database
    store = createStore({
      ...scene.database,
      transact: (work, options) => transact((trx) => work(Object.assign(trx, { notice })), options),
    })
  })

  const aBlock = () => ({ blockNumber: 7, blockHash: randomHash() })
  const credited = () => balance('available', user)

  /** A step that the user has signed and the service has carried out. */
  async function carriedOut(): Promise<StepAttempt> {
    const entry = aNewAction({ user, intents: [aSignedIntent()] })
    await store.insertAction(entry)
    const ref = stepOf(entry, 0, 0)
    await scene.ask(ref)
    return { ref, attempt: '1' }
  }

  /** A step that the user carries out himself, by that transaction. */
  async function registered(signed: boolean): Promise<StepAttempt> {
    const entry = aNewAction({ user, intents: [anOnDemandIntent(user)] })
    await store.insertAction(entry)
    const ref = stepOf(entry, 0, 0)
    await scene.ask(ref, { hash, action: 'register', signed })
    return { ref, attempt: '1' }
  }

  async function settle(step: StepAttempt, ...logs: Told[]) {
    const place = { transactionHash: hash, ...block }
    const arrivals = logs.map(([logIndex, amount]) => ({
      ...{ chainId: 1, user, token: usdOn1, logIndex, amount },
      ...place,
    }))
    await store.settleStep(step, { status: 'success', ...place, confirmations: 1, arrivals, payouts: [] }, Date.now())
    return (await store.readStep(step.ref))!.status
  }

  /**
   * Reports an amount of the transaction, of which a node tells these movements; the code
   * that it is refused by, if it is.
   */
  async function report(
    amount: bigint,
    logs: readonly Told[],
    { isDeposit = true, custody = 'vault' }: { isDeposit?: boolean; custody?: Custody } = {},
  ) {
    const sender = custody === 'vault' && !isDeposit ? vault : user
    const reported = { user, chainId: 1, transactionHash: hash, sender, token: usdOn1, amount, isDeposit }
    const deposit = await store.reportDeposit(reported, 1, Date.now())
    const movements = logs.map(([logIndex, moved]) => ({ logIndex, amount: moved }))
    const found = { outcome: 'found', custody, movements, mismatch: '', confirmations: 1, ...block } as const
    await store.settleDeposit(deposit, found, Date.now())
    const record = (await store.readDeposit(deposit.id))!
    return record.error?.code ?? record.status
  }

  const vault = randomAddress()

  it('is no second credit when it is reported after its step was settled', async () => {
    expect(await settle(await carriedOut(), [inBlock, 1_000n])).to.equal('success')
    expect(await report(1_000n, [[inTransaction, 1_000n]])).to.equal('transaction_already_used')
    expect(await credited()).to.equal(1_000n)
    expect(notices).to.have.length(1)
  })

  it('is no second credit when its step is settled after it was reported, and is that step’s', async () => {
    const step = await carriedOut()
    expect(await report(1_000n, [[inTransaction, 1_000n]])).to.equal('recorded')
    expect(await settle(step, [inBlock, 1_000n])).to.equal('success')
    expect(await credited()).to.equal(1_000n)
    const credits = await scene.database.knex('credits').where({ user }).select('action_id')
    expect(credits).to.deep.equal([{ action_id: step.ref.actionId }])
    expect(notices).to.have.length(1)
  })

  it('is no second credit when its user registers it with his signature after it was reported', async () => {
    expect(await report(1_000n, [[inTransaction, 1_000n]])).to.equal('recorded')
    const step = await registered(true)
    expect(await settle(step, [inBlock, 1_000n])).to.equal('success')
    expect(await credited()).to.equal(1_000n)
    const credits = await scene.database.knex('credits').where({ user }).select('action_id')
    expect(credits).to.deep.equal([{ action_id: step.ref.actionId }])
  })

  it('is no second credit when it is settled and reported at the same moment', async function () {
    this.timeout(60_000)
    for (let round = 1; round <= 20; round++) {
      hash = randomHash()
      const step = await carriedOut()
      await Promise.all([settle(step, [inBlock, 1_000n]), report(1_000n, [[inTransaction, 1_000n]])])
      expect((await store.readStep(step.ref))!.status).to.equal('success')
      expect(await credited()).to.equal(1_000n * BigInt(round))
      expect(await scene.database.knex('credits').where({ user })).to.have.length(round)
    }
  })

  it('has each of its movements credited, two of the same amount too, whatever they are numbered by', async () => {
    for (const [first, other] of [
      [inBlock, inTransaction],
      [inBlock, inBlock],
    ] as const) {
      user = randomAddress()
      hash = randomHash()
      const told = (from: number): Told[] => [100n, 100n, 50n].map((amount, at) => [from + 2 * at, amount])
      const step = await carriedOut()
      expect(await report(100n, told(first))).to.equal('recorded')
      expect(await credited()).to.equal(100n)
      expect(await settle(step, ...told(other))).to.equal('success')
      expect(await credited()).to.equal(250n)
      expect(await report(250n, told(first))).to.equal('transaction_already_used')
      expect(await credited()).to.equal(250n)
    }
  })

  it('has one reported, then all that are left as their sum, and none again', async () => {
    const told = (from: number): Told[] => [100n, 50n, 25n].map((amount, at) => [from + at, amount])
    expect(await report(50n, told(inBlock))).to.equal('recorded')
    expect(await report(175n, told(inTransaction))).to.equal('transaction_already_used')
    expect(await report(125n, told(inTransaction))).to.equal('recorded')
    for (const amount of [100n, 25n, 175n, 75n]) {
      const code = await report(amount, told(inBlock))
      expect(code).to.be.oneOf(['transaction_already_used', 'deposit_mismatch'])
    }
    expect(await credited()).to.equal(175n)
  })

  it('has a movement credited that has another’s number by the other count', async () => {
    // Counted from 0 they are 2 and 4, through the block 4 and 6; then the other way round.
    const step = await carriedOut()
    expect(
      await report(500n, [
        [2, 1_000n],
        [4, 500n],
      ]),
    ).to.equal('recorded')
    expect(await settle(step, [4, 1_000n], [6, 500n])).to.equal('success')
    expect(await credited()).to.equal(1_500n)
    expect(
      await report(1_500n, [
        [2, 1_000n],
        [4, 500n],
      ]),
    ).to.equal('transaction_already_used')

    hash = randomHash()
    expect(await settle(await carriedOut(), [4, 30n])).to.equal('success')
    expect(
      await report(20n, [
        [2, 30n],
        [4, 20n],
      ]),
    ).to.equal('recorded')
    expect(await credited()).to.equal(1_550n)
  })

  it('has another user’s movement credited that has the same number by the other count', async () => {
    const first = user
    expect(await settle(await carriedOut(), [4, 30n])).to.equal('success')
    user = randomAddress()
    expect(await report(30n, [[4, 30n]])).to.equal('recorded')
    expect(await settle(await carriedOut(), [9, 30n])).to.equal('success')
    expect([await credited(), await balance('available', first)]).to.deep.equal([30n, 30n])
  })

  it('comes back once after a reorganisation, in another block and numbered otherwise', async () => {
    const step = await carriedOut()
    expect(await settle(step, [inBlock, 1_000n])).to.equal('success')
    expect(await report(1_000n, [[inTransaction, 1_000n]])).to.equal('transaction_already_used')
    for (const [settledBy, reportedBy] of [
      [inTransaction, inBlock],
      [inBlock, inTransaction],
    ] as const) {
      await store.undoBlock(1, { number: block.blockNumber, hash: block.blockHash }, Date.now(), rethrow)
      expect(await credited()).to.equal(0n)
      block = aBlock()
      expect(await report(1_000n, [[reportedBy, 1_000n]])).to.be.oneOf(['recorded', 'transaction_already_used'])
      expect(await settle((await store.readStepWork(step.ref))!, [settledBy, 1_000n])).to.equal('success')
      expect(await credited()).to.equal(1_000n)
    }
  })

  it('is not judged by what is booked of it in a block that has not been undone yet', async () => {
    expect(await settle(await carriedOut(), [inBlock, 1_000n])).to.equal('success')
    const old = block
    block = aBlock()
    const early = await report(1_000n, [[inTransaction, 1_000n]]).catch((error: Error) => error.message)
    expect(early).to.contain('has not been undone yet')
    await store.undoBlock(1, { number: old.blockNumber, hash: old.blockHash }, Date.now(), rethrow)
    expect(await report(1_000n, [[inTransaction, 1_000n]])).to.equal('recorded')
    expect(notices).to.deep.equal([])
  })

  it('is recorded once in an account, and leaves it once', async () => {
    const told = (from: number): Told[] => [100n, 50n].map((amount, at) => [from + at, amount])
    const wallet = async () => (await store.readBalances(user))[0]!.wallet
    for (const isDeposit of [true, false]) {
      const options = { isDeposit, custody: 'wallet' } as const
      expect(await report(100n, told(inBlock), options)).to.equal('recorded')
      expect(await report(150n, told(inTransaction), options)).to.equal('transaction_already_used')
      expect(await report(50n, told(inTransaction), options)).to.equal('recorded')
      expect(await wallet()).to.equal(isDeposit ? 150n : 300n)
      if (isDeposit) expect(await reportElsewhere(300n)).to.equal('recorded')
    }

    /** So that a second withdrawal would find something to take. */
    async function reportElsewhere(amount: bigint) {
      const before = hash
      hash = randomHash()
      const code = await report(amount, [[0, amount]], { custody: 'wallet' })
      hash = before
      return code
    }
  })

  it('is withdrawn from the vault once', async () => {
    expect(await settle(await carriedOut(), [inBlock, 1_000n])).to.equal('success')
    hash = randomHash()
    block = aBlock()
    const told = (from: number): Told[] => [100n, 50n].map((amount, at) => [from + at, amount])
    expect(await report(100n, told(inBlock), { isDeposit: false })).to.equal('recorded')
    expect(await report(150n, told(inTransaction), { isDeposit: false })).to.equal('transaction_already_used')
    expect(await credited()).to.equal(900n)
    expect(await report(50n, told(inTransaction), { isDeposit: false })).to.equal('recorded')
    expect(await credited()).to.equal(850n)
    await store.undoBlock(1, { number: block.blockNumber, hash: block.blockHash }, Date.now(), rethrow)
    expect(await credited()).to.equal(1_000n)
  })

  it('tells operators nothing where nodes agree', async () => {
    const step = await carriedOut()
    expect(
      await report(1_000n, [
        [inBlock, 1_000n],
        [inBlock + 1, 5n],
      ]),
    ).to.equal('recorded')
    expect(await settle(step, [inBlock, 1_000n], [inBlock + 1, 5n])).to.equal('success')
    expect(await credited()).to.equal(1_005n)
    expect(notices).to.deep.equal([])
  })
})
