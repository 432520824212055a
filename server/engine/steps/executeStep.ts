import type { Address, Hash } from 'viem'
import type { Chain } from '../../chain/chain.js'
import { ServiceError, type StepError, type StepErrorCode } from '../../domain/errors.js'
import { requireAllowedRecipients } from '../../domain/recipients.js'
import { runsCalls } from '../../domain/stepKind.js'
import type { StepView } from '../../domain/views.js'
import type { StepWork } from '../../store/actions/steps.js'
import { adoptExecution } from './adoptExecution.js'
import type { ReadyStep } from './bundles.js'
import { type Done, doneAccordingTo, doneBefore } from './doneBefore.js'
import { explainRevert } from './explainRevert.js'
import { isPaidByFormer } from './formerVaults.js'
import { headOf } from '../lanes/heads.js'
import { noLane } from '../lanes/record.js'
import { anOperator, hasOperator, isOperatorsFault } from '../lanes/operators.js'
import { isByVault, payloadOf, type Plan } from './payload.js'
import { findPermission, namedDelegate } from './permission.js'
import { lanesMs, reserve } from './reserve.js'
import { inTime, simulate, type Simulated } from './simulateStep.js'
import type { EngineTools } from '../tools.js'
import { endStep, failStep, moved, type Visit, waits, waitsEverLater } from '../visit.js'

/** How soon a step looks again while payouts on credit are held. When the hold ends all of them become due at once. */
const heldMs = { soonestMs: 2_000, latestMs: 30_000, share: 0.1 }
/** By how much a chain's clock may be behind ours. */
const chainBehindMs = 10_000

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
    const sent = prepared.outcome === 'ready' ? tools.bundles.send(prepared.step) : prepared.visit
    stopExpecting()
    return await sent
  } finally {
    stopExpecting()
  }
}

/** What the steps before it in its intent mean for a step. */
type Before = {
  /** The user's own step that its payout rests on; null where there is none. */
  payment: StepView | null
  /** Why it can't be carried out; null where it can. */
  refusal: StepError | null
}

/** The step gets no further, for now or for good. */
type Ended = { outcome: 'ended'; visit: Visit }

/** All that comes before the journal. */
async function prepare(
  work: StepWork,
  chain: Chain,
  before: Before,
  tools: EngineTools,
): Promise<{ outcome: 'ready'; step: ReadyStep } | Ended> {
  const refusal = before.refusal ?? windowError(work, tools.now()) ?? recipientError(work)
  if (!refusal) {
    // Whether the vault knows an operator again is found out with the lanes' check.
    if (isByVault(work) && !hasOperator(chain, tools)) return ended(noLane)
    const busyMs = work.kind === 'delegated' ? await tools.accounts.take(work) : null
    if (busyMs !== null) return ended(waits(busyMs))
  }
  // Not before: thousands may wait for accounts, and none of their looks needs its payload.
  const plan = { chain, from: anOperator(chain, tools), ...payloadOf(work, before.payment, tools) }
  if (refusal) return ended(await refuse(work, plan, refusal, tools))

  const unfunded = await fund(work, plan, tools)
  if (unfunded) return ended(unfunded)
  const tried = await tryOut(work, plan, tools)
  if (tried.outcome === 'ended') return tried

  const { authorization } = tried
  const { gasLimit: ofBlock } = await headOf(chain, tools)
  const limitWith = (authorizations: number) => tools.codec.gasLimit({ estimate: tried.gas, authorizations, ofBlock })
  const gasLimit = limitWith(authorization ? 1 : 0)
  if (gasLimit > ofBlock) {
    return ended(await failStep(tried.work, tooMuchGas(tried.gas, authorization !== null, ofBlock), tools))
  }
  const step: ReadyStep = {
    work: tried.work,
    chain,
    to: plan.to,
    data: plan.data,
    gasLimit,
    callGasLimit: limitWith(0),
    authorization,
    account: work.kind === 'delegated' ? work.user : null,
    alone: work.alone,
  }
  return { outcome: 'ready', step }
}

function ended(visit: Visit): Ended {
  return { outcome: 'ended', visit }
}

/**
 * Ends a step that may not be carried out; not while it may have been all the same, or while a block may yet carry it
 * out.
 */
async function refuse(work: StepWork, plan: Plan, refusal: StepError, tools: EngineTools): Promise<Visit> {
  const mayWait = refusal.code === 'intent_expired' && (await mayStillRun(work, plan.chain, tools))
  const done = await adoptDone(work, plan, refusal.code, tools)
  return done ?? (mayWait ? waits(plan.chain.config.pollIntervalMs) : failStep(work, refusal, tools))
}

