import { type Address, getAddress, type Hash, type Hex } from 'viem'
import { type RecoverAddress, verifyRegistration } from '../../sdk/src/signing.js'
import { type ChainBatch, isSameStep, type StepRef } from '../domain/action.js'
import { ServiceError } from '../domain/errors.js'
import { forbiddenRecipient } from '../domain/recipients.js'
import type { CountFor } from '../domain/rateLimit.js'
import type { Order } from '../domain/request.js'
import type { Settings } from '../domain/settings.js'
import { type SolverNeed, solverNeeds } from '../domain/solverNeeds.js'
import { hasEnded } from '../domain/status.js'
import { vaultPayments } from '../domain/vaultPayments.js'
import type { StepView } from '../domain/views.js'
import type { StepRequest } from '../store/stepRequests.js'
import type { StepWork } from '../store/actions/steps.js'
import type { Store } from '../store/store.js'
import { awaitEnd } from './awaitEnd.js'
import type { NextChange } from './changes.js'

/** How long a request that asks for no particular wait is held open. */
const defaultWaitMs = 20_000

/** A place in the engine of this process, which carries out at once a step that is leased to it for `leaseMs`. */
type Seat = { leaseMs: number; give: (work: StepWork) => void; leave: () => void }

export type StepsService = ReturnType<typeof createSteps>

