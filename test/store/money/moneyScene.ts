import type { Address, Hash } from 'viem'
import { ServiceError } from '../../../server/domain/errors.js'
import type { SolverNeed } from '../../../server/domain/solverNeeds.js'
import type { Database } from '../../../server/store/connection/database.js'
import type { Store } from '../../../server/store/store.js'
import { aStepRequest } from '../../support/aStepRequest.js'
import { aNewAction, anOnDemandIntent, randomHash, stepOf, usdOn1, usdOn2 } from '../../support/builders.js'
import { useStore } from '../useStore.js'

type StepRef = ReturnType<typeof stepOf>

const members = [
  { chainId: 1, token: usdOn1, decimals: 6 },
  { chainId: 2, token: usdOn2, decimals: 6 },
]

/** What a step wants of the solver: so much of the dollar on chain 2. */
export function need(amount: bigint): SolverNeed {
  return { chainId: 2, token: usdOn2, amount, decimals: 6, feeBps: 0, members, openCapPerDay: null }
}

/** A fresh store for every test, and what is done to it and read from it where money is concerned. */
export function moneyScene() {
  let database: Database
  let store: Store

  useStore((fresh) => ({ database, store } = fresh))

  return {
    get database(): Database {
      return database
    },
    get store(): Store {
      return store
    },
    ask,
    balance,
    codeOf,
    paidAction,
    settlePayment,
  }

  /** Stores an on-demand action whose payment of `amount` has been verified. */
  async function paidAction(user: Address, amount: bigint, hash = randomHash()) {
    const entry = aNewAction({ user, intents: [anOnDemandIntent(user, amount), anOnDemandIntent(user, amount)] })
    await store.insertAction(entry)
    const payment = stepOf(entry, 0, 0)
    await ask(payment, { hash, action: 'register' })
    await settlePayment(payment, { user, hash, amount })
    return entry
  }

  /** Settles a step as a payment that has been found on chain 1. */
  async function settlePayment(
    ref: StepRef,
    payment: { user: Address; hash: Hash; amount: bigint; blockHash?: Hash; logIndex?: number },
  ): Promise<void> {
    const { user, hash, amount, blockHash = randomHash(), logIndex = 3 } = payment
    const block = { transactionHash: hash, blockNumber: 7, blockHash }
    const arrivals = [{ chainId: 1, logIndex, user, token: usdOn1, amount, ...block }]
    await store.settleStep(
      { ref, attempt: '1' },
      { status: 'success', ...block, confirmations: 1, arrivals, payouts: [] },
      Date.now(),
    )
  }

  async function ask(
    ref: StepRef,
    options: {
      hash?: Hash
      action?: 'execute' | 'register'
      needs?: SolverNeed[]
      signed?: boolean
    } = {},
  ) {
    const { view } = await store.requestStep(
      aStepRequest({
        ref,
        order: {
          action: options.action ?? 'execute',
          hash: options.hash ?? null,
          signed: options.signed ?? false,
        },
        needs: options.needs ?? [],
      }),
      Date.now(),
    )
    return view
  }

  /** The code by which something is refused, "none" if it is not. */
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
}
