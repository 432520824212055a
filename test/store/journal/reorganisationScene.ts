import type { Address, Hash } from 'viem'
import type { StepAttempt, StepRef } from '../../../server/domain/action.js'
import type { SolverNeed } from '../../../server/domain/solverNeeds.js'
import type { StepOutcome } from '../../../server/store/journal/bookResult.js'
import type { Database } from '../../../server/store/connection/database.js'
import { readVaultMovements } from '../../../server/store/money/reconciliation.js'
import type { Store } from '../../../server/store/store.js'
import { aStepRequest } from '../../support/aStepRequest.js'
import {
  aNewAction,
  anOnDemandIntent,
  aSignedIntent,
  randomAddress,
  randomHash,
  stepOf,
  usdOn1,
  usdOn2,
  aNewTransaction,
} from '../../support/builders.js'
import { useStore } from '../useStore.js'

/** A user's payment on chain 1 and what is paid out on it on chain 2, in a fresh store for every test. */
export function reorganisationScene() {
  let database: Database
  let store: Store
  let user: Address
  const signer: Address = randomAddress()
  const now = Date.now()

  useStore(async (fresh) => {
    ;({ database, store } = fresh)
    user = randomAddress()
    await store.openLane({ chainId: 2, signer, chainNonce: 0, ifLedgerIsNew: null }, now)
  })

  const members = [
    { chainId: 1, token: usdOn1, decimals: 6 },
    { chainId: 2, token: usdOn2, decimals: 6 },
  ]
  const need: SolverNeed = {
    chainId: 2,
    token: usdOn2,
    amount: 100n,
    decimals: 6,
    feeBps: 0,
    members,
    openCapPerDay: null,
  }
  return {
    get database(): Database {
      return database
    },
    get store(): Store {
      return store
    },
    get user(): Address {
      return user
    },
    now,
    need,
    available,
    paid,
    ask,
    anotherAction,
    verify,
    registeredAction,
    paidAction,
    record,
    prepared,
    settling,
    drawElsewhere,
  }

  async function available(): Promise<bigint> {
    return (await store.readBalances(user))[0]?.available ?? 0n
  }

  /** What the ledger says that the vault has paid out. */
  async function paid(): Promise<bigint> {
    return (await readVaultMovements(database)).paid.get(`2:${usdOn2}`) ?? 0n
  }

  async function ask(ref: StepRef, hash: Hash | null, needs: SolverNeed[] = []) {
    const order = { action: hash ? 'register' : 'execute', hash, signed: false } as const
    return (await store.requestStep(aStepRequest({ ref, order, needs }), now)).view
  }

  /** The payment of a step is verified in a block, by a visit that began just now unless an older one is given. */
  async function verify(
    ref: StepRef,
    transactionHash: Hash,
    block: { number: number; hash: Hash },
    visit?: StepAttempt,
  ) {
    const place = { transactionHash, blockNumber: block.number, blockHash: block.hash }
    const arrivals = [{ chainId: 1, logIndex: 0, user, token: usdOn1, amount: 100n, ...place }]
    return store.settleStep(
      visit ?? (await store.readStepWork(ref))!,
      { status: 'success', confirmations: 1, arrivals, payouts: [], ...place },
      now,
    )
  }

  /** An action whose payment is registered, and a block to verify it in. */
  async function registeredAction() {
    const entry = await anotherAction()
    const payment = stepOf(entry, 0, 0)
    const hash = randomHash()
    await ask(payment, hash)
    return { payment, payout: stepOf(entry, 0, 1), hash, block: { number: 7, hash: randomHash() } }
  }

  async function paidAction() {
    const action = await registeredAction()
    await verify(action.payment, action.hash, action.block)
    return action
  }

  async function record(carried: Pick<Parameters<Store['recordTransaction']>[0], 'steps' | 'airdrop'>) {
    const recorded = await store.recordTransaction(aNewTransaction({ chainId: 2, signer, ...carried }), now)
    if (recorded.outcome !== 'recorded') throw new Error(recorded.outcome)
    return recorded.transaction.id
  }

  async function prepared(ref: StepRef) {
    return { steps: [(await store.readStepWork(ref))!], airdrop: null }
  }

  /** Of the same user, with a payment and a payout on it; nothing of it was asked for. */
  async function anotherAction(intent = anOnDemandIntent(user)) {
    const entry = aNewAction({ user, intents: [intent] })
    await store.insertAction(entry)
    return entry
  }

  /** How the step of a transaction is settled in the block of a number. */
  function settling(ref: StepRef, transactionId: number) {
    return (number: number, result: StepOutcome, blockHash = randomHash()) => {
      const hash = result.status === 'alone' ? randomHash() : result.transactionHash!
      const mined = { hash, blockNumber: number, blockHash }
      return store.settleTransaction(
        { transactionId, mined, results: [{ ref, result, needs: [need] }], airdrop: null },
        now,
      )
    }
  }

  /** Another step of the user's sets all his credit aside. */
  async function drawElsewhere(): Promise<void> {
    const entry = await anotherAction(aSignedIntent())
    const order = { action: 'execute', hash: null, signed: true } as const
    await store.requestStep(aStepRequest({ ref: stepOf(entry, 0, 0), order, needs: [need] }), now)
  }
}