export function createSteps(deps: {
  store: Store
  settings: Settings
  /** Tokens that an earlier chains file named and this one does not. */
  droppedTokens: readonly { chainId: number; address: Address }[]
  recover: RecoverAddress
  /** Takes a seat in the engine for a step that may be accepted. Null: there is none. */
  takeSeat: (work: StepWork) => Seat | null
  /** Whether other steps wait in the engine for the account that this one runs on. */
  isAccountAwaited: (work: StepWork) => boolean
  /** Has the engine look for accepted steps that it was not given through a seat. */
  wake: () => void
  nextChange: NextChange<readonly StepView[]>
  now: () => number
}) {
  const { store, settings } = deps

  return {
    /**
     * Stores what is asked of a step and answers with the step, settled if that happens within the wait.
     * `waitMs` null: the default wait where this request is the one that is accepted, otherwise none.
     */
    async request(
      ref: StepRef,
      order: Pick<Order, 'action' | 'hash' | 'behindFailed'> & {
        signature: Hex | null
        /** The W3C trace of the request, for the engine's log. */
        traceparent: string
        /** Null: nothing is counted. */
        countFor: CountFor | null
      },
      waitMs: number | null,
      signal: AbortSignal,
    ): Promise<StepView> {
      const work = await store.readStepWork(ref)
      if (!work) throw new ServiceError('not_found', 'Step not found')
      const { batch } = work
      const signed = await proveRegistration(order, work)
      if (signed) await order.countFor?.(work.user)
      const vaultPays = work.kind === 'delegated' || work.kind === 'fulfilment'
      const forbidden = vaultPays ? forbiddenRecipient(work.user, work.intent, batch) : null
      if (forbidden !== null) throw new ServiceError('recipient_not_allowed', forbidden)
      const mayStart = work.view.status !== 'success' && work.view.status !== 'executing'
      // A presigned step is refused as such, whatever it names: nothing of it was compared with the configuration.
      if (mayStart && work.kind !== 'presigned') requireConfigured(work)
      const { view, isAccepted } = await handedOver(work, {
        ref,
        order: {
          action: order.action,
          hash: order.hash,
          signed,
          proofRequired: settings.onDemandProof === 'required',
          behindFailed: order.behindFailed,
        },
        needs: vaultPays && mayStart ? needsOf(batch) : [],
        traceparent: order.traceparent,
      })
      return settledWithin(ref, view, waitMs ?? (isAccepted ? defaultWaitMs : 0), signal)
    },
  }

  /**
   * A chain or token that the action was checked for when it was created may have been taken out of the
   * configuration since. A user who is about to pay does so for the steps that follow in the intent, so that these
   * are checked before money moves.
   */
  function requireConfigured({ intent, kind, ref }: StepWork): void {
    const userPays = kind === 'delegated' || kind === 'payment'
    const concerned = intent.chainBatches.slice(ref.stepIndex, userPays ? undefined : ref.stepIndex + 1)
    for (const batch of concerned) {
      const chain = settings.chains.get(batch.chainId)
      if (!chain) {
        const message = `Chain ${batch.chainId}, which this intent needs, is not configured any more. What was paid for it already can be reported as a deposit.`
        throw new ServiceError('chain_unsupported', message)
      }
      needsOf(batch)
      for (const { token } of vaultPayments(batch, chain)) {
        const isDropped = deps.droppedTokens.some(
          ({ chainId, address }) => chainId === batch.chainId && address === token,
        )
        if (!isDropped) continue
        const message = `The token ${getAddress(token)}, which is to be paid on chain ${batch.chainId}, is not configured any more, so that it is no credit.`
        throw new ServiceError('token_unsupported', message)
      }
    }
  }

  function needsOf(batch: ChainBatch): SolverNeed[] {
    const needs = solverNeeds(batch, settings)
    if (needs) return needs
    throw new ServiceError(
      'token_unsupported',
      `A token that the solver is to pay on chain ${batch.chainId} is not configured any more.`,
    )
  }

  /** Stores a request. The engine of this process begins with what is accepted at once, if it has room. */
  async function handedOver(
    work: StepWork,
    request: Omit<StepRequest, 'leftTo'>,
  ): Promise<{ view: StepView; isAccepted: boolean }> {
    const seat = deps.takeSeat(work)
    try {
      const leftTo = seat && { work, leaseMs: seat.leaseMs, takesAccount: !deps.isAccountAwaited(work) }
      const { view, isAccepted, left } = await store.requestStep({ ...request, leftTo }, deps.now())
      if (left) seat?.give(left)
      else deps.wake()
      return { view, isAccepted }
    } catch (error) {
      // The request may have been stored all the same, and the step leased to an engine that was not given it.
      if (seat && !(error instanceof ServiceError)) lookAtOnce(work.ref)
      throw error
    } finally {
      seat?.leave()
    }
  }

  function lookAtOnce(ref: StepRef): void {
    // Without this the step would be looked at only when its lease is over.
    store.hurryStep(ref).then(deps.wake, () => undefined)
  }

  async function proveRegistration(
    order: { hash: Hash | null; signature: Hex | null },
    { kind, user, ref }: StepWork,
  ): Promise<boolean> {
    // A presigned step can't be executed, so that a signature for it is not looked at.
    if (order.signature === null || kind === 'presigned') return false
    if (kind !== 'payment') {
      throw new ServiceError(
        'hash_not_allowed',
        'signature: it registers a transaction that the user has sent, and the service sends that of this step itself.',
      )
    }
    if (order.hash === null) {
      throw new ServiceError('hash_required', 'hash: a registration signature covers a hash, so it needs one.')
    }
    const valid = await verifyRegistration({ ...ref, hash: order.hash, signature: order.signature, user }, deps.recover)
    if (!valid) {
      throw new ServiceError(
        'registration_signature_mismatch',
        'signature: it is not the user’s EIP-712 Registration of this hash for this step.',
      )
    }
    return true
  }

  function settledWithin(ref: StepRef, first: StepView, waitMs: number, signal: AbortSignal): Promise<StepView> {
    const step = {
      first,
      hasEnded: (view: StepView) => hasEnded(view.status),
      nextChange: (timeoutMs: number, until: AbortSignal, isWanted: (told: readonly StepView[]) => boolean) =>
        deps.nextChange(ref.actionId, timeoutMs, until, isWanted),
      // Where no steps are told, any of the action may have changed.
      isAnothers: (told: readonly StepView[]) => told.length > 0 && !told.some((view) => isSameStep(view, ref)),
      viewIn: (told: readonly StepView[]) => told.find((view) => isSameStep(view, ref)),
      look: () => store.readStep(ref),
    }
    return awaitEnd(step, { waitMs, signal, now: deps.now })
  }
}
