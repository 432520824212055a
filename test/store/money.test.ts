import { expect } from 'chai'
import type { Address } from 'viem'
import { ServiceError } from '../../server/domain/errors.js'
import type { SolverNeed } from '../../server/domain/solverNeeds.js'
import type { Database } from '../../server/store/database.js'
import { createStore, type Store } from '../../server/store/store.js'
import {
  aBatch,
  aNewAction,
  anOnDemandIntent,
  aSignedIntent,
  aTransfer,
  randomAddress,
  randomHash,
  stepOf,
  usdOn1,
  usdOn2,
} from '../support/builders.js'
import { freshDatabase } from '../support/database.js'

const members = [
  { chainId: 1, token: usdOn1, decimals: 6 },
  { chainId: 2, token: usdOn2, decimals: 6 },
]

function need(amount: bigint): SolverNeed {
  return { chainId: 2, token: usdOn2, amount, decimals: 6, feeBps: 0, members, openCapPerDay: null }
}

describe('money in the store', () => {
  let database: Database
  let store: Store
  let drop: () => Promise<void>

  beforeEach(async () => {
    ;({ database, drop } = await freshDatabase())
    store = createStore(database)
  })
  afterEach(() => drop())

  /** Stores an on-demand action whose payment of `amount` has been verified. */
  async function paidAction(user: Address, amount: bigint, hash = randomHash()) {
    const entry = aNewAction({ user, intents: [anOnDemandIntent(user, amount), anOnDemandIntent(user, amount)] })
    await store.insertAction(entry)
    const payment = stepOf(entry, 0, 0)
    await ask(payment, { hash, action: 'register' })
    await store.settleStep(
      payment,
      {
        status: 'success',
        transactionHash: hash,
        blockNumber: 7,
        blockHash: randomHash(),
        confirmations: 1,
        arrivals: [
          {
            chainId: 1,
            transactionHash: hash,
            logIndex: 3,
            blockNumber: 7,
            blockHash: randomHash(),
            user,
            token: usdOn1,
            amount,
          },
        ],
        payouts: [],
      },
      Date.now(),
    )
    return entry
  }

  function ask(
    ref: ReturnType<typeof stepOf>,
    options: {
      hash?: `0x${string}`
      action?: 'execute' | 'register'
      needs?: SolverNeed[]
      signed?: boolean
      intentSigned?: boolean
    } = {},
  ) {
    return store.requestStep(
      {
        ref,
        order: {
          action: options.action ?? 'execute',
          hash: options.hash ?? null,
          signed: options.signed ?? false,
        },
        needs: options.needs ?? [],
        intentSigned: options.intentSigned ?? false,
      },
      Date.now(),
    )
  }

  async function codeOf(promise: Promise<unknown>): Promise<string> {
    return promise.then(
      () => 'none',
      (error: unknown) => {
        if (error instanceof ServiceError) return error.code
        throw error
      },
    )
  }

  /** What the ledger says an account holds of the user's money. */
  async function balance(account: string, user: Address): Promise<bigint> {
    const rows = await database
      .knex<{ debit: string; credit: string; amount: string; user: Address }>('ledger')
      .where({ user })
    return rows.reduce((sum, row) => {
      const sign = row.credit === account ? 1n : row.debit === account ? -1n : 0n
      return sum + sign * BigInt(row.amount)
    }, 0n)
  }

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
    expect(
      await store.settleStep(payout, { ...result, arrivals: [], payouts: [...result.payouts] }, Date.now()),
    ).to.equal('settled')
    expect(await balance('reserved', user)).to.equal(0n)
    expect(await balance('solver', user)).to.equal(0n)
    expect(
      await store.settleStep(payout, { ...result, arrivals: [], payouts: [...result.payouts] }, Date.now()),
    ).to.equal('stale')
    expect(await balance('vault', user)).to.equal(0n)
  })

  it('gives back what a failed payout had reserved', async () => {
    const user = randomAddress()
    const entry = await paidAction(user, 100n)
    const payout = stepOf(entry, 0, 1)
    await ask(payout, { needs: [need(60n)] })
    const error = { code: 'execution_reverted', message: 'no', retryable: true } as const
    await store.settleStep(payout, { status: 'reverted', error, transactionHash: null, blockNumber: null }, Date.now())
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
    expect(error.details).to.include({ required: '101', available: '100' })
    expect((await store.readStep(payout))?.status).to.equal('created')
    expect(await balance('available', user)).to.equal(100n)
  })

  it('lets an unsigned intent use nothing of the user’s other credit, and a signed one all of it', async () => {
    const user = randomAddress()
    await paidAction(user, 100n)
    const other = await paidAction(user, 1n)
    expect(await codeOf(ask(stepOf(other, 0, 1), { needs: [need(50n)] }))).to.equal('insufficient_credit')
    const batch = aBatch({ chainId: 2, hash: randomHash(), calls: [], tokenTransfers: [aTransfer({ to: user })] })
    const signed = aNewAction({ user, intents: [aSignedIntent([batch])] })
    await store.insertAction(signed)
    const view = await ask(stepOf(signed, 0, 0), { needs: [need(101n)], intentSigned: true })
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
    for (const entry of entries) await store.insertAction(entry)
    const codes = await Promise.all(
      entries.map((entry) => codeOf(ask(stepOf(entry, 0, 0), { needs: [need(30n)], intentSigned: true }))),
    )
    expect(codes.filter((code) => code === 'none')).to.have.length(3)
    expect(codes.filter((code) => code === 'insufficient_credit')).to.have.length(9)
    expect(await balance('reserved', user)).to.equal(90n)
    expect(await balance('available', user)).to.equal(10n)
  })

  it('ties a transaction to one step only, ever, however many ask at once', async () => {
    const user = randomAddress()
    const hash = randomHash()
    const entries = Array.from({ length: 8 }, () => aNewAction({ user, intents: [anOnDemandIntent(user)] }))
    for (const entry of entries) await store.insertAction(entry)
    const codes = await Promise.all(
      entries.map((entry) => codeOf(ask(stepOf(entry, 0, 0), { hash, action: 'register' }))),
    )
    expect(codes.filter((code) => code === 'none')).to.have.length(1)
    expect(codes.filter((code) => code === 'transaction_already_used')).to.have.length(7)
  })

  it('lets nobody occupy a transaction by naming it for another user', async () => {
    const hash = randomHash()
    const [victim, attacker] = [randomAddress(), randomAddress()]
    const junk = aNewAction({ user: attacker, intents: [anOnDemandIntent(attacker)] })
    const honest = aNewAction({ user: victim, intents: [anOnDemandIntent(victim)] })
    await store.insertAction(junk)
    await store.insertAction(honest)
    await ask(stepOf(junk, 0, 0), { hash, action: 'register' })
    expect((await ask(stepOf(honest, 0, 0), { hash, action: 'register' })).status).to.equal('executing')
  })

  it('hands a transaction and its credit over to the user’s signed registration', async () => {
    const user = randomAddress()
    const hash = randomHash()
    const junk = await paidAction(user, 100n, hash)
    const honest = aNewAction({ user, intents: [anOnDemandIntent(user)] })
    await store.insertAction(honest)
    const ref = stepOf(honest, 0, 0)
    expect(await codeOf(ask(ref, { hash, action: 'register' }))).to.equal('transaction_already_used')
    expect((await ask(ref, { hash, action: 'register', signed: true })).status).to.equal('executing')
    expect((await store.readStep(stepOf(junk, 0, 0)))?.error?.code).to.equal('transaction_taken_over')
    expect(await codeOf(ask(stepOf(junk, 0, 1), { needs: [need(100n)] }))).to.equal('previous_step_incomplete')
    expect(await codeOf(ask(stepOf(junk, 0, 0), { hash, action: 'register', signed: true }))).to.equal(
      'transaction_already_used',
    )
  })

  it('hands nothing over once something was paid out on it', async () => {
    const user = randomAddress()
    const hash = randomHash()
    const first = await paidAction(user, 100n, hash)
    await ask(stepOf(first, 0, 1), { needs: [need(10n)] })
    const late = aNewAction({ user, intents: [anOnDemandIntent(user)] })
    await store.insertAction(late)
    expect(await codeOf(ask(stepOf(late, 0, 0), { hash, action: 'register', signed: true }))).to.equal(
      'transaction_already_used',
    )
  })

  it('pays without credit up to the daily cap where a deployment allows it, and gives back what failed', async () => {
    const user = randomAddress()
    const open = (amount: bigint) => ({ ...need(amount), openCapPerDay: 100n })
    const asked = async (amount: bigint) => {
      const batch = aBatch({ chainId: 2, hash: randomHash(), calls: [], tokenTransfers: [aTransfer({ to: user })] })
      const entry = aNewAction({ user, intents: [aSignedIntent([batch])] })
      await store.insertAction(entry)
      const ref = stepOf(entry, 0, 0)
      return { ref, code: await codeOf(ask(ref, { needs: [open(amount)], intentSigned: true })) }
    }
    const first = await asked(70n)
    expect(first.code).to.equal('none')
    expect((await asked(40n)).code).to.equal('insufficient_credit')
    const error = { code: 'execution_reverted', message: '', retryable: true } as const
    const failed = { status: 'reverted', error, transactionHash: null, blockNumber: null } as const
    await store.settleStep(first.ref, failed, Date.now())
    const both = await Promise.all([asked(60n), asked(60n)])
    expect(both.map((entry) => entry.code).sort()).to.deep.equal(['insufficient_credit', 'none'])
    expect((await asked(40n)).code).to.equal('none')
  })

  it('keeps a deposit from backing a step, unless the user’s signature says so', async () => {
    const user = randomAddress()
    const hash = randomHash()
    const report = {
      user,
      chainId: 1,
      transactionHash: hash,
      sender: user,
      token: usdOn1,
      amount: 100n,
      isDeposit: true,
    }
    const { id } = await store.reportDeposit(report, 1, Date.now())
    const blockHash = randomHash()
    const found = {
      outcome: 'found',
      custody: 'vault',
      movements: [{ logIndex: 0, amount: 100n }],
      mismatch: '',
      blockNumber: 1,
      blockHash,
      confirmations: 1,
    } as const
    await store.settleDeposit(id, found, Date.now())
    expect((await store.readDeposit(id))?.status).to.equal('recorded')
    const entry = aNewAction({ user, intents: [anOnDemandIntent(user)] })
    await store.insertAction(entry)
    const ref = stepOf(entry, 0, 0)
    expect(await codeOf(ask(ref, { hash, action: 'register' }))).to.equal('transaction_already_used')
    expect(await codeOf(ask(ref, { hash, action: 'register', signed: true }))).to.equal('none')
    const arrivals = [
      {
        chainId: 1,
        transactionHash: hash,
        logIndex: 0,
        blockNumber: 1,
        blockHash,
        user,
        token: usdOn1,
        amount: 100n,
      },
    ]
    await store.settleStep(
      ref,
      {
        status: 'success',
        transactionHash: hash,
        blockNumber: 1,
        blockHash,
        confirmations: 1,
        arrivals,
        payouts: [],
      },
      Date.now(),
    )
    expect(await balance('available', user)).to.equal(100n)
    expect(await codeOf(ask(stepOf(entry, 0, 1), { needs: [need(100n)] }))).to.equal('none')
  })

  it('asks for the solver’s steps that follow a payment once it is verified', async () => {
    const user = randomAddress()
    const hash = randomHash()
    const entry = aNewAction({ user })
    await store.insertAction(entry)
    await ask(stepOf(entry, 0, 0), { hash, action: 'execute' })
    const arrivals = [
      {
        chainId: 1,
        transactionHash: hash,
        logIndex: 0,
        blockNumber: 1,
        blockHash: randomHash(),
        user,
        token: usdOn1,
        amount: 100n,
      },
    ]
    await store.settleStep(
      stepOf(entry, 0, 0),
      {
        status: 'success',
        transactionHash: hash,
        blockNumber: 1,
        blockHash: randomHash(),
        confirmations: 1,
        arrivals,
        payouts: [],
      },
      Date.now(),
    )
    expect((await store.readStep(stepOf(entry, 0, 1)))?.status).to.equal('executing')
    expect((await store.readAction(entry.action.actionId))?.status).to.equal('executing')
  })
})
