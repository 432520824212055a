import { expect } from 'chai'
import type { Address } from 'viem'
import type { ServiceError } from '../../../server/domain/errors.js'
import {
  aBatch,
  aNewAction,
  aSignedIntent,
  anOnDemandIntent,
  aTransfer,
  randomAddress,
  randomHash,
  stepOf,
  usdOn1,
  usdOn2,
} from '../../support/builders.js'
import { moneyScene, need } from './moneyScene.js'

describe('credit in the store', () => {
  const scene = moneyScene()
  const { ask, balance, codeOf, paidAction } = scene

  it('reserves what was paid in the action, spends it when the payout succeeds, and posts each move', async () => {
    const user = randomAddress()
    const entry = await paidAction(user, 100n)
    const payout = stepOf(entry, 0, 1)
    expect((await ask(payout, { needs: [need(100n)] })).status).to.equal('executing')
    expect(await balance('available', user)).to.equal(0n)
    expect(await balance('reserved', user)).to.equal(100n)
    const result = {
      status: 'success',
      transactionHash: randomHash(),
      blockNumber: 9,
      blockHash: randomHash(),
      confirmations: 1,
      arrivals: [],
      payouts: [{ chainId: 2, token: usdOn2, amount: 100n }],
    } as const
    const settle = () =>
      scene.store.settleStep(
        { ref: payout, attempt: '1' },
        { ...result, arrivals: [], payouts: [...result.payouts] },
        Date.now(),
      )
    expect(await settle()).to.equal('settled')
    expect(await balance('reserved', user)).to.equal(0n)
    expect(await balance('solver', user)).to.equal(0n)
    expect(await settle()).to.equal('stale')
    expect(await balance('vault', user)).to.equal(0n)
  })

  describe('that one transaction brings in many small amounts', () => {
    /** An action whose payment has brought so many amounts of one unit; `settled` is how many statements that took. */
    async function paidInSmallAmounts(user: Address, amounts: number) {
      const entry = aNewAction({ user, intents: [anOnDemandIntent(user, 1n)] })
      await scene.store.insertAction(entry)
      const [ref, hash, blockHash] = [stepOf(entry, 0, 0), randomHash(), randomHash()]
      await ask(ref, { hash, action: 'register' })
      const block = { transactionHash: hash, blockNumber: 7, blockHash }
      // Every second log moved nothing.
      const arrivals = Array.from({ length: amounts * 2 }, (_, logIndex) => ({
        chainId: 1,
        logIndex,
        user,
        token: usdOn1,
        amount: BigInt(logIndex % 2),
        ...block,
      }))
      const result = { status: 'success', ...block, confirmations: 1, payouts: [], arrivals } as const
      const settle = () => scene.store.settleStep({ ref, attempt: '1' }, { ...result, payouts: [] }, Date.now())
      const settled = await statementsOf(settle)
      return { entry, arrivals, settled }
    }

    async function statementsOf(work: () => Promise<unknown>): Promise<number> {
      let statements = 0
      const note = () => (statements += 1)
      const { knex } = scene.database
      knex.on('query', note)
      await work()
      knex.off('query', note)
      return statements
    }

    it('is booked by few statements, each by its log and once', async () => {
      const user = randomAddress()
      const { entry, arrivals, settled } = await paidInSmallAmounts(user, 1_250)
      expect(settled).to.be.within(5, 100)
      expect(await balance('available', user)).to.equal(1_250n)
      const rows = await scene.database
        .knex<{ user: string; log_index: number; action_id: string }>('credits')
        .where({ user })
        .orderBy('log_index')
      expect(rows.map((row) => row.log_index)).to.deep.equal(
        arrivals.filter(({ amount }) => amount > 0n).map(({ logIndex }) => logIndex),
      )
      expect(new Set(rows.map((row) => row.action_id))).to.deep.equal(new Set([stepOf(entry, 0, 0).actionId]))
    })

    it('is reserved, given back and spent by few statements, from the first on', async () => {
      const user = randomAddress()
      const { entry } = await paidInSmallAmounts(user, 1_250)
      const payout = stepOf(entry, 0, 1)
      const open = async () => {
        const rows = await scene.database
          .knex<{ user: string; available: string; reserved: string; is_open: number }>('credits')
          .where({ user })
          .orderBy('log_index')
        return rows.map((row) => `${row.available} ${row.reserved} ${Number(row.is_open)}`)
      }
      const some = (count: number, text: string) => Array.from({ length: count }, () => text)

      expect(await statementsOf(() => ask(payout, { needs: [need(600n), need(360n)] }))).to.be.within(5, 150)
      expect(await open()).to.deep.equal([...some(960, '0 1 1'), ...some(290, '1 0 1')])
      expect([await balance('available', user), await balance('reserved', user)]).to.deep.equal([290n, 960n])

      const error = { code: 'execution_reverted', message: 'no', retryable: true } as const
      const failed = { status: 'reverted', error, transactionHash: null, blockNumber: null } as const
      const end = (attempt: string, result: Parameters<typeof scene.store.settleStep>[1]) => () =>
        scene.store.settleStep({ ref: payout, attempt }, result, Date.now())
      expect(await statementsOf(end('1', failed))).to.be.within(5, 150)
      expect(await open()).to.deep.equal(some(1_250, '1 0 1'))
      expect([await balance('available', user), await balance('reserved', user)]).to.deep.equal([1_250n, 0n])

      await ask(payout, { needs: [need(960n)] })
      const paid = {
        status: 'success',
        transactionHash: randomHash(),
        blockNumber: 9,
        blockHash: randomHash(),
      } as const
      const payouts = [{ chainId: 2, token: usdOn2, amount: 960n }]
      const spend = end('2', { ...paid, confirmations: 1, arrivals: [], payouts })
      expect(await statementsOf(spend)).to.be.within(5, 150)
      expect(await open()).to.deep.equal([...some(960, '0 0 0'), ...some(290, '1 0 1')])
      expect([await balance('available', user), await balance('reserved', user)]).to.deep.equal([290n, 0n])
      expect(await scene.store.readBalances(user)).to.deep.include({
        ...{ user, chainId: 1, token: usdOn1, wallet: 0n },
        ...{ available: 290n, reserved: 0n },
      })
    })
  })

  it('keeps what the next attempt has reserved when a visit of the last one comes late', async () => {
    const user = randomAddress()
    const payout = stepOf(await paidAction(user, 100n), 0, 1)
    await ask(payout, { needs: [need(60n)] })
    const error = { code: 'transfer_mismatch', message: 'no', retryable: true } as const
    const failed = { status: 'error', error, transactionHash: null, blockNumber: null } as const
    const end = (attempt: string) => scene.store.settleStep({ ref: payout, attempt }, failed, Date.now())
    expect(await end('1')).to.equal('settled')
    expect((await ask(payout, { needs: [need(60n)] })).attempts).to.equal(2)

    expect(await end('1')).to.equal('stale')
    expect((await scene.store.readStep(payout))!.status).to.equal('executing')
    expect(await balance('reserved', user)).to.equal(60n)
    expect(await end('2')).to.equal('settled')
    expect(await balance('reserved', user)).to.equal(0n)
  })

  it('gives back what a failed payout had reserved', async () => {
    const user = randomAddress()
    const entry = await paidAction(user, 100n)
    const payout = stepOf(entry, 0, 1)
    await ask(payout, { needs: [need(60n)] })
    const error = { code: 'execution_reverted', message: 'no', retryable: true } as const
    await scene.store.settleStep(
      { ref: payout, attempt: '1' },
      { status: 'reverted', error, transactionHash: null, blockNumber: null },
      Date.now(),
    )
    expect(await balance('available', user)).to.equal(100n)
    expect(await balance('reserved', user)).to.equal(0n)
    expect((await ask(payout, { needs: [need(60n)] })).attempts).to.equal(2)
    expect(await balance('reserved', user)).to.equal(60n)
  })

  it('refuses a payout beyond the credit, says how much there is, and stores nothing', async () => {
    const user = randomAddress()
    const entry = await paidAction(user, 100n)
    const payout = stepOf(entry, 0, 1)
    const error = (await ask(payout, { needs: [need(101n)] }).catch((e: unknown) => e)) as ServiceError
    expect(error.code).to.equal('insufficient_credit')
    expect(error.details).to.include({ token: usdOn2, required: '101', available: '100' })
    const second = (await ask(payout, { needs: [need(60n), need(41n)] }).catch((e: unknown) => e)) as ServiceError
    expect(second.details).to.include({ token: usdOn2, required: '41', available: '40' })
    expect((await scene.store.readStep(payout))?.status).to.equal('created')
    expect(await balance('available', user)).to.equal(100n)
  })

  it('lets an unsigned intent use nothing of the user’s other credit, and a signed one all of it', async () => {
    const user = randomAddress()
    await paidAction(user, 100n)
    const other = await paidAction(user, 1n)
    expect(await codeOf(ask(stepOf(other, 0, 1), { needs: [need(50n)] }))).to.equal('insufficient_credit')
    const batch = aBatch({ chainId: 2, hash: randomHash(), calls: [], tokenTransfers: [aTransfer({ to: user })] })
    const signed = aNewAction({ user, intents: [aSignedIntent([batch])] })
    await scene.store.insertAction(signed)
    const view = await ask(stepOf(signed, 0, 0), { needs: [need(101n)] })
    expect(view.status).to.equal('executing')
    expect(await balance('reserved', user)).to.equal(101n)
  })

  it('never reserves the same credit twice, however many ask at once', async () => {
    const user = randomAddress()
    await paidAction(user, 100n)
    const entries = Array.from({ length: 12 }, () => {
      const batch = aBatch({ chainId: 2, hash: randomHash(), calls: [], tokenTransfers: [aTransfer({ to: user })] })
      return aNewAction({ user, intents: [aSignedIntent([batch])] })
    })
    for (const entry of entries) await scene.store.insertAction(entry)
    const codes = await Promise.all(entries.map((entry) => codeOf(ask(stepOf(entry, 0, 0), { needs: [need(30n)] }))))
    expect(codes.filter((code) => code === 'none')).to.have.length(3)
    expect(codes.filter((code) => code === 'insufficient_credit')).to.have.length(9)
    expect(await balance('reserved', user)).to.equal(90n)
    expect(await balance('available', user)).to.equal(10n)
  })

  it('pays without credit up to the daily cap where a deployment allows it, and gives back what failed', async () => {
    const user = randomAddress()
    const open = (amount: bigint) => ({ ...need(amount), openCapPerDay: 100n })
    const asked = async (amount: bigint) => {
      const batch = aBatch({ chainId: 2, hash: randomHash(), calls: [], tokenTransfers: [aTransfer({ to: user })] })
      const entry = aNewAction({ user, intents: [aSignedIntent([batch])] })
      await scene.store.insertAction(entry)
      const ref = stepOf(entry, 0, 0)
      return { ref, code: await codeOf(ask(ref, { needs: [open(amount)] })) }
    }
    const first = await asked(70n)
    expect(first.code).to.equal('none')
    expect((await asked(40n)).code).to.equal('insufficient_credit')
    const error = { code: 'execution_reverted', message: '', retryable: true } as const
    const failed = { status: 'reverted', error, transactionHash: null, blockNumber: null } as const
    await scene.store.settleStep({ ref: first.ref, attempt: '1' }, failed, Date.now())
    const both = await Promise.all([asked(60n), asked(60n)])
    expect(both.map((entry) => entry.code).sort()).to.deep.equal(['insufficient_credit', 'none'])
    expect((await asked(40n)).code).to.equal('none')
  })
})