/** Sets aside what the solver is to pay. Null: it is set aside, or there is nothing to pay. A visit: that can't be done now. */
async function fund(work: StepWork, plan: Plan, tools: EngineTools): Promise<Visit | null> {
  const reserved = await reserve(work, tools)
  switch (reserved.outcome) {
    case 'reserved':
      return null
    case 'stale':
      return moved
    case 'held':
      return (await adoptHeld(work, plan, tools)) ?? waitsEverLater(work, heldMs, tools)
    case 'unchecked':
      return (await adoptHeld(work, plan, tools)) ?? waits(lanesMs)
    case 'refused':
      return failUnlessDone(work, plan, reserved.error, tools)
  }
}

/**
 * A held step that was paid before is settled all the same: for that the operator waits before he ends the hold. Null:
 * it was not.
 */
async function adoptHeld(work: StepWork, plan: Plan, tools: EngineTools): Promise<Visit | null> {
  const done = await adoptDone(work, plan, 'held', tools)
  // The user's other steps may need the account.
  if (!done && work.kind === 'delegated') await tools.accounts.giveBack(work)
  return done
}

/** A step that its user permits and that a simulation has carried out: it has its step key by now. */
type Tried = {
  outcome: 'fits'
  work: StepWork
  /**
   * The user's authorization, to be sent with the step; null: his account borrows the delegate already, or runs
   * nothing.
   */
  authorization: ReadyStep['authorization']
  gas: bigint
}

/** Asks for the user's permission and simulates the step. */
async function tryOut(given: StepWork, plan: Plan, tools: EngineTools): Promise<Tried | Ended> {
  const { chain, stepKey } = plan
  const simulateWith = (delegate: Address | null) => simulate(given, plan, delegate, tools)
  // In one request with the look at the account: it is not known yet whether that borrows the delegate that the action
  // names.
  const named = namedDelegate(given, chain)
  const first = simulateWith(named)
  // Where permission is refused nobody awaits the simulation, and its failure concerns nobody.
  first.catch(() => undefined)
  const permission = await findPermission(given, chain)
  if (permission.outcome === 'refused') return ended(await failUnlessDone(given, plan, permission.error, tools))
  const { authorization, delegate } = permission
  const isKeyNew = stepKey !== null && !given.stepKey
  if (isKeyNew && !(await tools.store.fixStepKey(given.ref, stepKey))) {
    return ended(await failStep(given, sameEntitlement, tools))
  }
  const work = isKeyNew ? { ...given, stepKey } : given
  const wasRight = named === null ? authorization === null : named === delegate
  const simulating = wasRight ? first : simulateWith(authorization && delegate)
  const found = await inTime(work, chain, simulating, tools)
  if (found.outcome === 'late') {
    const { againMs } = found
    return ended(againMs === null ? await failUnlessDone(work, plan, tooLong(chain), tools) : waits(againMs))
  }
  const judged = await judge(work, plan, found, tools)
  return judged.outcome === 'ended' ? judged : { outcome: 'fits', work, authorization, gas: judged.gas }
}

const sameEntitlement = {
  code: 'already_fulfilled',
  message: 'Another step pays out on the same payment, or may yet; what is not paid out stays the user’s credit.',
  retryable: false,
} as const

function tooLong({ config }: Chain): StepError {
  const message = `Time and again the nodes of chain ${config.chainId} did not get to the end of the step’s simulation in time. Nothing was sent.`
  return { code: 'gas_limit_exceeded', message, retryable: true }
}

function tooMuchGas(gas: bigint, isAuthorized: boolean, ofBlock: bigint): StepError {
  const needed = isAuthorized ? `${gas} gas and that of its authorization` : `${gas} gas`
  const message = `The step takes ${needed}; a block of its chain has ${ofBlock}. Nothing was sent.`
  return { code: 'gas_limit_exceeded', message, retryable: true }
}

function windowError(work: StepWork, nowMs: number): StepError | null {
  if (work.intent.mode !== '7702') return null
  const now = Math.floor(nowMs / 1000)
  const { nbf, exp } = work.intent
  if (now > exp) {
    return {
      code: 'intent_expired',
      message: `The intent expired at ${exp} (unix seconds); it is ${now}.`,
      retryable: false,
    }
  }
  if (now < nbf) {
    return {
      code: 'intent_not_yet_valid',
      message: `The intent is valid from ${nbf} (unix seconds); it is ${now}.`,
      retryable: true,
    }
  }
  return null
}

/**
 * Whether a block may yet come, or be seen, in which the intent has not expired: by its chain's clock it has time left.
 * The clock of a chain that stands still does not run out, so not for long by ours.
 */
