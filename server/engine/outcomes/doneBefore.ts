import type { Hash } from 'viem'
import type { Chain } from '../../chain/chain.js'
import type { Failure } from '../../chain/failure.js'
import type { SignedIntent } from '../../domain/action.js'
import { runsCalls } from '../../domain/stepKind.js'
import type { StepWork } from '../../store/actions/steps.js'
import { batchIdOf } from '../payload.js'

/**
 * Why a step is taken to have been carried out before. `paid`: the vault remembers its payout. `run`: the user's
 * account remembers its batch. `perhapsRun`: its intent has expired, and the delegate looks at the time before it
 * looks whether the batch has run.
 */
export type Done = Remembered | 'perhapsRun'

type Remembered = 'paid' | 'run'

/**
 * What a revert of the step's own transaction, mined or simulated, says of that. Null: nothing. The user's account may
 * have made the revert up.
 */
export function doneAccordingTo({ name }: Pick<Failure, 'name'>): Done | null {
  switch (name) {
    case 'AlreadyFulfilled':
      return 'paid'
    case 'DuplicateChainBatch':
      return 'run'
    case 'IntentExpired':
      return 'perhapsRun'
    default:
      return null
  }
}

/**
 * What the contracts remember of a step, the vault before the account; null: nothing. By their memory, and not by a
 * simulation: no node may want to run what was cancelled, and the account may not borrow the delegate any more.
 */
export async function doneBefore(
  work: StepWork,
  chain: Chain,
  asked: {
    /** Only a node that has this block answers, since one behind may not know yet. Undefined: any node does. */
    since: bigint | undefined
    /** Whether what the vault has paid under the step's key was paid for this step. Undefined: it was. */
    isItsOwn?: (stepKey: Hash) => Promise<boolean>
    /** False: the account is not asked. */
    asksAccount?: boolean
  },
): Promise<Remembered | null> {
  const { since, isItsOwn, asksAccount = true } = asked
  const { stepKey } = work
  const isPaid = stepKey !== null && (await chain.isFulfilled(stepKey, since))
  if (isPaid && (!isItsOwn || (await isItsOwn(stepKey)))) return 'paid'
  return asksAccount && runsCalls(work) && (await accountRemembers(work, chain, since)) ? 'run' : null
}

/** Whether the account remembers that it has run the batch, as it does until it gives the batch's place to another. */
export function accountRemembers(
  { user, intent, ref }: Pick<StepWork, 'user' | 'ref'> & { intent: SignedIntent },
  chain: Chain,
  since: bigint | undefined,
): Promise<boolean> {
  return chain.isChainBatchProcessed(user, batchIdOf(intent, ref.stepIndex), since)
}
