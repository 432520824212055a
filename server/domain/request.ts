import type { Hash } from 'viem'
import type { Status } from './action.js'
import type { ServiceErrorCode, StepError, StepErrorCode } from './errors.js'
import { hasEnded } from './status.js'
import type { StepKind } from './stepKind.js'

/** How often a step may be tried before its failure is final. */
const maxAttempts = 5

/** What a client asks of a step. */
export type Order = {
  action: 'execute' | 'register'
  hash: Hash | null
  /** Whether the registration of the hash carries the user's valid signature. */
  signed: boolean
  /** Whether the deployment accepts a payment only with such a signature. */
  proofRequired: boolean
  /**
   * Whether a step is accepted behind one that has failed as well; the engine then ends it with `previous_step_failed`.
   */
  behindFailed: boolean
}

/** What the decision needs to know of a step. */
export type RequestedStep = {
  kind: StepKind
  status: Status
  error: StepError | null
  /** Only attempts that count; see `excusedCodes`. */
  attempts: number
  transactionHash: Hash | null
  /** Whether the registration that it has carries the user's signature; false when it has none. */
  isRegistrationSigned: boolean
  /** Whether a block is known to have its transaction. */
  isMined: boolean
  /** Whether the solver's steps that directly follow are asked for once it succeeds. */
  follow: boolean
}

/** The request can't be met. */
export type Refusal = { outcome: 'refused'; code: ServiceErrorCode; message: string }

export type Decision =
  | Refusal
  /** Nothing changes; the step as it is answers the request. */
  | { outcome: 'answer' }
  /** The step goes on as it is, and the solver's steps that directly follow are asked for as well. */
  | { outcome: 'follow' }
  /** The step is asked for. `ready` tells that the previous step is done, so that it may start now. */
  | { outcome: 'accept'; ready: boolean; follow: boolean }

/** Decides a request to execute or register a step, from the step and the one before it in its intent. */
export function decideRequest(step: RequestedStep, previous: Status | null, order: Order): Decision {
  if (step.kind === 'presigned') {
    return refused('mode_not_implemented', 'Execution of mode non-7702:presign is not implemented.')
  }
  const misfit = refusalOfHash(step, order)
  if (misfit) return misfit
  if (step.status === 'success') return { outcome: 'answer' }
  if (step.status === 'executing' && !displaces(step, order)) {
    const wantsMore = step.kind === 'payment' && order.action === 'execute' && !step.follow
    return { outcome: wantsMore ? 'follow' : 'answer' }
  }
  // Anybody may register a hash for a payment, so a failed registration never stands in the
  // way of one that the user signs.
  const isUsersOwn = step.kind === 'payment' && order.signed
  if (hasEnded(step.status) && !mayTryAgain(step) && !isUsersOwn) return { outcome: 'answer' }
  const mayFollow = previous === null || previous === 'success' || previous === 'executing'
  if (!mayFollow && !(order.behindFailed && hasEnded(previous))) {
    const otherwise = hasEnded(previous) ? ' Where its error is not retryable, it takes another intent.' : ''
    return refused(
      'previous_step_incomplete',
      `The previous step of this intent is "${previous}"; it has to be executed first.${otherwise}`,
    )
  }
  if (step.kind === 'payment' && order.proofRequired && !order.signed) {
    return refused(
      'registration_signature_required',
      'signature: this deployment needs the user’s EIP-712 Registration signature.',
    )
  }
  // Only a payment goes on to the steps behind it; a step of the solver's that is asked for on its own does not.
  const follow = step.kind === 'payment' ? order.action === 'execute' : step.follow
  return { outcome: 'accept', ready: previous === null || previous === 'success', follow }
}

/**
 * Whether a registration takes the place of the one that a payment has. One that the user has signed does: of one that
 * nobody signed and that is not verified yet; and of a signed one while no block has its transaction, since wallets
 * send a transaction again with higher fees, under another hash.
 */
function displaces(step: RequestedStep, order: Order): boolean {
  const isOther = order.hash !== null && order.hash !== step.transactionHash
  const yields = !step.isRegistrationSigned || !step.isMined
  return step.kind === 'payment' && isOther && order.signed && yields
}

/**
 * Failures that are not the step's own: it came too early, or the service was not able to carry it out. No transaction
 * was sent, and they do not count as attempts.
 */
const excusedCodes: readonly StepErrorCode[] = [
  'intent_not_yet_valid',
  'authorization_missing',
  'insufficient_credit',
  'solver_liquidity',
  'solver_outflow_cap',
  'vault_paused',
  'previous_step_failed',
]

export function isExcused(error: StepError): boolean {
  return excusedCodes.includes(error.code)
}

/** Whether a failed step may be asked for again. */
export function mayTryAgain(step: Pick<RequestedStep, 'error' | 'attempts'>): boolean {
  return step.error !== null && step.error.retryable && step.attempts < maxAttempts
}

function refused(code: ServiceErrorCode, message: string): Refusal {
  return { outcome: 'refused', code, message }
}

/** Why the order's hash, or that it has none, does not fit the step. Null: it fits. */
function refusalOfHash(step: RequestedStep, order: Order): Refusal | null {
  if (step.kind !== 'payment') {
    if (order.action === 'register') {
      return refused('hash_not_allowed', 'action: "register" is for steps that the user pays himself.')
    }
    if (order.hash !== null) {
      return refused('hash_not_allowed', 'hash: the service sends the transaction of this step itself.')
    }
    return null
  }
  const known = step.status === 'success' || step.status === 'executing'
  if (order.hash === null && step.transactionHash === null) {
    return refused('hash_required', 'hash: this step needs the hash of the transaction that the user sent.')
  }
  const mayDiffer = step.status === 'executing' && displaces(step, order)
  if (order.hash !== null && known && order.hash !== step.transactionHash && !mayDiffer) {
    const other = `hash: this step already has the transaction ${step.transactionHash}.`
    const isYielding = step.status === 'executing' && displaces(step, { ...order, signed: true })
    const hint = isYielding ? ' A registration that the user has signed takes its place.' : ''
    return refused('transaction_already_registered', other + hint)
  }
  return null
}
