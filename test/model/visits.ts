import { expect } from 'chai'
import type { Address, Hash } from 'viem'
import type { StepErrorCode } from '../../server/domain/errors.js'
import type { StepResult } from '../../server/store/journal/bookResult.js'
import type { Arrival } from '../../server/store/money/creditArrivals.js'
import type { StepWork } from '../../server/store/actions/steps.js'
import { usdOn1, usdOn2 } from '../support/builders.js'
import { type ModelStep, needsOf, payoutsOf } from './actions.js'
import type { Block, Inclusion } from './chain.js'
import { keyOf, unlessEarly, type World } from './world.js'

/** What the engine does with a step that is executing and that no transaction carries; see `server/engine`. */

type Failure = Extract<StepResult, { status: 'reverted' | 'error' }>
type Ready = { work: StepWork; step: ModelStep; key: Hash }

/** `meanwhile`: others do something, up to so often, each time with that chance. */
export function createVisits(world: World, meanwhile: (most: number, share: number) => Promise<void>) {
  const { store, random, chains, now, note, signer } = world
  return { visit }

  /** Prepares one step or several, and signs one transaction for those that are ready. */
  async function visit(): Promise<void> {
    const due = await stepsWithoutTransaction()
    const most = random.chance(0.5) ? 1 : 3
    const ready: Ready[] = []
    for (let count = 0; count < most && due.length > 0; count += 1) {
      const [step] = due.splice(random.below(due.length), 1)
      const prepared = await prepare(step!)
      if (prepared) ready.push(prepared)
    }
    if (ready.length === 0) return
    await meanwhile(4, 0.6)
    await sign(ready)
  }

  async function stepsWithoutTransaction(): Promise<ModelStep[]> {
    const works = await Promise.all(world.steps.map(({ ref }) => store.readStepWork(ref)))
    return world.steps.filter((_, index) => isDue(works[index]!))
  }

  async function sign(ready: readonly Ready[]): Promise<void> {
    const hash = world.nextHash('transaction')
    const attempt = { raw: '0x00', maxFeePerGas: 10n, maxPriorityFeePerGas: 1n, isCancel: false, hash } as const
    const recorded = await store.recordTransaction(
      {
        chainId: 2,
        signer,
        to: signer,
        data: '0x',
        authorizations: [],
        gasLimit: 1n,
        steps: ready.map(({ work }) => work),
        airdrop: null,
        sign: async () => attempt,
      },
      now,
    )
    note(`sign for ${ready.map(({ step }) => step.name).join(' ')}: ${recorded.outcome}`)
    if (recorded.outcome !== 'recorded') return
    const { id } = recorded.transaction
    world.transactions.push({ id, hash, calls: ready.map(({ step, key }) => ({ step, key })), block: null })
  }

  /** Null: there is nothing to sign; the step has ended, or waits. */
  async function prepare(step: ModelStep): Promise<Ready | null> {
    const work = (await store.readStepWork(step.ref))!
    if (!isDue(work)) return null
    const previous = await store.readPreviousStep(step.ref)
    if (previous?.status === 'executing') {
      if (work.hasAccount) await store.giveAccountBack(step.ref)
      return null
    }
    const isRefused = previous !== null && previous.status !== 'success'
    if (work.kind === 'payment') return verify(work, step)
    const key = await payoutKey(work, step)
    if (isRefused) return failUnlessDone({ work, step, key }, failure('previous_step_failed'))
    if (work.kind === 'delegated' && !(await store.takeAccounts([work]))[0]) return null
    await meanwhile(3, 0.4)
    return step.pays > 0n ? fund({ work, step, key }) : tryOut({ work, step, key })
  }

  /** Looks for the user's own payment. */
  async function verify(work: StepWork, step: ModelStep): Promise<null> {
    const payment = world.transfers.find(({ hash }) => hash === work.view.transactionHash)!
    const { block, hash, amount } = payment
    if (!block) {
      const hasWaitedLong = world.isEnding || random.chance(0.3)
      return hasWaitedLong ? settle(work, step, failure('transaction_not_found', hash)) : null
    }
    const place = { transactionHash: hash, blockNumber: block.number, blockHash: block.hash }
    const arrivals = [{ chainId: 1, logIndex: world.countsFrom(), user: work.user, token: usdOn1, amount, ...place }]
    await meanwhile(4, 0.5)
    return settle(work, step, { status: 'success', confirmations: 1, arrivals, payouts: [], ...place })
  }

  /** Sets credit aside and fixes the key, before anything is tried out. */
  async function fund({ work, step, key }: Ready): Promise<Ready | null> {
    const funding = await store.reserveForStep(work, needsOf(step, world.hasOpenFunding), { isPaid: false }, now)
    if (funding.outcome === 'stale') return null
    if (funding.outcome === 'insufficient') {
      return failUnlessDone({ work, step, key }, failure('insufficient_credit'))
    }
    const isOwn = await owns(work, step, key)
    if (isOwn === undefined) return null
    if (!isOwn) return settle(work, step, failure('already_fulfilled'))
    return tryOut({ work: { ...work, stepKey: key }, step, key })
  }

  async function tryOut(ready: Ready): Promise<Ready | null> {
    const { work, step, key } = ready
    const done = adoption(world, work, step, key)
    if (done) return settle(work, step, done)
    return random.chance(0.1) ? failUnlessDone(ready, failure('execution_reverted')) : ready
  }

  /** What the vault has paid is never given back as credit, whatever the reason to refuse is. */
  async function failUnlessDone({ work, step, key }: Ready, refusal: Failure): Promise<null> {
    if (step.pays > 0n && chains.effects().has(key)) {
      const isOwn = await owns(work, step, key)
      if (isOwn === undefined) return null
      if (isOwn) {
        const funding = await store.reserveForStep(work, needsOf(step, world.hasOpenFunding), { isPaid: false }, now)
        return funding.outcome === 'stale' ? null : settle(work, step, adoption(world, work, step, key) ?? refusal)
      }
    }
    return settle(work, step, refusal)
  }

  /** Undefined: the step has got another key since the visit began, so that a later one has to look at it. */
  async function owns(work: StepWork, { ref }: ModelStep, key: Hash): Promise<boolean | undefined> {
    if (work.stepKey === key) return true
    try {
      return await store.fixStepKey(ref, key)
    } catch (error) {
      if (!String(error).includes('has got another key')) throw error
      return undefined
    }
  }

  async function settle(work: StepWork, step: ModelStep, result: StepResult): Promise<null> {
    const outcome = await unlessEarly(() => store.settleStep(work, result, now))
    const words = result.status === 'success' ? 'success' : result.error.code
    note(`visit ${step.name}, ${words}: ${outcome ?? 'early'}`)
    if (outcome === 'settled' && result.status === 'success' && step.pays > 0n)
      world.met.add('a payout that was adopted')
    return null
  }

  /** A payout on a payment is known by that payment, so that nobody is paid twice on it. */
  async function payoutKey(work: StepWork, { ref, name, user }: ModelStep): Promise<Hash> {
    if (work.stepKey) return work.stepKey
    if (work.kind !== 'fulfilment') return keyOf(name)
    const payment = await store.readStep({ ...ref, stepIndex: 0 })
    return keyOf(`${user} ${payment?.transactionHash ?? ref.actionId} ${ref.stepIndex}`)
  }
}

