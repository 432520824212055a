import { expect } from 'chai'
import type { Address, Hash } from 'viem'
import type { StepAttempt } from '../../../server/domain/action.js'
import { stepKeyColumns } from '../../../server/store/rows.js'
import {
  aBatch,
  aNewAction,
  anOnDemandIntent,
  aTransfer,
  randomAddress,
  randomHash,
  stepOf,
  usdOn1,
} from '../../support/builders.js'
import { moneyScene } from './moneyScene.js'

describe('a deposit report of a transaction that a step has as its payment', () => {
  const scene = moneyScene()
  const { ask, balance, codeOf, settlePayment } = scene
  const place = { blockNumber: 7, blockHash: randomHash() }

  async function report(
    user: Address,
    transactionHash: Hash,
    amounts: bigint[] = [100n],
    amount = amounts.reduce((sum, one) => sum + one, 0n),
  ) {
    const reported = { user, chainId: 1, transactionHash, sender: user, token: usdOn1, amount, isDeposit: true }
    const deposit = await scene.store.reportDeposit(reported, 1, Date.now())
    const movements = amounts.map((one, logIndex) => ({ logIndex, amount: one }))
    const found = { outcome: 'found', custody: 'vault', movements, mismatch: '', confirmations: 1, ...place } as const
    return {
      settle: async () => (await scene.store.settleDeposit(deposit, found, Date.now())).outcome,
      read: async () => (await scene.store.readDeposit(deposit.id))!,
    }
  }

  async function registered(user: Address, hash: Hash, signed = false) {
    const entry = aNewAction({ user, intents: [anOnDemandIntent(user)] })
    await scene.store.insertAction(entry)
    const ref = stepOf(entry, 0, 0)
    await ask(ref, { hash, action: 'register', signed })
    return { ref, attempt: '1' } satisfies StepAttempt
  }

  /** For a step whose predecessor waits for a transaction that nobody knows. */
  async function registeredBehind(user: Address, hash: Hash) {
    const payment = () =>
      aBatch({ tokenTransfers: [aTransfer({ from: user, to: randomAddress(), token: usdOn1, amount: 100n })] })
    const chainBatches = [payment(), payment()]
    const entry = aNewAction({ user, intents: [{ mode: 'non-7702:on-demand', chainBatches }] })
    await scene.store.insertAction(entry)
    const [first, second] = [stepOf(entry, 0, 0), stepOf(entry, 0, 1)]
    await ask(first, { hash: randomHash(), action: 'register' })
    expect(await codeOf(ask(second, { hash, action: 'register' }))).to.equal('none')
    return { first, second }
  }

  it('waits for what comes of the step, and is recorded where that backs nothing', async () => {
    const [user, hash] = [randomAddress(), randomHash()]
    const step = await registered(user, hash)
    const { settle, read } = await report(user, hash)
    expect(await settle()).to.equal('waits')
    expect((await read()).status).to.equal('pending')
    const error = { code: 'transaction_mismatch', message: 'no', retryable: true } as const
    const failed = { status: 'error', error, transactionHash: hash, blockNumber: null } as const
    await scene.store.settleStep(step, failed, Date.now())
    expect(await settle()).to.equal('recorded')
    expect((await read()).status).to.equal('recorded')
    expect(await balance('available', user)).to.equal(100n)
  })

  it('waits where a reorganisation has the step wait for the one before it again', async () => {
    const [user, hash] = [randomAddress(), randomHash()]
    const { second, first } = await registeredBehind(user, hash)
    const { settle } = await report(user, hash)
    await scene.database.knex('steps').where(stepKeyColumns(first)).update({ reopenings: 1 })
    expect(await settle()).to.equal('waits')
    expect((await scene.store.readStep(second))!.status).to.equal('executing')
  })

  it('is refused at once where the transaction moves another amount', async () => {
    const [user, hash] = [randomAddress(), randomHash()]
    await registered(user, hash)
    const { settle, read } = await report(user, hash, [100n], 99n)
    expect(await settle()).to.equal('refused')
    expect((await read()).error?.code).to.equal('deposit_mismatch')
  })

  it('is refused where the step is paid by it, and where its user has signed for that', async () => {
    for (const signed of [false, true]) {
      const [user, hash] = [randomAddress(), randomHash()]
      const { ref } = await registered(user, hash, signed)
      if (!signed) await settlePayment(ref, { user, hash, amount: 100n, logIndex: 0 })
      const { settle, read } = await report(user, hash)
      expect(await settle()).to.equal('refused')
      expect((await read()).error?.code).to.equal('transaction_already_used')
    }
  })

  it('is recorded where the step waits for the one before it, which anybody may have asked for', async () => {
    const [user, hash] = [randomAddress(), randomHash()]
    const { second } = await registeredBehind(user, hash)
    const { settle, read } = await report(user, hash)
    expect(await settle()).to.equal('recorded')
    expect((await read()).status).to.equal('recorded')
    // Its turn comes after all: the money is there once.
    await settlePayment(second, { user, hash, amount: 100n, blockHash: place.blockHash, logIndex: 0 })
    expect((await scene.store.readStep(second))!.error?.code).to.equal('transaction_already_used')
    expect(await balance('available', user)).to.equal(100n)
  })

  it('leaves its credit to the step that the user has signed for, though it was booked at the same moment', async () => {
    for (const signed of [true, false]) {
      const [user, hash] = [randomAddress(), randomHash()]
      const { ref } = await registered(user, hash, signed)
      const { settle, read } = await report(user, hash)
      // As the report's transaction saw it: without the registration, which was not committed.
      const rows = await scene.database.knex('payments').where({ hash })
      await scene.database.knex('payments').where({ hash }).delete()
      await settle()
      await scene.database.knex('payments').insert(rows)
      expect((await read()).status).to.equal('recorded')
      await settlePayment(ref, { user, hash, amount: 100n, blockHash: place.blockHash, logIndex: 0 })
      const credits = await scene.database.knex('credits').where({ user }).select('action_id')
      expect(credits).to.deep.equal([{ action_id: signed ? ref.actionId : null }])
      expect((await scene.store.readStep(ref))!.status).to.equal(signed ? 'success' : 'error')
      expect(await balance('available', user)).to.equal(100n)
    }
  })

  it('leaves the credit to the action whose signed registration comes while the other step is settled', async function () {
    this.timeout(60_000)
    for (let round = 0; round < 40; round++) {
      const [user, hash] = [randomAddress(), randomHash()]
      const { ref: loser } = await registered(user, hash)
      const honest = aNewAction({ user, intents: [anOnDemandIntent(user)] })
      await scene.store.insertAction(honest)
      const ref = stepOf(honest, 0, 0)
      await Promise.all([
        settlePayment(loser, { user, hash, amount: 100n, blockHash: place.blockHash }),
        ask(ref, { hash, action: 'register', signed: true }),
      ])
      const credits = await scene.database.knex('credits').where({ user }).select('action_id')
      for (const { action_id } of credits) expect(action_id).to.equal(honest.action.actionId)
      await settlePayment(ref, { user, hash, amount: 100n, blockHash: place.blockHash })
      expect((await scene.store.readStep(ref))!.status).to.equal('success')
      expect(await balance('available', user)).to.equal(100n)
    }
  })

  it('is recorded whole, of however many movements it is the sum', async () => {
    const [user, hash] = [randomAddress(), randomHash()]
    const { settle, read } = await report(
      user,
      hash,
      Array.from({ length: 1_200 }, (_, index) => BigInt(index + 1)),
    )
    expect(await settle()).to.equal('recorded')
    expect((await read()).status).to.equal('recorded')
    expect(await balance('available', user)).to.equal(720_600n)
  })
})