async function mayStillRun(
  { intent }: StepWork,
  chain: Chain,
  tools: Pick<EngineTools, 'now' | 'heads'>,
): Promise<boolean> {
  if (intent.mode !== '7702' || tools.now() > intent.exp * 1000 + chainBehindMs) return false
  return (await headOf(chain, tools)).timestamp <= BigInt(intent.exp)
}

function recipientError({ user, intent, batch }: StepWork): StepError | null {
  try {
    requireAllowedRecipients(user, intent, batch)
    return null
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return { code: 'recipient_not_allowed', message: error.message, retryable: false }
  }
}

async function judge(
  work: StepWork,
  plan: Plan,
  simulation: Simulated,
  tools: EngineTools,
): Promise<{ outcome: 'fits'; gas: bigint } | Ended> {
  // First, since what a vault has paid is never given back as credit, whatever the present one reverts with.
  if (await isPaidByFormer(plan.stepKey, plan.chain)) {
    const adopted = await adopt(work, plan.chain, 'paid', tools)
    return ended(adopted ?? waits(plan.chain.config.pollIntervalMs))
  }
  if (simulation.outcome === 'reverted') {
    const { chain } = plan
    const failure = tools.codec.decodeRevert(simulation.data)
    // The next visit takes another operator; while there is none the step waits.
    if (await isOperatorsFault(failure, plan, chain, tools)) return ended(noLane)
    const done = doneAccordingTo(failure)
    const adopted = done && (await adopt(work, chain, done, tools))
    return ended(adopted ?? (await failUnlessDone(work, plan, await explainRevert(failure, work.batch, chain), tools)))
  }
  if (simulation.missing) {
    const error = { code: 'transfer_mismatch', message: simulation.missing, retryable: true } as const
    return ended(await failStep(work, error, tools))
  }
  return { outcome: 'fits', gas: simulation.gas }
}

/** Ends a step for which nothing was sent, and gives its credit back; unless it was carried out all the same. */
async function failUnlessDone(work: StepWork, plan: Plan, error: StepError, tools: EngineTools): Promise<Visit> {
  const status = error.code === 'execution_reverted' ? 'reverted' : 'error'
  return (await adoptDone(work, plan, error.code, tools)) ?? failStep(work, error, tools, status)
}

/**
 * A step that is refused, or held, may have been carried out without our knowing of it: by someone else, by a transaction
 * that was given up, or before the database went back in time. So the vault is asked first, whatever the reason to refuse
 * is: what it has paid is never given back as credit, though no node may have the log of it, and a payout without calls
 * shows nowhere else. Null: nobody has carried it out.
 */
async function adoptDone(
  given: StepWork,
  plan: Plan,
  reason: StepErrorCode | 'held',
  tools: EngineTools,
): Promise<Visit | null> {
  const { chain, stepKey } = plan
  const work = { ...given, stepKey }
  const remembered = await doneBefore(work, chain, {
    // The newest head at the least: where the vault has not paid by then, the credit may be given back.
    since: tools.heads.get(chain.config.chainId)?.number,
    isItsOwn: (key) => owns(given, key, tools),
    asksAccount: untried.includes(reason),
  })
  // Credit for what was paid has to be spent; where none is left for that, the payout is settled as an exposure.
  if (remembered === 'paid' && (await reserve(given, tools, { isPaid: true })).outcome === 'stale') return moved
  // An account may have given the place of an expired batch to another, and the batch's log is looked for.
  const done = remembered ?? (reason === 'intent_expired' && runsCalls(given) ? 'perhapsRun' : null)
  return done && adopt(work, chain, done, tools)
}

/** Refusals that come before the simulation, which tells itself that the calls have run. */
const untried: readonly (StepErrorCode | 'held')[] = [
  'authorization_missing',
  'authorization_invalid',
  'account_not_delegated',
  'insufficient_credit',
  'previous_step_failed',
  'recipient_not_allowed',
]

/** Whether what the vault has paid under the key was paid for this step: two may rest on the same payment. */
async function owns(work: StepWork, stepKey: Hash, tools: Pick<EngineTools, 'store'>): Promise<boolean> {
  return work.stepKey === stepKey || tools.store.fixStepKey(work.ref, stepKey)
}

/** Null: nobody has carried the step out. */
async function adopt(work: StepWork, chain: Chain, done: Done, tools: EngineTools): Promise<Visit | null> {
  const adoption = await adoptExecution(work, chain, done, tools)
  if (adoption.outcome === 'none') return null
  return adoption.outcome === 'waits' ? waits(chain.config.pollIntervalMs) : endStep(work, adoption.result, tools)
}
