import type { Chain } from '../../chain/chain.js'
import type { StepError } from '../../domain/errors.js'
import { solverTransfers } from '../../domain/solverNeeds.js'
import type { StepView } from '../../domain/views.js'
import type { StepWork } from '../../store/actions/steps.js'
import { headOf } from '../heads.js'
import { noLane } from '../lanes/record.js'
import { anOperator, hasOperator } from '../lanes/operators.js'
import type { EngineTools } from '../tools.js'
import { moved, type Visit, waits, waitsEverLater } from '../visit.js'
import { failStep } from './endStep.js'
import { adoptIfDone, failUnlessDone } from './adoptIfDone.js'
import type { ReadyStep } from './bundles.js'
import { isByVault, payloadOf, type Plan } from '../payload.js'
import { mayStillRun, moreThanAllowed, refusalOf, tooMuchGas } from './refusals.js'
import { lanesMs, reserve } from './reserve.js'
import { type Tried, tryOut } from './tryOut.js'

/** How soon a step looks again while payouts on credit are held. When the hold ends all of them become due at once. */
const heldMs = { soonestMs: 2_000, latestMs: 30_000, share: 0.1 }

/** What the steps before it in its intent mean for a step. */
type Before = {
  /** The user's own step that its payout rests on; null where there is none. */
  payment: StepView | null
  /** Why it can't be carried out; null where it can. */
  refusal: StepError | null
}

/**
 * One visit to a step that the service carries out by a transaction of its own and that has none yet: credit, the
 * user's account, simulation, then the journal and the send. A visit that dies anywhere is repeated whole; until the
 * journal holds the signed bytes nothing has left the service.
 */
export async function executeStep(work: StepWork, before: Before, tools: EngineTools): Promise<Visit> {
  const { chainId } = work.batch
  const chain = tools.chains.get(chainId)
  if (!chain) throw new Error(`Chain ${chainId} is not configured any more`)
  const stopExpecting = tools.bundles.expect(chainId)
  try {
    const prepared = await prepare(work, chain, before, tools)
    // Not awaited here, since a bundle waits until no step is expected any more.
    const sent = prepared.outcome === 'ready' ? tools.bundles.send(prepared.step) : prepared
    stopExpecting()
    return await sent
  } finally {
    stopExpecting()
  }
}

type Ready = { outcome: 'ready'; step: ReadyStep }

/** All that comes before the journal. A visit: the step gets no further, for now or for good. */
async function prepare(work: StepWork, chain: Chain, before: Before, tools: EngineTools): Promise<Ready | Visit> {
  const planned = (): Plan => ({
    chain,
    from: anOperator(chain, tools),
    ...payloadOf(work, before.payment, chain, tools),
  })
  const refusal = before.refusal ?? refusalOf(work, tools.now())
  if (refusal) return refuse(work, planned(), refusal, tools)

  // Whether the vault knows an operator again is found out with the lanes' check.
  if (isByVault(work) && !hasOperator(chain, tools)) return noLane
  if (work.kind === 'delegated') {
    const account = await tools.accounts.take(work)
    if (account.outcome === 'waits') return account
  }
  // Not before: thousands may wait for accounts, and none of their looks needs its payload.
  const plan = planned()
  const funded = await fund(work, plan, tools)
  if (funded.outcome !== 'funded') return funded
  const tried = await tryOut(work, plan, tools)
  return tried.outcome === 'fits' ? readyToSend(tried, plan, tools) : tried
}

/**
 * Ends a step that may not be carried out, unless it has been carried out all the same, or a block may yet do so.
 * Credit that was set aside for it goes back to its user then, so not before the lanes are checked: until then the
 * database may be older than the chain, and what is known of the chain older than a payout.
 */
async function refuse(work: StepWork, plan: Plan, refusal: StepError, tools: EngineTools): Promise<Visit> {
  const paysOut = solverTransfers(work.batch).length > 0
  if (paysOut && !(await tools.lanesChecked.mayMoveCredit([work.batch.chainId], lanesMs))) return waits(lanesMs)
  const mayWait = refusal.code === 'intent_expired' && (await mayStillRun(work, plan.chain, tools))
  const done = await adoptIfDone(work, plan, refusal.code, tools)
  return done ?? (mayWait ? waits(plan.chain.config.pollIntervalMs) : failStep(work, refusal, tools))
}

/** Sets aside what the solver is to pay, if anything. A visit: that can't be done now. */
async function fund(work: StepWork, plan: Plan, tools: EngineTools): Promise<{ outcome: 'funded' } | Visit> {
  const reserved = await reserve(work, tools)
  switch (reserved.outcome) {
    case 'reserved':
      return { outcome: 'funded' }
    case 'stale':
      return moved
    case 'held':
      return hold(work, plan, waitsEverLater(work, heldMs, tools), tools)
    case 'unchecked':
      return hold(work, plan, waits(lanesMs), tools)
    case 'refused':
      return failUnlessDone(work, plan, reserved.error, tools)
  }
}

/** A held step that was paid before is settled all the same: for that the operator waits before he ends the hold. */
async function hold(work: StepWork, plan: Plan, wait: Visit, tools: EngineTools): Promise<Visit> {
  const done = await adoptIfDone(work, plan, 'held', tools)
  if (done) return done
  // The user's other steps may need the account.
  if (work.kind === 'delegated') await tools.accounts.giveBack(work)
  return wait
}

/** What is sent for a step, unless no block of its chain could hold it, or the chain allows no step so much. */
async function readyToSend(
  { work, authorization, gas }: Tried,
  { chain, to, data }: Plan,
  tools: EngineTools,
): Promise<Ready | Visit> {
  const { gasLimit: ofBlock } = await headOf(chain, tools)
  const limitWith = (authorizations: number) => tools.codec.gasLimit({ estimate: gas, authorizations, ofBlock })
  const gasLimit = limitWith(authorization ? 1 : 0)
  if (gasLimit > ofBlock) return failStep(work, tooMuchGas(gas, authorization !== null, ofBlock), tools)
  const aboveAllowed = moreThanAllowed(gasLimit, chain)
  if (aboveAllowed) return failStep(work, aboveAllowed, tools)
  const account = work.kind === 'delegated' ? work.user : null
  const callGasLimit = limitWith(0)
  const { alone } = work
  return { outcome: 'ready', step: { work, chain, to, data, gasLimit, callGasLimit, authorization, account, alone } }
}
