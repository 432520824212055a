import { isSameStep } from '../../server/domain/action.js'
import type { StepOutcome } from '../../server/store/journal/bookResult.js'
import type { StepWork } from '../../server/store/actions/steps.js'
import { type ModelStep, needsOf, payoutsOf } from './actions.js'
import type { Block, Inclusion, StepTransaction } from './chain.js'
import { adoption, arrivalsIn } from './visits.js'
import { keyOf, unlessEarly, type World } from './world.js'

/**
 * What the engine does with a transaction of the journal once it is final; see `server/engine/receipts/meetReceipt.ts`.
 */
export function createSettlements(world: World, meanwhile: (most: number, share: number) => Promise<void>) {
  const { store, random, chains, now, note, met } = world
  return { settle }

  async function settle(transaction: StepTransaction): Promise<void> {
    const id = transaction.id!
    const inclusion = chains.inclusionOf(transaction)!
    const works = await store.readStepsOf({ id, signedFor: transaction.calls.map(({ step }) => step.ref) })
    const concerned = works.flatMap((work) => {
      const { step } = transaction.calls.find((call) => isSameStep(call.step.ref, work.ref))!
      const result = outcomeOf(work, step, inclusion)
      const isCarried = work.transactionId === id
      // Of what has been given up for another transaction only what has happened all the same concerns the step.
      if (!isCarried && !tookEffect(result)) return []
      return [{ ref: work.ref, step, result, isCarried, needs: needsOf(step, world.hasOpenFunding) }]
    })
    await meanwhile(3, 0.5)
    const mined = { hash: transaction.hash, blockNumber: inclusion.block.number, blockHash: inclusion.block.hash }
    const settled = await unlessEarly(() =>
      store.settleTransaction({ transactionId: id, mined, results: concerned, airdrop: null }, now),
    )
    const words = concerned.map(({ step, result }) => `${step.name} ${result.status}`).join(', ')
    note(`settle transaction ${id} (${words}): ${settled?.outcome ?? 'early'}`)
    if (settled?.outcome !== 'settled') return
    if (concerned.filter(({ result }) => result.status === 'success').length > 1) met.add('a bundle of several steps')
    const ended = concerned.filter(({ ref }) => settled.steps.some((view) => isSameStep(view, ref)))
    if (ended.some(({ isCarried }) => !isCarried)) met.add('a late transaction')
    if (ended.some(({ result }) => result.status === 'error')) met.add('a payout whose batch was not run')
  }

  function outcomeOf(work: StepWork, step: ModelStep, inclusion: Inclusion & { block: Block }): StepOutcome {
    const { transaction, block, isUnrun } = inclusion
    const place = { transactionHash: transaction.hash, blockNumber: block.number }
    const payouts = payoutsOf(step)
    const key = step.pays > 0n ? work.stepKey : keyOf(step.name)
    if (inclusion.done.some((call) => call.key === key)) {
      // An account that says that it has run what it has not: that is spent, and nothing is paid again.
      if (isUnrun && step.pays > 0n) {
        return {
          status: 'error',
          error: { code: 'batch_not_executed', message: 'no', retryable: false },
          ...place,
          payouts,
        }
      }
      const arrivals = work.kind === 'delegated' ? arrivalsIn(world, inclusion, step.user) : []
      return { status: 'success', ...place, blockHash: block.hash, confirmations: 1, arrivals, payouts }
    }
    const isDoneByOthers = key !== null && chains.effects().has(key)
    const isBundle = transaction.calls.length > 1
    // What somebody else has done, a visit of the step's own finds out.
    if (isBundle && (isDoneByOthers || random.chance(0.5))) return { status: 'alone' }
    const error = { code: 'execution_reverted', message: 'no', retryable: true } as const
    const adopted = isDoneByOthers ? adoption(world, work, step, key) : undefined
    return adopted ?? { status: 'reverted', error, ...place }
  }
}

function tookEffect(result: StepOutcome): boolean {
  if (result.status === 'alone') return false
  return result.status === 'success' || (result.payouts ?? []).length > 0
}