function isDue({ view, transactionId }: StepWork): boolean {
  return view.status === 'executing' && transactionId === null
}

function failure(code: StepErrorCode, transactionHash: Hash | null = null): Failure {
  const error = { code, message: 'no', retryable: code !== 'already_fulfilled' }
  const status = code === 'execution_reverted' ? 'reverted' : 'error'
  return { status, error, transactionHash, blockNumber: null }
}

/** How a step ends that the chain says was done already. Undefined: nobody has done it. */
export function adoption(world: World, { kind }: StepWork, step: ModelStep, key: Hash): StepResult | undefined {
  const { chains } = world
  const transaction = chains.effects().get(key)
  const inclusion = transaction && chains.inclusionOf(transaction)
  if (!inclusion) return undefined
  // A key that something was signed with stays with its step, so that nothing else is ever paid under it.
  const doneFor = inclusion.done.find((call) => call.key === key)!.step
  expect(doneFor.name, 'what was done under the key of a step was done for that step').to.equal(step.name)
  return {
    status: 'success',
    transactionHash: transaction.hash,
    blockNumber: inclusion.block.number,
    blockHash: inclusion.block.hash,
    confirmations: 1,
    // Another step of the same user may have paid the vault in it, which is that one's credit.
    arrivals: kind === 'delegated' ? arrivalsIn(world, inclusion, step.user) : [],
    payouts: payoutsOf(step),
  }
}

/** What a transaction has brought into the vault for a user. */
export function arrivalsIn(
  { countsFrom }: Pick<World, 'countsFrom'>,
  { transaction, done, block }: Inclusion & { block: Block },
  user: Address,
): Arrival[] {
  const first = countsFrom()
  return transaction.calls.flatMap((call, index) => {
    const { step } = call
    if (!done.includes(call) || step.brings === 0n || step.user !== user) return []
    const place = { transactionHash: transaction.hash, blockNumber: block.number, blockHash: block.hash }
    return [{ chainId: 2, logIndex: first + index, user, token: usdOn2, amount: step.brings, ...place }]
  })
}
