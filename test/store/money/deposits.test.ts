import { expect } from 'chai'
import type { Address, Hash } from 'viem'
import type { StepRef } from '../../../server/domain/action.js'
import type { Database } from '../../../server/store/connection/database.js'
import type { StepResult } from '../../../server/store/journal/bookResult.js'
import type { DepositResult, DepositWork } from '../../../server/store/money/deposits.js'
import { readVaultMovements } from '../../../server/store/money/reconciliation.js'
import type { Store } from '../../../server/store/store.js'
import { rethrow } from '../../support/rethrow.js'
import { aStepRequest } from '../../support/aStepRequest.js'
import {
  aNewAction,
  anOnDemandIntent,
  aSignedIntent,
  randomAddress,
  randomHash,
  stepOf,
  usdOn1,
} from '../../support/builders.js'
import { useStore } from '../useStore.js'

describe('recorded deposits', () => {
  let database: Database
  let store: Store
  let user: Address
  let transactionHash: Hash
  let place: { blockNumber: number; blockHash: Hash; confirmations: number }

  useStore((fresh) => {
    ;({ database, store } = fresh)
    user = randomAddress()
    transactionHash = randomHash()
    place = { blockNumber: 1, blockHash: randomHash(), confirmations: 1 }
  })

  const movements = [100n, 100n, 50n].map((amount, logIndex) => ({ logIndex, amount }))

  async function deposit(amount: bigint) {
    const work = await report(amount)
    await settle(work)
    return (await store.readDeposit(work.id))!
  }

  async function report(amount: bigint): Promise<DepositWork> {
    const reported = { user, chainId: 1, transactionHash, sender: user, token: usdOn1, amount, isDeposit: true }
    return store.reportDeposit(reported, 1, Date.now())
  }

  const settle = (work: DepositWork) =>
    store.settleDeposit(work, { outcome: 'found', custody: 'vault', movements, mismatch: '', ...place }, Date.now())

  const available = async () => (await store.readBalances(user))[0]?.available ?? 0n

  it('wait for as many confirmations as the chain asks for when they are reported again', async () => {
    const report = { user, chainId: 1, transactionHash, sender: user, token: usdOn1, amount: 5n, isDeposit: true }
    const work = await store.reportDeposit(report, 5, Date.now())
    const { id } = work
    await store.postponeDeposit({ id, delayMs: 0, seen: { confirmations: 4, unseenMs: 0 } })
    await store.settleDeposit(work, { outcome: 'refused', code: 'deposit_mismatch', message: 'reverted' }, Date.now())
    const { status, requiredConfirmations, confirmations, ...again } = await store.reportDeposit(report, 1, Date.now())
    expect({ id: again.id, status, requiredConfirmations }).to.deep.equal({
      id,
      status: 'pending',
      requiredConfirmations: 1,
    })
    expect(confirmations, 'what was seen before says nothing any more').to.equal(0)
  })

  it('are not refused by a look at the report that was refused before they were sent anew', async () => {
    const refusal = { outcome: 'refused', code: 'deposit_mismatch', message: 'no such transaction' } as const
    const lookedAt = await report(5n)
    const reported = { user, chainId: 1, transactionHash, sender: user, token: usdOn1, amount: 5n, isDeposit: true }
    const isRefused = { outcome: 'refused', code: 'deposit_mismatch' }
    expect(await store.settleDeposit(lookedAt, refusal, Date.now())).to.deep.equal(isRefused)
    expect(await store.settleDeposit(lookedAt, refusal, Date.now())).to.deep.equal({ outcome: 'before' })
    const again = await store.reportDeposit(reported, 1, lookedAt.reportedAt + 1)
    expect(await store.settleDeposit(lookedAt, refusal, Date.now()), 'a look that took long').to.deep.equal({
      outcome: 'waits',
    })
    expect((await store.readDeposit(again.id))!.status).to.equal('pending')
    expect(await store.settleDeposit(again, refusal, Date.now())).to.deep.equal(isRefused)
    expect((await store.readDeposit(again.id))!.status).to.equal('refused')
  })

  it('leave nothing in the books of somebody of whom nothing was ever recorded where they are refused', async () => {
    const report = { user, chainId: 1, transactionHash, sender: user, token: usdOn1, amount: 100n }
    for (const isDeposit of [false, true]) {
      for (const custody of ['vault', 'wallet'] as const) {
        const amount = isDeposit ? 7n : 100n
        const work = await store.reportDeposit({ ...report, isDeposit, amount }, 1, Date.now())
        const found = { outcome: 'found', custody, movements, mismatch: 'not that', ...place } as const
        expect(await store.settleDeposit(work, found, Date.now())).to.include({ outcome: 'refused' })
        expect((await store.readDeposit(work.id))?.status).to.equal('refused')
      }
    }
    expect(await store.readBalances(user)).to.deep.equal([])
  })

  it('belong to the action whose signed step turns out to have brought them', async () => {
    await deposit(50n)
    const entry = aNewAction({ user, intents: [aSignedIntent(), anOnDemandIntent(user)] })
    await store.insertAction(entry)
    const ref = stepOf(entry, 0, 0)
    const order = { action: 'execute', hash: null, signed: false } as const
    await store.requestStep(aStepRequest({ ref, order, needs: [] }), Date.now())
    const arrivals = [{ chainId: 1, transactionHash, user, token: usdOn1, ...movements[2]!, ...place }]
    await store.settleStep(
      { ref, attempt: '1' },
      { status: 'success', transactionHash, arrivals, payouts: [], ...place },
      Date.now(),
    )
    expect(await available()).to.equal(50n)
    const [credit] = await database.knex('credits').where({ user }).select('action_id')
    expect(credit).to.deep.include({ action_id: entry.action.actionId })
  })

  const signer = randomAddress()
  /**
   * The two ways in which a step that has brought something is settled: without a transaction of ours, and with one.
   */
  const settlements: Record<string, (ref: StepRef, result: StepResult) => Promise<() => Promise<unknown>>> = {
    'by itself': async (ref, result) => () => store.settleStep({ ref, attempt: '1' }, result, Date.now()),
    'with its transaction': async (ref, result) => {
      await store.openLane({ chainId: 1, signer, chainNonce: 0, ifLedgerIsNew: null }, Date.now())
      const form = {
        hash: transactionHash,
        raw: '0x00',
        maxFeePerGas: 1n,
        maxPriorityFeePerGas: 1n,
        isCancel: false,
      } as const
      const payload = { chainId: 1, signer, to: randomAddress(), data: '0x', authorizations: [], gasLimit: 1n } as const
      const recorded = await store.recordTransaction(
        {
          ...payload,
          authorizations: [],
          steps: [{ ref, attempt: '1' }],
          airdrop: null,
          sign: () => Promise.resolve(form),
        },
        Date.now(),
      )
      if (recorded.outcome !== 'recorded') throw new Error(recorded.outcome)
      const { id: transactionId } = recorded.transaction
      const mined = { hash: transactionHash, blockNumber: place.blockNumber, blockHash: place.blockHash }
      const settled = { transactionId, mined, results: [{ ref, result, needs: [] }], airdrop: null }
      return () => store.settleTransaction(settled, Date.now())
    },
  }
  for (const [way, prepared] of Object.entries(settlements)) {
    it(`are booked once where the step that has brought them is settled at the same moment, ${way}`, async () => {
      for (let round = 0; round < 15; round++) {
        user = randomAddress()
        transactionHash = randomHash()
        const entry = aNewAction({ user, intents: [aSignedIntent()] })
        await store.insertAction(entry)
        const ref = stepOf(entry, 0, 0)
        const order = { action: 'execute', hash: null, signed: false } as const
        await store.requestStep(aStepRequest({ ref, order, needs: [] }), Date.now())
        const arrivals = [{ chainId: 1, transactionHash, user, token: usdOn1, ...movements[2]!, ...place }]
        const settleStep = await prepared(ref, { status: 'success', transactionHash, arrivals, payouts: [], ...place })
        const work = await report(50n)
        await Promise.all([settle(work), settleStep()])
        expect((await store.readDeposit(work.id))?.status).to.be.oneOf(['recorded', 'refused'])
        expect((await store.readStep(ref))?.status).to.equal('success')
        expect(await available()).to.equal(50n)
        expect(await database.knex('credits').where({ user })).to.have.length(1)
      }
    })
  }

  it('come back after a reorganisation as they were, however many movements they stand for', async () => {
    const [one, rest] = [await deposit(100n), await deposit(150n)]
    expect([one.status, rest.status, await available()]).to.deep.equal(['recorded', 'recorded', 250n])
    const undone = await store.undoBlock(1, { number: 1, hash: place.blockHash }, Date.now(), rethrow)
    expect(undone).to.have.length(3)
    for (const { id } of [one, rest]) expect((await store.readDeposit(id))?.status).to.equal('pending')
    expect(await available()).to.equal(0n)
    place = { ...place, blockNumber: 2, blockHash: randomHash() }
    for (const work of [one, rest]) await settle(work)
    for (const { id } of [one, rest]) expect((await store.readDeposit(id))?.status).to.equal('recorded')
    expect(await available()).to.equal(250n)
    expect((await deposit(100n)).id, 'nothing is left').to.equal(one.id)
  })

  describe('of accounts and withdrawals', () => {
    const elsewhere = randomHash()
    const later = () => ({ blockNumber: 2, blockHash: randomHash(), confirmations: 1 })
    const now = Date.now()

    /** Reports and records one movement of a transaction of its own; returns how to record and undo it. */
    async function record(amount: bigint, options: { isDeposit: boolean; custody: 'vault' | 'wallet' }) {
      const hash = randomHash()
      const report = { user, chainId: 1, transactionHash: hash, sender: elsewhere.slice(0, 42) as Address }
      const work = await store.reportDeposit({ ...report, token: usdOn1, amount, ...options }, 1, now)
      let block = later()
      const found = { outcome: 'found', custody: options.custody, movements: [{ logIndex: 3, amount }], mismatch: '' }
      const settle = () => store.settleDeposit(work, { ...found, ...block } as DepositResult, now)
      const status = async () => (await store.readDeposit(work.id))!.status
      await settle()
      expect(await status()).to.equal('recorded')
      return {
        status,
        undo: () => store.undoBlock(1, { number: 2, hash: block.blockHash }, now, rethrow),
        settleAgain: () => ((block = later()), settle()),
      }
    }
    const wallet = async () => (await store.readBalances(user))[0]!.wallet
    const inVault = async () => {
      const { arrivals } = await readVaultMovements(database)
      return [...arrivals.values()].flatMap((booked) => [...booked.values()]).reduce((sum, amount) => sum + amount, 0n)
    }

    for (const custody of ['wallet', 'vault'] as const) {
      it(`are undone by whichever report has recorded them, out of the ${custody}`, async () => {
        const oldest = await record(10n, { isDeposit: true, custody })
        for (let rest = 0; rest < 2; rest++) await record(10n, { isDeposit: true, custody })
        const sender = elsewhere.slice(0, 42) as Address
        const report = { user, chainId: 1, transactionHash: randomHash(), sender, token: usdOn1, isDeposit: false }
        const movements = [
          { logIndex: 0, amount: 10n },
          { logIndex: 1, amount: 5n },
        ]
        const recorded = async (amount: bigint) => {
          const work = await store.reportDeposit({ ...report, amount }, 1, now)
          const block = later()
          await store.settleDeposit(work, { outcome: 'found', custody, movements, mismatch: '', ...block }, now)
          expect((await store.readDeposit(work.id))!.status).to.equal('recorded')
          return () => store.undoBlock(1, { number: 2, hash: block.blockHash }, now, rethrow)
        }
        const undoOne = await recorded(10n)
        expect(await undoOne()).to.have.length(1)
        // What the one has taken from is gone meanwhile.
        await oldest.undo()
        const undoBoth = await recorded(15n)
        expect(await undoBoth()).to.have.length(1)
        const { available, wallet } = (await store.readBalances(user))[0]!
        expect({ available, wallet }).to.deep.equal(
          custody === 'vault' ? { available: 20n, wallet: 0n } : { available: 0n, wallet: 20n },
        )
      })
    }

    it('are undone with their block, and recorded when they come again', async () => {
      const deposit = await record(70n, { isDeposit: true, custody: 'wallet' })
      const withdrawal = await record(30n, { isDeposit: false, custody: 'wallet' })
      expect(await wallet()).to.equal(40n)
      for (const round of [1, 2]) {
        expect(await deposit.undo(), String(round)).to.have.length(1)
        expect(await deposit.undo()).to.have.length(0)
        expect([await wallet(), await deposit.status()]).to.deep.equal([-30n, 'pending'])
        await deposit.settleAgain()
        expect([await wallet(), await deposit.status()]).to.deep.equal([40n, 'recorded'])
        await withdrawal.undo()
        expect(await wallet()).to.equal(70n)
        await withdrawal.settleAgain()
        expect(await wallet()).to.equal(40n)
      }
    })

    it('give a withdrawal from the vault back to the credit that it was taken from', async () => {
      await deposit(100n)
      const withdrawal = await record(60n, { isDeposit: false, custody: 'vault' })
      for (const _round of [1, 2]) {
        expect(await available()).to.equal(40n)
        await withdrawal.undo()
        expect(await available()).to.equal(100n)
        await withdrawal.settleAgain()
      }
      expect(await available()).to.equal(40n)
      expect(await inVault()).to.equal(100n)
    })

    it('expose what a withdrawal takes that comes again after its credit has been spent, until it is gone', async () => {
      await deposit(100n)
      const withdrawal = await record(60n, { isDeposit: false, custody: 'vault' })
      await withdrawal.undo()
      const other = await record(70n, { isDeposit: false, custody: 'vault' })
      const exposed = async () => (await store.readOpenExposures()).map(({ kind, amount }) => [kind, amount])
      for (const round of [1, 2]) {
        await withdrawal.settleAgain()
        expect(await withdrawal.status(), `round ${round}`).to.equal('recorded')
        expect([await available(), await exposed()]).to.deep.equal([0n, [['payout', 30n]]])
        expect(await vaultHolds(), 'all of both has left it').to.equal(-30n)
        expect([...(await readVaultMovements(database)).paid], 'operators have paid nothing').to.deep.equal([])
        await withdrawal.undo()
        expect([await available(), await exposed()]).to.deep.equal([30n, []])
        expect(await vaultHolds()).to.equal(30n)
      }
      await other.undo()
      await withdrawal.settleAgain()
      expect([await available(), await exposed()]).to.deep.equal([40n, []])
    })

    it('take what a withdrawal takes from as many credits as it needs, and tell all that there is where it takes more', async () => {
      const pieces = 1_200n
      const sender = elsewhere.slice(0, 42) as Address
      const report = { user, chainId: 1, transactionHash: randomHash(), sender, token: usdOn1, isDeposit: true }
      const movements = Array.from({ length: Number(pieces) }, (_, logIndex) => ({ logIndex, amount: 1n }))
      const work = await store.reportDeposit({ ...report, amount: pieces }, 1, now)
      const found = { outcome: 'found', custody: 'vault', movements, mismatch: '', ...later() } as const
      expect(await store.settleDeposit(work, found, now)).to.deep.equal({ outcome: 'recorded' })
      await record(1_050n, { isDeposit: false, custody: 'vault' })
      expect(await available()).to.equal(150n)
      const open = await database.knex('credits').where({ user, is_open: 1 }).select('amount')
      expect(open).to.have.length(150)
      const more = { ...report, isDeposit: false, transactionHash: randomHash() }
      const over = await store.reportDeposit({ ...more, amount: 151n }, 1, now)
      const one = { ...found, movements: [{ logIndex: 3, amount: 151n }] }
      expect(await store.settleDeposit(over, one, now)).to.deep.equal({
        outcome: 'refused',
        code: 'withdrawal_exceeds_balance',
      })
      expect((await store.readDeposit(over.id))!.error?.message).to.contain('151 exceeds the recorded 150')
    })

    it('refuse a withdrawal that is more than is recorded and was never undone', async () => {
      await deposit(50n)
      expect(await record(60n, { isDeposit: false, custody: 'vault' }).catch((e: Error) => e.message)).to.include(
        'refused',
      )
      expect(await available()).to.equal(50n)
    })

    /** What the ledger says the vault holds. */
    async function vaultHolds(): Promise<bigint> {
      const rows = await database.knex<{ debit: string; credit: string; amount: string }>('ledger')
      const signOf = (row: { debit: string; credit: string }) =>
        BigInt(Number(row.debit === 'vault') - Number(row.credit === 'vault'))
      return rows.reduce((sum, row) => sum + signOf(row) * BigInt(row.amount), 0n)
    }

    it('close the exposure of a lost payment whose withdrawal is gone too', async () => {
      await deposit(100n)
      const withdrawal = await record(60n, { isDeposit: false, custody: 'vault' })
      await store.undoBlock(1, { number: 1, hash: place.blockHash }, now, rethrow)
      expect((await store.readOpenExposures()).map(({ amount }) => amount)).to.deep.equal([60n])
      await withdrawal.undo()
      expect(await store.readOpenExposures()).to.deep.equal([])
      expect(await available()).to.equal(0n)
      expect([...(await readVaultMovements(database)).paid], 'operators have paid nothing').to.deep.equal([])
      place = { ...place, blockNumber: 3, blockHash: randomHash() }
      await deposit(100n)
      expect(await available()).to.equal(100n)
    })

    it('give back what a payment that came again had made good of a withdrawal that is gone', async () => {
      await deposit(100n)
      const withdrawal = await record(60n, { isDeposit: false, custody: 'vault' })
      await store.undoBlock(1, { number: 1, hash: place.blockHash }, now, rethrow)
      place = { ...place, blockNumber: 3, blockHash: randomHash() }
      await deposit(100n)
      expect(await available()).to.equal(40n)
      await withdrawal.undo()
      expect(await available()).to.equal(100n)
    })
  })
})
