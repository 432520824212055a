import { expect } from 'chai'
import type { Address, Hash } from 'viem'
import type { StepResult } from '../../../server/store/journal/bookResult.js'
import { rethrow } from '../../support/rethrow.js'
import {
  aBatch,
  aNewAction,
  aNewTransaction,
  aSignedIntent,
  anOnDemandIntent,
  randomAddress,
  randomHash,
  stepOf,
  usdOn1,
} from '../../support/builders.js'
import { moneyScene, need } from './moneyScene.js'

const now = Date.now()

/** Of 100, 60 are drawn on and signed for when a deep reorganisation takes the payment away. */
describe('a payment that is gone after it was drawn on, and comes again by another transaction', () => {
  const scene = moneyScene()
  type Step = ReturnType<typeof stepOf>
  const place = (blockNumber: number) => ({ blockNumber, blockHash: randomHash() })

  const balances = async (user: Address) => {
    const open = (await scene.store.readOpenExposures()).map(({ amount }) => amount)
    const [balance] = await scene.store.readBalances(user)
    return { open, available: balance!.available }
  }

  async function signFor(ref: Step) {
    const signer = randomAddress()
    const work = (await scene.store.readStepWork(ref))!
    const { chainId } = work.view
    await scene.store.openLane({ chainId, signer, chainNonce: 0, ifLedgerIsNew: null }, now)
    const recorded = await scene.store.recordTransaction(aNewTransaction({ chainId, signer, steps: [work] }), now)
    if (recorded.outcome !== 'recorded') throw new Error(recorded.outcome)
    return recorded.transaction
  }

  async function draw(ref: Step): Promise<void> {
    await scene.ask(ref, { needs: [need(60n)] })
    await signFor(ref)
  }

  const undo = ({ blockNumber, blockHash }: ReturnType<typeof place>) =>
    scene.store.undoBlock(1, { number: blockNumber, hash: blockHash }, now, rethrow)

  const paid = (user: Address, hash: Hash, block: ReturnType<typeof place>) => ({
    ...{ status: 'success' as const, transactionHash: hash, ...block, confirmations: 1, payouts: [] },
    arrivals: [{ chainId: 1, logIndex: 0, user, token: usdOn1, amount: 100n, transactionHash: hash, ...block }],
  })

  it('makes good what was paid out on it: with higher fees', async () => {
    const user = randomAddress()
    const entry = aNewAction({ user, intents: [aSignedIntent([aBatch({ chainId: 1 }), aBatch({ chainId: 2 })])] })
    await scene.store.insertAction(entry)
    const [ref, payout] = [stepOf(entry, 0, 0), stepOf(entry, 0, 1)]
    await scene.ask(ref)
    const transaction = await signFor(ref)
    const comes = async (hash: Hash, block: ReturnType<typeof place>) => {
      const results = [{ ref, needs: [], result: paid(user, hash, block) }]
      const mined = { hash, ...block }
      await scene.store.settleTransaction({ transactionId: transaction.id, mined, airdrop: null, results }, now)
    }
    const first = place(5)
    await comes(transaction.forms[0]!.hash, first)
    await draw(payout)
    expect(await balances(user)).to.deep.equal({ open: [], available: 40n })
    await undo(first)
    expect(await balances(user)).to.deep.equal({ open: [60n], available: 0n })
    const replacement = { ...transaction.forms[0]!, hash: randomHash() }
    expect(await scene.store.recordForm(transaction, replacement, now)).to.equal('recorded')
    await comes(replacement.hash, place(6))
    expect(await balances(user)).to.deep.equal({ open: [], available: 40n })
  })

  it('makes good what was paid out on it: one that the user has sent in its place', async () => {
    const user = randomAddress()
    const entry = aNewAction({ user, intents: [anOnDemandIntent(user, 100n)] })
    await scene.store.insertAction(entry)
    const [ref, payout] = [stepOf(entry, 0, 0), stepOf(entry, 0, 1)]
    const comes = async (hash: Hash, block: ReturnType<typeof place>) => {
      const work = (await scene.store.readStepWork(ref))!
      expect(await scene.store.settleStep(work, paid(user, hash, block), now)).to.equal('settled')
    }
    const [first, hash, other] = [place(5), randomHash(), randomHash()]
    await scene.ask(ref, { hash, action: 'register' })
    await comes(hash, first)
    await draw(payout)
    await undo(first)
    expect(await balances(user)).to.deep.equal({ open: [60n], available: 0n })
    await scene.ask(ref, { hash: other, action: 'register', signed: true })
    await comes(other, place(6))
    expect(await balances(user)).to.deep.equal({ open: [], available: 40n })
  })

  it('makes nothing good in another action that names it as well, so that nothing has to be given back there', async () => {
    const user = randomAddress()
    const [first, hash, other] = [place(5), randomHash(), randomHash()]
    const [entry, next] = [1, 2].map(() => aNewAction({ user, intents: [anOnDemandIntent(user, 100n)] }))
    const [ref, payout, again] = [stepOf(entry!, 0, 0), stepOf(entry!, 0, 1), stepOf(next!, 0, 0)]
    const settle = async (of: Step, result: StepResult) =>
      scene.store.settleStep((await scene.store.readStepWork(of))!, result, now)
    await scene.store.insertAction(entry!)
    await scene.ask(ref, { hash, action: 'register' })
    await settle(ref, paid(user, hash, first))
    await scene.ask(payout, { needs: [need(60n)] })
    const transaction = await signFor(payout)
    await undo(first)
    const missing = { code: 'transaction_not_found', message: 'no', retryable: true } as const
    await settle(ref, { status: 'error', error: missing, transactionHash: hash, blockNumber: null })
    await scene.store.insertAction(next!)
    await scene.ask(again, { hash, action: 'register', signed: true })
    await scene.ask(again, { hash: other, action: 'register', signed: true })
    await settle(again, paid(user, other, place(6)))
    expect(await balances(user)).to.deep.equal({ open: [60n], available: 100n })
    const mined = { hash: transaction.forms[0]!.hash, ...place(9) }
    const error = { code: 'execution_reverted', message: 'no', retryable: false } as const
    const result = { status: 'reverted', error, transactionHash: mined.hash, blockNumber: 9 } as const
    const results = [{ ref: payout, needs: [], result }]
    await scene.store.settleTransaction({ transactionId: transaction.id, mined, airdrop: null, results }, now)
    expect(await balances(user)).to.deep.equal({ open: [], available: 100n })
  })

  it('makes nothing good that was paid out on another payment of his', async () => {
    const user = randomAddress()
    const [first, hash] = [place(5), randomHash()]
    const entry = aNewAction({ user, intents: [anOnDemandIntent(user, 100n)] })
    await scene.store.insertAction(entry)
    await scene.ask(stepOf(entry, 0, 0), { hash, action: 'register' })
    await scene.store.settleStep((await scene.store.readStepWork(stepOf(entry, 0, 0)))!, paid(user, hash, first), now)
    await draw(stepOf(entry, 0, 1))
    await undo(first)
    await scene.paidAction(user, 70n)
    expect(await balances(user)).to.deep.equal({ open: [60n], available: 70n })
  })
})
